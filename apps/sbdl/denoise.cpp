// sbdl denoise: reads noisy images and signals, and writes clean ones. All input is checked before the work starts.
#include "denoise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "denoise/denoise_options.hpp"
#include "denoise/whole_progress.hpp"
#include "image_bar.hpp"
#include "interrupt.hpp"
#include "learning_stage.hpp"
#include "noise_found.hpp"
#include "pipes.hpp"
#include "program_text.hpp"
#include "resume.hpp"
#include "sbdl/error.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/report.hpp"
#include "sbdl/series.hpp"
#include "sbdl/train.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

using Arguments = DenoiseArguments;

/// Shares of the pixels whose error is within one and two of their standard deviations.
struct Calibration {
    double within_1 = 0.0;
    double within_2 = 0.0;
};

/// Comparison with the true image.
struct Comparison {
    DataRange range;
    Quality before, after;
    std::optional<Calibration> calibration;
};

void add_options(CLI::App& app, Arguments& a) {
    app.add_option("IN", a.inputs,
                   "Noisy images or stacks: PNG, JPEG, TIFF, PGM/PPM or .npy; or signals: .wav, .csv, or .npy of one "
                   "dimension; or - for standard input; required unless --resume")
        ->type_name("FILE");
    app.add_option(
           "-o,--output", a.target,
           "Clean image, stack or signal; the extension sets the format. Or a folder (made if need be), for files of "
           "the same names. Or - for standard output: PGM or PPM for 8 and 16 bits, otherwise .npy; a signal "
           "keeps its format; required unless --resume")
        ->type_name("FILE");
    app.add_option("--column", a.column,
                   "Of a table (.csv, .txt) with several columns: the one to clean, by its name or its number, counted "
                   "from 0")
        ->type_name("NAME|NUMBER");
    app.add_option("--depth", a.depth,
                   "Samples of the clean image: 8 or 16 bits, or float, which is not rounded; default: as the input")
        ->check(one_of({"8", "16", "float"}))
        ->type_name("8|16|float");
    app.add_option("--clean", a.truth,
                   "The true image: print PSNR and SSIM before and after, with a peak of 255 for 8 bits and the range "
                   "of TRUTH for others, or the SNR of a signal; with --std or --report also how well the standard "
                   "deviations match the errors")
        ->type_name("TRUTH");
    app.add_option("--std", a.std,
                   "Also write the standard deviation of every pixel (.tif, .npy) or sample (.csv, .npy)")
        ->type_name("FILE");
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
    StackOptions of_stacks;
    a.fields.describe("denoise", option_refs(defaults));
    SignalOptions of_signals;
    a.fields.describe("denoise", option_refs(of_stacks));
    a.fields.describe("denoise", option_refs(of_signals));
    a.fields.add_to(app);
    for (CLI::Option* option : app.get_options()) option->group("Options");  // not by method, as for learn
    a.memory.add_to(app);
    add_threads(app, a.context.execution.threads);
    add_seed(app, a.context.seed);
    a.output.add_to(app);
    set_apart(app, {"--method", "--recipe", "--gain", "--read-noise", "--offset", "--patch", "--window", "--atoms",
                    "--stride", "--max-patches", "--sweeps", "--tolerance", "--keep-noisy", "--lambda", "--lambda-s",
                    "--dictionary", "--memory"});
}

Comparison compare(const Image& truth, const Image& noisy, const DenoiseResult& result) {
    const DataRange range = data_range(truth);
    Comparison comparison{range, quality_of(truth, noisy, range), quality_of(truth, result.image, range), {}};
    if (!result.std.planes.empty() && !result.unchanged)
        comparison.calibration = {share_within(truth, result.image, result.std, 1.0),
                                  share_within(truth, result.image, result.std, 2.0)};
    return comparison;
}

std::string resume_text(const fs::path& checkpoint) {
    return fmt::format("to resume: sbdl denoise --resume {}", name_text(checkpoint));
}

// A sentence about an unusual result.
std::string finding(const DenoiseResult& result) {
    if (result.unchanged)
        return fmt::format("no {}noise; the image is left as it is", result.noise.foreign() ? "other " : "");
    if (result.only_noise) return "almost nothing but noise";
    return "";
}

std::string method_used(const Arguments& a, const DenoiseResult& result) {
    if (!a.model.empty()) return "model";
    return result.unchanged ? a.options.method : result.model.method;
}

DenoisedFile described(const Arguments& a, const DenoiseResult& result, const std::optional<Comparison>& comparison,
                       double seconds, const Outputs& outputs) {
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
                           {"samples", to_string(output_samples(a, result.image.samples))},
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
        const auto& [range, before, after, calibration] = *comparison;
        object["psnr_before"] = before.psnr;
        object["psnr_after"] = after.psnr;
        object["ssim_before"] = before.ssim;
        object["ssim_after"] = after.ssim;
        object["data_range"] = range.width();
        text += fmt::format("psnr        {:.2f} dB, was {:.2f} ({})\nssim        {}, was {}\n", after.psnr, before.psnr,
                            range_text(range), number_text(after.ssim), number_text(before.ssim));
        if (calibration) {
            object["within_1_std"] = calibration->within_1;
            object["within_2_std"] = calibration->within_2;
            text += within_std_text(calibration->within_1, calibration->within_2);
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
    text += fmt::format("seconds     {:.2f}\n", seconds);
    if (!outputs.has_failed("image")) text += fmt::format("file        {}\n", name_text(a.clean));
    object["warnings"] = result.warnings;
    DenoisedFile file{std::move(object), std::move(text), result.warnings};
    file.fail(outputs);
    if (!result.checkpoint_error.empty()) {  // one of the warnings, and more than that
        std::erase(file.warnings, result.checkpoint_error);
        file.errors.push_back(result.checkpoint_error);
    }
    return file;
}

// Files hold the pixels as the input has them; a page shows them in display orientation.
void write_page(const Arguments& a, const Image& noisy, const std::optional<Image>& truth,
                const DenoiseResult& result) {
    std::vector<std::unique_ptr<Image>> turned;
    const auto upright = [&turned](const Image& image) -> const Image* {
        if (image.metadata.orientation == 1) return &image;
        return turned.emplace_back(std::make_unique<Image>(with_orientation(image, 1))).get();
    };
    write_report(a.report, {.model = &result.model,
                            .title = fs::path(with_pipe_names(a.noisy.string())).filename().string(),
                            .command = a.command,
                            .before = upright(noisy),
                            .after = upright(result.image),
                            .std = result.std.planes.empty() ? nullptr : upright(result.std),
                            .truth = truth ? upright(*truth) : nullptr,
                            .noise_sd = result.noise_sd,
                            .noise = &result.noise,
                            .program = program_text()});
}

Outputs write_results(const Arguments& a, const Image& noisy, const std::optional<Image>& truth,
                      const DenoiseResult& result) {
    const bool as_it_is = output_samples(a, noisy.samples) == noisy.samples;  // needs no copy
    Outputs outputs("the image");
    outputs.write("image", a.clean, [&] {
        as_it_is ? write_image(a.clean, result.image) : write_image(a.clean, as_written(a, result.image));
    });
    if (!a.std.empty())
        outputs.write("std", a.std, [&] {
            as_it_is ? write_image(a.std, result.std)
                     : write_image(a.std, std_as_written(a, result.std, noisy.samples));
        });
    if (!a.save_model.empty() && !result.unchanged)
        outputs.write("model", a.save_model, [&] { save_model(result.model, a.save_model); });
    if (!a.report.empty() && !result.unchanged)
        outputs.write("report", a.report, [&] { write_page(a, noisy, truth, result); });
    outputs.require_any();
    return outputs;
}

class ImageTask final : public FileTask {
public:
    explicit ImageTask(const Arguments& a) : a_(a), noisy_(read_image(a.noisy, a.accept_size(a.noisy))) {
        check_outputs(a, *noisy_, /*stacked=*/false);
        check_noisy(a, *noisy_, a.noisy.string());
        if (!a.truth.empty())
            truth_ = checked_truth(read_image(a.truth, a.accept_size(a.truth)), *noisy_, "noisy", a.truth.string());
        seconds_ = usual_seconds(a.options, noisy_->height(), noisy_->width(), noisy_->planes.size(),
                                 a.context.execution.threads, /*with_learning=*/true);
        if (several()) noisy_.reset();  // all of them might not fit into memory
    }

    [[nodiscard]] double seconds() const override { return seconds_; }

    DenoisedFile run(const ShowProgress& show) override {
        if (!noisy_) noisy_ = read_image(a_.noisy);
        // One image is made of what was learned so far; of several, the current one is abandoned.
        const char* const notice = "\nending the learning, then cleaning the image; press Ctrl-C again to quit now\n";
        LearningStage learning(/*can_end=*/!several() && a_.model.empty(), a_.output.quiet ? nullptr : notice);
        const auto progress = [&](const DenoiseProgress& now) {
            show(std::string(now.stage), now);
            learning.follow(now.stage);
        };
        const auto start = std::chrono::steady_clock::now();
        DenoiseResult result = denoise(*noisy_, a_.options, a_.context, {{}, progress, &learning_ends()});
        if (a_.model.empty()) {  // a given model keeps its own
            result.model.program_version = program_text();
            result.model.command = a_.command;
        }
        const std::vector<std::string>& of_file = noisy_->metadata.warnings;
        result.warnings.insert(result.warnings.begin(), of_file.begin(), of_file.end());
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        const Outputs outputs = write_results(a_, *noisy_, truth_, result);
        std::optional<Comparison> comparison;
        if (truth_) comparison = compare(*truth_, *noisy_, result);
        DenoisedFile file = described(a_, result, comparison, seconds.count(), outputs);
        noisy_.reset();
        const bool cut = a_.model.empty() && result.model.stop_reason == to_string(StopReason::observer);
        file.interrupted = cut && learning_ends();
        finish(file, file.interrupted || outputs.miss_data());
        return file;
    }

private:
    [[nodiscard]] bool several() const { return a_.inputs.size() > 1; }

    void finish(DenoisedFile& file, bool keep) const {
        const fs::path& checkpoint = a_.context.checkpoint.path;
        std::error_code error;
        if (!keep) fs::remove(checkpoint, error);
        if (error) throw FileError(fmt::format("{}: cannot be removed: {}", checkpoint.string(), error.message()));
        if (keep && fs::exists(checkpoint, error)) file.text += resume_text(checkpoint) + "\n";
    }

    Arguments a_;
    std::optional<Image> noisy_, truth_;
    double seconds_ = 0.0;
};

/// The folder for the outputs, made if need be; removed at the end if nothing was written into it.
class MadeFolder {
public:
    MadeFolder(fs::path folder, bool several) : folder_(std::move(folder)) {
        std::error_code error;
        made_ = fs::create_directory(folder_, error);
        std::error_code ignored;
        if (!fs::is_directory(folder_, ignored))
            throw InputError(fmt::format("{}: is not a folder and cannot be made one ({}){}", folder_.string(),
                                         error ? error.message() : "it is a file",
                                         several ? "; several files need a folder" : ""));
    }
    MadeFolder(const MadeFolder&) = delete;
    MadeFolder& operator=(const MadeFolder&) = delete;
    ~MadeFolder() {
        std::error_code ignored;
        if (made_) fs::remove(folder_, ignored);  // only if it is empty
    }

private:
    fs::path folder_;
    bool made_ = false;
};

/// The command for one of several files: so it can be resumed alone.
std::vector<std::string> command_for(const CLI::App& app, const fs::path& input, const fs::path& output) {
    std::vector<std::string> words{"denoise", input.string(), "-o", output.string()};
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        if (option->count() == 0 || name == "IN" || name == "--output" || name == "--json" || name == "--quiet")
            continue;
        words.push_back(name);
        words.insert(words.end(), option->results().begin(), option->results().end());
    }
    return words;
}

/// One task for each input. All of them are checked before the first begins.
std::vector<std::unique_ptr<FileTask>> tasks_of(const CLI::App& app, const Arguments& a, bool into_folder) {
    std::vector<std::unique_ptr<FileTask>> tasks;
    std::vector<fs::path> outputs;
    bool any_stack = false, any_signal = false;
    for (const fs::path& input : a.inputs) {
        Arguments of_file = a;
        of_file.noisy = input;
        of_file.clean = into_folder ? a.target / input.filename() : a.target;
        if (a.inputs.size() > 1) {
            of_file.context.checkpoint.note = command_note(command_for(app, input, of_file.clean));
            outputs.push_back(of_file.clean);
        }
        if (!series_ending(input).empty()) {
            any_signal = true;
            tasks.push_back(signal_task(of_file));
            continue;
        }
        const bool stacked = open_pages(input, a.accept_size(input))->stacked();
        any_stack = any_stack || stacked;
        tasks.push_back(stacked ? stack_task(of_file) : std::make_unique<ImageTask>(of_file));
    }
    if (!any_stack && a.fields.given("dictionary"))
        throw InputError(fmt::format("--dictionary applies only to stacks, and {} is one image", a.inputs[0].string()));
    if (!any_signal && (!a.column.empty() || a.fields.given("window")))
        throw InputError(fmt::format("{} applies only to signals, and {} is an image",
                                     a.column.empty() ? "--window" : "--column", a.inputs[0].string()));
    check_apart(outputs);
    return tasks;
}

/// Runs the tasks one after another, under one bar.
std::vector<DenoisedFile> run_tasks(const Arguments& a, const std::vector<std::unique_ptr<FileTask>>& tasks) {
    std::vector<WorkStep> steps;
    for (const auto& task : tasks) steps.push_back({task->seconds()});
    WholeProgress whole(steps);
    ImageBar bar(a.output.quiet);
    std::vector<DenoisedFile> files;
    const bool several = tasks.size() > 1;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (several && work_ends()) break;
        const ShowProgress show = [&](const std::string& text, const DenoiseProgress& of_file) {
            if (!several) return bar.show(text, of_file);
            bar.show(fmt::format("{} ({}/{})  {}", a.inputs[i].filename().string(), i + 1, tasks.size(), text),
                     whole.at(i, of_file.share));
        };
        try {
            files.push_back(tasks[i]->run(show));
        } catch (const Stopped&) {
            if (!several) throw;
            break;  // those before it are done
        }
    }
    if (several && files.size() == tasks.size()) bar.show("done", {.stage = "done", .share = 1.0});
    return files;
}

/// Prints what became of the files. Returns whether all of them are done.
bool print_files(const Arguments& a, const std::vector<DenoisedFile>& files, double seconds) {
    const auto ended = std::ranges::count(files, false, &DenoisedFile::interrupted);
    const bool all = static_cast<std::size_t>(ended) == a.inputs.size(), several = a.inputs.size() > 1;
    if (several) {
        ordered_json object = {{"files", ordered_json::array()}, {"interrupted", !all}, {"seconds", seconds}};
        for (const DenoisedFile& file : files) object["files"].push_back(file.object);
        a.output.print_json(object);
    } else {
        a.output.print_json(files.front().object);
    }
    for (const DenoisedFile& file : files) {
        a.output.say(&file == &files.front() ? file.text : "\n" + file.text);
        if (!a.output.quiet)
            for (const std::string& warning : file.warnings)
                std::cerr << "sbdl denoise: " << printable(with_pipe_names(warning)) << '\n';
        for (const std::string& error : file.errors)
            std::cerr << "sbdl denoise: " << printable(with_pipe_names(error)) << '\n';
    }
    if (several && !all) say_what_is_left(fmt::format("{} of {} files are done", ended, a.inputs.size()));
    return all;
}

int run_denoise(const std::vector<std::string>& words, const Arguments* resumed) {
    Arguments a;
    a.command = command_line(words);
    ResumeOptions resume;
    CLI::App app("Remove the noise from images and signals. Nothing has to be set: the noise is inferred.",
                 "sbdl denoise");
    app.footer(
        "While a dictionary is being learned (for one image, or shared by a stack), Ctrl-C ends the learning and "
        "denoises with what has been learned so far. At any other time, on a second Ctrl-C, for several files or with "
        "--dictionary own, it ends the run within a second, as SIGTERM and SIGHUP do. Checkpoints, finished pages and "
        "finished files are kept.\n\n"
        "Example:\n  sbdl denoise noisy.png -o clean.png --report clean.html\n"
        "  sbdl denoise noisy.tif -o clean.tif --std std.tif --clean truth.png --json\n"
        "  sbdl denoise *.png -o clean/\n"
        "  sbdl denoise noisy.wav -o clean.wav\n"
        "  sbdl denoise ecg.csv --column mV -o clean.csv --std std.csv\n"
        "  sbdl denoise large.tif -o clean.tif --checkpoint run.checkpoint\n"
        "  sbdl denoise --resume run.checkpoint");
    add_options(app, a);
    resume.add_to(app);
    set_apart(app, {"--checkpoint-every"});
    if (const auto status = begin_or_resume(app, resume, words, {"IN", "--output"}, a, resumed, run_denoise))
        return *status;

    a.fields.read_into(option_refs(a.options));
    a.fields.read_into(option_refs(a.stack));
    a.fields.read_into(option_refs(a.signal));
    check_method(a.options.method);
    check_ignored(app, a);
    validate(a.options);
    std::optional<Model> model;
    if (!a.model.empty()) {
        a.options.model = &model.emplace(load_model(a.model));
        if (!a.fields.given("patch") && model->patch.height > 0)
            a.options.patch = static_cast<int>(model->patch.height);
    }
    a.options.std = !a.std.empty() || !a.report.empty();
    if (a.inputs.size() > 1) check_several(app);
    Pipes pipes;
    take_pipes(pipes, a);
    std::error_code ignored;  // a bad name is rejected as an output
    const bool into_folder = a.inputs.size() > 1 || !a.target.has_filename() || fs::is_directory(a.target, ignored);
    std::optional<MadeFolder> folder;
    if (into_folder) folder.emplace(a.target, a.inputs.size() > 1);
    const std::vector<std::unique_ptr<FileTask>> tasks = tasks_of(app, a, into_folder);

    const auto start = std::chrono::steady_clock::now();
    std::vector<DenoisedFile> files;
    try {
        files = run_tasks(a, tasks);
    } catch (const Stopped&) {
        if (fs::exists(a.context.checkpoint.path, ignored)) say_what_is_left(resume_text(a.context.checkpoint.path));
        throw;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    pipes.finish();
    if (!print_files(a, files, seconds.count())) return signal_status();
    return std::ranges::all_of(files, [](const DenoisedFile& file) { return file.errors.empty(); }) ? done : failed;
}

}  // namespace

int run_denoise(int count, char** argument_list) {
    return run_denoise(std::vector<std::string>(argument_list, argument_list + count), nullptr);
}

}  // namespace sbdl::app
