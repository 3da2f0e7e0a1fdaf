// sbdl denoise: reads a noisy image and writes a clean one. All input is checked before the work starts.
#include "sbdl/denoise.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common.hpp"
#include "denoise/denoise_options.hpp"
#include "field_options.hpp"
#include "interrupt.hpp"
#include "noise_found.hpp"
#include "program_text.hpp"
#include "resume.hpp"
#include "sbdl/error.hpp"
#include "sbdl/observers.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/report.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Arguments {
    fs::path noisy, clean, truth, std, model, save_model, report;
    std::string command;
    FieldOptions fields;
    DenoiseOptions options;
    Context context;
    Output output;
};

struct Quality {
    double psnr = 0.0;
    double ssim = 0.0;
};

/// Shares of the pixels whose error is within one and two of their standard deviations.
struct Calibration {
    double within_1 = 0.0;
    double within_2 = 0.0;
};

/// Comparison with the true image.
struct Comparison {
    Quality before, after;
    std::optional<Calibration> calibration;
};

void add_options(CLI::App& app, Arguments& a) {
    app.add_option("IN", a.noisy, "Noisy image: PNG, JPEG, TIFF, PGM/PPM or .npy; required unless --resume")
        ->type_name("FILE");
    app.add_option("-o,--output", a.clean, "Clean image; its ending gives the format; required unless --resume")
        ->type_name("FILE");
    app.add_option("--clean", a.truth,
                   "The true image: print PSNR and SSIM before and after; with --std or --report also how well the "
                   "standard deviations match the errors")
        ->type_name("TRUTH");
    app.add_option("--std", a.std, "Also write the standard deviation of every pixel (.tif, .npy)")->type_name("FILE");
    app.add_option("--report", a.report, "Also write a page about the run")->type_name("PAGE.html");
    app.add_option("--model", a.model, "Use the dictionary of this model instead of learning one")
        ->type_name("MODEL.h5");
    app.add_option("--save-model", a.save_model, "Also write the learned dictionary")->type_name("MODEL.h5");
    app.add_option("--method", a.options.method,
                   fmt::format("How to learn the dictionary: {}; auto is online, or dct for images too small to learn "
                               "from",
                               fmt::join(denoise_methods(), ", ")))
        ->capture_default_str()
        ->type_name("NAME");
    DenoiseOptions defaults;
    a.fields.describe("denoise", option_refs(defaults));
    a.fields.add_to(app);
    for (CLI::Option* option : app.get_options()) option->group("Options");  // not by method, as for learn
    add_threads(app, a.context.execution.threads);
    add_seed(app, a.context.seed);
    a.output.add_to(app);
}

// Reject options that would have no effect.
void check_ignored(const CLI::App& app, const Arguments& a) {
    if (!a.model.empty())
        for (const char* option :
             {"--method", "--atoms", "--stride", "--max-patches", "--sweeps", "--lambda", "--lambda-s"})
            if (app.count(option) > 0)
                throw InputError(fmt::format("{} does not apply with --model: nothing is learned", option));
    DenoiseOptions options = a.options;
    for (const OptionRef& option : option_refs(options)) {
        if (!a.fields.given(option.name)) continue;
        if (const std::string why = why_ignored(a.options, option.name); !why.empty())
            throw InputError(fmt::format("{} {}", FieldOptions::flag(option.name), why));
    }
}

void check_outputs(const Arguments& a, const Image& noisy) {
    std::vector<fs::path> inputs{a.noisy};
    for (const fs::path& input : {a.truth, a.model})
        if (!input.empty()) inputs.push_back(input);
    check_output(a.clean, {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".pgm", ".ppm", ".pnm", ".npy"}, inputs);
    check_image_output(a.clean, noisy);
    if (!a.std.empty()) {
        check_output(a.std, {".tif", ".tiff", ".npy"}, inputs);
        Image like;  // the same number of planes, of floats; the size does not matter
        like.planes.assign(noisy.planes.size(), Matrix(1, 1));
        like.samples = Samples::f32;
        check_image_output(a.std, like);
    }
    if (!a.save_model.empty()) check_output(a.save_model, {".h5", ".hdf5"}, inputs);
    if (!a.report.empty()) check_output(a.report, {".html", ".htm"}, inputs);
    if (!a.context.checkpoint.path.empty())
        check_output(a.context.checkpoint.path, {a.context.checkpoint.path.extension().string()}, inputs);
    check_apart({a.clean, a.std, a.save_model, a.report, a.context.checkpoint.path});
}

// What a run keeps in memory: the image, its planes, sums and weights, and the training patches.
void check_memory(const Arguments& a, const Image& noisy) {
    const double pixels = double(noisy.height()) * double(noisy.width());
    require_memory(pixels * (a.options.std ? 14.0 : 10.0) + 65536.0 * (a.options.atoms + 64.0),
                   fmt::format("an image of {} x {} pixels", noisy.width(), noisy.height()));
}

Image read_truth(const fs::path& path, const Image& noisy) {
    Image truth = read_image(path);
    if (truth.height() != noisy.height() || truth.width() != noisy.width() ||
        truth.planes.size() != noisy.planes.size())
        throw InputError(fmt::format("{}: has {} x {} pixels and {} planes, the noisy image {} x {} and {}",
                                     path.string(), truth.width(), truth.height(), truth.planes.size(), noisy.width(),
                                     noisy.height(), noisy.planes.size()));
    const auto whole = [](const Image& image) { return image.samples == Samples::u8 || image.samples == Samples::u16; };
    if (whole(truth) && whole(noisy) && truth.samples != noisy.samples)
        throw InputError(
            fmt::format("{}: white is {:.0f}, but {:.0f} in the noisy image; convert one of them to compare them",
                        path.string(), peak_of(truth), peak_of(noisy)));
    return truth;
}

Quality quality_of(const Image& truth, const Image& image) {
    const double peak = peak_of(truth);
    const bool large = truth.height() >= 11 && truth.width() >= 11;
    return {psnr(truth, image, peak), large ? ssim(truth, image, peak) : std::numeric_limits<double>::quiet_NaN()};
}

Comparison compare(const Image& truth, const Image& noisy, const DenoiseResult& result) {
    Comparison comparison{quality_of(truth, noisy), quality_of(truth, result.image), {}};
    if (!result.std.planes.empty() && !result.unchanged)
        comparison.calibration = {share_within(truth, result.image, result.std, 1.0),
                                  share_within(truth, result.image, result.std, 2.0)};
    return comparison;
}

// Shows the progress of stages other than the learner's sweeps, in the same way.
class StageProgress {
public:
    explicit StageProgress(bool quiet) : quiet_(quiet), start_(std::chrono::steady_clock::now()) {}
    ~StageProgress() { end(); }
    StageProgress(const StageProgress&) = delete;
    StageProgress& operator=(const StageProgress&) = delete;

    void show(std::string_view stage, double share) {
        if (quiet_) return;
        if (stage != stage_) {
            end();
            stage_ = stage;
            meter_.emplace(std::cerr, progress_on_terminal());
            meter_->start(100);
            start_ = std::chrono::steady_clock::now();
        }
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
        meter_->show(static_cast<std::size_t>(100.0 * share), passed.count(), stage_);
    }
    void end() {
        if (meter_) meter_->finish();
        meter_.reset();
        stage_.clear();
    }

private:
    bool quiet_;
    std::string stage_;
    std::optional<ProgressMeter> meter_;
    std::chrono::steady_clock::time_point start_;
};

// A sentence about an unusual result.
std::string finding(const DenoiseResult& result) {
    if (result.unchanged) return "no noise found; the image is left as it is";
    if (result.only_noise) return "hardly anything but noise found";
    return "";
}

std::string method_used(const Arguments& a, const DenoiseResult& result) {
    if (!a.model.empty()) return "model";
    return result.unchanged ? a.options.method : result.model.method;
}

void print_result(const Arguments& a, const DenoiseResult& result, const std::optional<Comparison>& comparison,
                  double seconds) {
    ordered_json object = {{"image", a.clean.string()},
                           {"recipe", to_string(a.options.recipe)},
                           {"method", method_used(a, result)},
                           {"noise_sd", result.noise_sd},
                           {"noise_given", result.noise_given},
                           {"plane_noise", result.plane_noise},
                           {"noise", noise_json(result.noise)},
                           {"unchanged", result.unchanged},
                           {"only_noise", result.only_noise},
                           {"empty_share", result.empty_share},
                           {"training_patches", result.training_patches},
                           {"seed", a.context.seed},
                           {"options", ordered_json::parse(to_json(a.options))},
                           {"seconds", seconds}};
    for (const StageTime& stage : result.stages) {
        ordered_json& sum = object["stage_seconds"][stage.stage];
        sum = (sum.is_null() ? 0.0 : sum.get<double>()) + stage.seconds;
    }
    std::string text =
        fmt::format("noise       {:.4g} ({})\n", result.noise_sd, result.noise_given ? "given" : "inferred");
    if (comparison) {
        const auto& [before, after, calibration] = *comparison;
        object["psnr_before"] = before.psnr;
        object["psnr_after"] = after.psnr;
        object["ssim_before"] = before.ssim;
        object["ssim_after"] = after.ssim;
        text += fmt::format("psnr        {:.2f} dB, was {:.2f}\nssim        {}, was {}\n", after.psnr, before.psnr,
                            number_text(after.ssim), number_text(before.ssim));
        if (calibration) {
            object["within_1_std"] = calibration->within_1;
            object["within_2_std"] = calibration->within_2;
            text += fmt::format("std         {:.1f} % of the errors are within 1 std, {:.1f} % within 2\n",
                                100.0 * calibration->within_1, 100.0 * calibration->within_2);
        }
    }
    if (!a.std.empty()) object["std"] = a.std.string();
    const bool has_model = !result.unchanged;
    if (!a.save_model.empty() && has_model) object["model"] = a.save_model.string();
    if (!a.report.empty() && has_model) object["report"] = a.report.string();
    for (const std::string& found : result.noise.sentences) text += fmt::format("found       {}\n", found);
    if (const std::string found = finding(result); !found.empty()) text += fmt::format("found       {}\n", found);
    if (!has_model && (!a.save_model.empty() || !a.report.empty()))
        text += "note        nothing was learned, so there is no model and no report\n";
    text += fmt::format("seconds     {:.2f}\nfile        {}\n", seconds, a.clean.string());
    object["warnings"] = result.warnings;
    a.output.print_json(object);
    a.output.say(text);
    if (!a.output.quiet)
        for (const std::string& warning : result.warnings) std::cerr << "sbdl denoise: " << warning << '\n';
}

void write_results(const Arguments& a, const Image& noisy, const std::optional<Image>& truth,
                   const DenoiseResult& result) {
    const WritingFiles writing;
    write_image(a.clean, result.image);
    if (!a.std.empty()) write_image(a.std, result.std);
    if (result.unchanged) return;
    if (!a.save_model.empty()) save_model(result.model, a.save_model);
    if (!a.report.empty())
        write_report(a.report, {.model = &result.model,
                                .title = a.noisy.filename().string(),
                                .command = a.command,
                                .before = &noisy,
                                .after = &result.image,
                                .std = result.std.planes.empty() ? nullptr : &result.std,
                                .truth = truth ? &*truth : nullptr,
                                .noise_sd = result.noise_sd,
                                .noise = &result.noise,
                                .program = program_text()});
}

int run_denoise(const std::vector<std::string>& words, const Arguments* resumed) {
    Arguments a;
    a.command = command_line(words);
    ResumeOptions resume;
    CLI::App app("Remove the noise from an image. Nothing has to be set: the noise is inferred.", "sbdl denoise");
    app.footer(
        "Ctrl-C ends the learning and cleans the image with what was learned so far.\n\n"
        "Example:\n  sbdl denoise noisy.png -o clean.png --report clean.html\n"
        "  sbdl denoise noisy.tif -o clean.tif --std std.tif --clean truth.png --json\n"
        "  sbdl denoise large.tif -o clean.tif --checkpoint run.checkpoint\n"
        "  sbdl denoise --resume run.checkpoint");
    add_options(app, a);
    resume.add_to(app);
    if (!parse(app, {words.begin() + 1, words.end()})) return done;
    if (!resume.resume.empty()) {
        check_only_resume(app);
        a.context.checkpoint.path = fs::absolute(resume.resume);
        return run_denoise(command_of(resume.resume, "denoise"), &a);
    }
    require(app, {"IN", "--output"});
    a.context.checkpoint = resume.checkpoint_of(app, words, resumed != nullptr ? resumed->context.checkpoint.path : "");
    if (resumed != nullptr) {
        a.context.execution.threads = resumed->context.execution.threads;
        a.output = resumed->output;
    }

    a.fields.read_into(option_refs(a.options));
    check_ignored(app, a);
    validate(a.options);
    const Image noisy = read_image(a.noisy);
    check_outputs(a, noisy);
    std::optional<Model> model;
    if (!a.model.empty()) {
        a.options.model = &model.emplace(load_model(a.model));
        if (!a.fields.given("patch") && model->patch.height > 0)
            a.options.patch = static_cast<int>(model->patch.height);
    }
    a.options.std = !a.std.empty() || !a.report.empty();
    check_memory(a, noisy);
    std::optional<Image> truth;
    if (!a.truth.empty()) truth = read_truth(a.truth, noisy);

    const bool quiet = a.output.quiet;
    const std::atomic<bool>& stop =
        catch_interrupts(quiet ? nullptr : "\nending the learning, then cleaning the image; press again to quit now\n");
    InterruptObserver interrupt(stop);
    ProgressObserver sweeps(std::cerr, progress_on_terminal());
    std::vector<Observer*> observers{&interrupt};
    if (!quiet) observers.push_back(&sweeps);
    StageProgress stages(quiet);
    const DenoiseHooks hooks{observers, [&](std::string_view stage, double share) { stages.show(stage, share); },
                             &stop};

    const auto start = std::chrono::steady_clock::now();
    DenoiseResult result = denoise(noisy, a.options, a.context, hooks);
    stages.end();
    if (a.model.empty()) {  // a given model keeps its own
        result.model.program_version = program_text();
        result.model.command = a.command;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    write_results(a, noisy, truth, result);
    std::optional<Comparison> comparison;
    if (truth) comparison = compare(*truth, noisy, result);
    print_result(a, result, comparison, seconds.count());
    if (stop.load()) {
        if (fs::exists(a.context.checkpoint.path))
            a.output.say(fmt::format("to resume: sbdl denoise --resume {}\n", a.context.checkpoint.path.string()));
        return interrupted;
    }
    fs::remove(a.context.checkpoint.path);
    return done;
}

}  // namespace

int run_denoise(int count, char** argument_list) {
    return run_denoise(std::vector<std::string>(argument_list, argument_list + count), nullptr);
}

}  // namespace sbdl::app
