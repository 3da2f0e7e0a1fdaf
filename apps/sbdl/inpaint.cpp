// sbdl inpaint: reads an image of which pixels are missing and writes a complete one. All input is checked before the
// work starts. Stacks: inpaint_stack.cpp.
#include "sbdl/inpaint.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/printable.hpp"
#include "image_bar.hpp"
#include "inpaint.hpp"
#include "inpaint/gap_errors.hpp"
#include "outputs.hpp"
#include "program_text.hpp"
#include "resume.hpp"
#include "sbdl/error.hpp"
#include "sbdl/inpaint_report.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

void add_inpaint_options(CLI::App& app, InpaintArguments& a) {
    app.add_option(
           "IN", a.input,
           "Incomplete image or stack: PNG, JPEG, TIFF, PGM/PPM or .npy. NaN in float samples is missing, and so is a "
           "pixel whose alpha is 0; required unless --resume")
        ->type_name("FILE");
    app.add_option("-o,--output", a.target,
                   "Complete image or stack; the extension sets the format; required unless --resume")
        ->type_name("FILE");
    app.add_option("--mask", a.mask,
                   "Image that is 0 where pixels are missing and has one other value elsewhere; one plane for all "
                   "colours, or three planes, one for each colour; of a stack, the same for all pages")
        ->type_name("FILE");
    app.add_flag("--keep-observed", a.options.keep_observed, "Leave the observed pixels as they are, noise included");
    app.add_option("--clean", a.truth,
                   "The true image: print PSNR and SSIM, with a peak of 255 for 8 bits and the range of TRUTH for "
                   "others; with --std or --report also how well the standard deviations match the errors of missing "
                   "pixels")
        ->type_name("TRUTH");
    app.add_option("--std", a.std, "Also write the standard deviation of every pixel (.tif, .npy)")->type_name("FILE");
    app.add_option("--report", a.report, "Also write a page about the run")->type_name("PAGE.html");
    app.add_option("--model", a.model,
                   "Begin with the dictionary of this model, learned from patches of images of the same kind")
        ->type_name("MODEL.h5");
    InpaintOptions defaults;
    a.fields.describe("inpaint", option_refs(defaults));
    a.fields.add_to(app);
    for (CLI::Option* option : app.get_options()) option->group("Options");
    a.memory.add_to(app);
    add_threads(app, a.context.execution.threads);
    a.output.add_to(app);
}

/// Reads the image and its mask. Messages begin with the name of the file that is wrong.
Image read_input(const InpaintArguments& a) {
    Image image = read_incomplete_image(a.input, accept_inpainted(a, a.input));
    if (!a.mask.empty()) {
        const Image mask = with_orientation(read_mask(a.mask, accept_inpainted(a, a.mask)), image.metadata.orientation);
        image = with_missing(std::move(image), mask, a.mask.string());
    }
    check_inpaint_outputs(a, image, /*stacked=*/false);
    a.memory.require(inpaint_memory(a.options, a.context, image.height(), image.width(), image.planes.size()),
                     fmt::format("an image of {} x {} pixels", image.width(), image.height()));
    check_inpainted(a, image, a.input.string());
    return image;
}

void say_inpainted(const InpaintArguments& a, const Image& incomplete, const InpaintResult& result,
                   const std::optional<InpaintComparison>& comparison, const Outputs& outputs, double seconds) {
    const double samples = double(incomplete.planes.size() * incomplete.height() * incomplete.width());
    const double share = double(result.missing) / samples;
    nlohmann::ordered_json object = {{"image", a.target.string()},
                                     {"missing", result.missing},
                                     {"missing_share", share},
                                     {"noise_sd", result.noise_sd},
                                     {"noise_given", result.noise_given},
                                     {"unchanged", result.unchanged},
                                     {"rounds", result.rounds},
                                     {"options", nlohmann::ordered_json::parse(to_json(a.options))},
                                     {"seconds", seconds}};
    if (!result.unchanged && !result.std.planes.empty()) object["std_factor"] = result.std_factor;
    for (const StageTime& stage : result.stages) object["stage_seconds"][stage.stage] = stage.seconds;
    std::string text;
    if (result.unchanged)
        text = "found       nothing is missing; the image is left as it is (sbdl denoise removes noise)\n";
    else
        text = fmt::format("{}noise       {:.4g} ({})\n", missing_line(result.missing, share, incomplete.colour()),
                           result.noise_sd, result.noise_given ? "given" : "inferred");
    if (comparison) {
        object["psnr"] = comparison->quality.psnr;
        object["ssim"] = comparison->quality.ssim;
        if (!result.unchanged) object["psnr_missing"] = comparison->missing_psnr;
        object["data_range"] = comparison->range.width();
        text +=
            fmt::format("psnr        {:.2f} dB{} ({})\nssim        {}\n", comparison->quality.psnr,
                        result.unchanged ? "" : fmt::format(", {:.2f} over missing pixels", comparison->missing_psnr),
                        range_text(comparison->range), number_text(comparison->quality.ssim));
        if (!result.unchanged && !result.std.planes.empty()) {
            object["within_1_std"] = comparison->within_1;
            object["within_2_std"] = comparison->within_2;
            text += fmt::format(
                "std         {:.1f} % of the errors of missing pixels are within 1 std, {:.1f} % within 2\n",
                100.0 * comparison->within_1, 100.0 * comparison->within_2);
        }
    }
    if (!a.std.empty()) object["std"] = a.std.string();
    std::vector<std::string> warnings = incomplete.metadata.warnings;
    warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
    if (!a.report.empty()) object["report"] = a.report.string();
    object["warnings"] = warnings;
    outputs.remove_missing(object);
    for (const std::string& warning : warnings) text += fmt::format("warning     {}\n", warning);
    text += fmt::format("seconds     {:.2f}\n", seconds);
    if (!outputs.has_failed("image")) text += fmt::format("file        {}\n", name_text(a.target));
    a.output.say(text);
    a.output.print_json(object);
}

InpaintResult run_with_bar(const InpaintArguments& a, const Image& image) {
    ImageBar bar(a.output.quiet);
    return inpaint(image, a.options, a.context,
                   [&](const DenoiseProgress& now) { bar.show(std::string(now.stage), now); });
}

}  // namespace

int inpaint_status(const Outputs& outputs) {
    const std::vector<std::string> missing = outputs.sentences();
    for (const std::string& sentence : missing) std::cerr << "sbdl inpaint: " << printable(sentence) << '\n';
    return missing.empty() ? done : failed;
}

AcceptSize accept_inpainted(const InpaintArguments& a, const std::filesystem::path& file) {
    return [&a, file](std::size_t width, std::size_t height, std::size_t planes) {
        try {
            a.memory.require(inpaint_memory(a.options, a.context, height, width, planes),
                             fmt::format("an image of {} x {} pixels", width, height));
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", file.string(), error.what()));
        }
    };
}

void check_inpaint_outputs(const InpaintArguments& a, const Image& image, bool stacked) {
    const auto check_format = [stacked](const std::filesystem::path& path, const Image& like) {
        stacked ? check_pages_output(path, like) : check_image_output(path, like);
    };
    std::vector<std::filesystem::path> inputs{a.input};
    for (const std::filesystem::path& input : {a.mask, a.truth, a.model})
        if (!input.empty()) inputs.push_back(input);
    check_output(a.target, {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".pgm", ".ppm", ".pnm", ".npy"}, inputs);
    check_format(a.target, image);
    if (!a.std.empty()) {
        check_output(a.std, {".tif", ".tiff", ".npy"}, inputs);
        Image like;
        like.planes = image.planes;
        like.samples = Samples::f32;
        check_format(a.std, like);
    }
    if (!a.report.empty()) check_output(a.report, {".html", ".htm"}, inputs);
    const std::filesystem::path& checkpoint = a.context.checkpoint.path;
    if (!checkpoint.empty()) check_output(checkpoint, {checkpoint.extension().string()}, inputs);
    check_apart({a.target, a.std, a.report, checkpoint});
}

InpaintComparison compare_inpainted(const Image& truth, const Image& incomplete, const InpaintResult& result,
                                    const DataRange& range) {
    const GapErrors errors = gap_errors(truth, incomplete, result.image, result.std);
    return {range, quality_of(truth, result.image, range),
            20.0 * std::log10(range.width() / std::sqrt(errors.mean_square)), errors.within_1, errors.within_2};
}

std::string missing_line(std::size_t missing, double share, bool colour) {
    return fmt::format("missing     {:.4g} % ({} {}{})\n", 100.0 * share, missing, colour ? "sample" : "pixel",
                       missing == 1 ? "" : "s");
}

void check_inpainted(const InpaintArguments& a, const Image& image, const std::string& name) {
    InpaintOptions without_model = a.options;
    without_model.model = nullptr;
    try {
        check_incomplete_image(image, without_model);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", name, error.what()));
    }
    if (a.options.model == nullptr) return;
    try {
        check_incomplete_image(image, a.options);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {} ({})", a.model.string(), error.what(), name));
    }
}

namespace {

int run_inpaint(const std::vector<std::string>& words, const InpaintArguments* resumed) {
    InpaintArguments a;
    a.command = command_line(words);
    ResumeOptions resume;
    CLI::App app("Fill in the missing pixels of an image. Nothing has to be set: the noise is inferred, and removed.",
                 "sbdl inpaint");
    app.footer(
        "Ctrl-C ends the run within a second, as SIGTERM and SIGHUP do. A single image is then not written; the "
        "finished pages of a stack are kept, and --resume goes on after them.\n\n"
        "Example:\n  sbdl inpaint damaged.png --mask mask.png -o full.png --std std.tif --report page.html\n"
        "  sbdl inpaint sparse_scan.tif -o full.tif --keep-observed\n"
        "  sbdl inpaint series.tif --mask mask.png -o full.tif\n"
        "  sbdl inpaint --resume full.tif.checkpoint");
    add_inpaint_options(app, a);
    resume.add_file_to(app);
    app.get_option("--checkpoint")
        ->description(
            "For stacks: until all pages are done, keep the finished ones in the folder FILE.pages, and what is "
            "needed to resume in FILE; default: next to the output");
    if (const auto status = begin_or_resume(app, resume, words, {"IN", "--output"}, a, resumed, run_inpaint))
        return *status;
    for (const std::filesystem::path& path : {a.input, a.mask, a.target, a.truth, a.std, a.report, a.model})
        if (path == "-")
            throw InputError("'-' is not possible here: inpaint reads and writes files, not standard input and output");
    a.fields.read_into(option_refs(a.options));
    validate(a.options);
    std::optional<Model> model;
    if (!a.model.empty()) {
        a.options.model = &model.emplace(load_model(a.model));
        if (!a.fields.given("patch") && model->patch.height > 0)
            a.options.patch = static_cast<int>(model->patch.height);
    }
    a.options.std = !a.std.empty() || !a.report.empty();
    if (open_incomplete_pages(a.input, accept_inpainted(a, a.input))->stacked()) return inpaint_stack(a);
    if (!resume.checkpoint.empty())
        throw InputError(fmt::format("--checkpoint applies only to stacks, and {} is one image", a.input.string()));
    const Image image = read_input(a);
    std::optional<Image> truth;
    if (!a.truth.empty())
        truth = checked_truth(read_image(a.truth, accept_inpainted(a, a.truth)), image, "incomplete", a.truth.string());

    const auto start = std::chrono::steady_clock::now();
    const InpaintResult result = run_with_bar(a, image);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    Outputs outputs("the image");
    outputs.write("image", a.target, [&] { write_image(a.target, result.image); });
    if (!a.std.empty()) outputs.write("std", a.std, [&] { write_image(a.std, result.std); });
    if (!a.report.empty())
        outputs.write("report", a.report, [&] {
            write_inpaint_report(a.report, {.before = &image,
                                            .result = &result,
                                            .truth = truth ? &*truth : nullptr,
                                            .title = a.input.filename().string(),
                                            .command = a.command,
                                            .program = program_text()});
        });
    outputs.require_any();
    std::optional<InpaintComparison> comparison;
    if (truth) comparison = compare_inpainted(*truth, image, result, data_range(*truth));
    say_inpainted(a, image, result, comparison, outputs, seconds.count());
    return inpaint_status(outputs);
}

}  // namespace

int run_inpaint(int count, char** argument_list) {
    return run_inpaint(std::vector<std::string>(argument_list, argument_list + count), nullptr);
}

}  // namespace sbdl::app
