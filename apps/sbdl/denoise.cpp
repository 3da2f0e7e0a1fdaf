// sbdl denoise: a noisy image in, a clean one out. Everything that can be wrong is looked for before the work starts.
#include "sbdl/denoise.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common.hpp"
#include "interrupt.hpp"
#include "program_text.hpp"
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
    fs::path noisy, clean, truth, deviation, model, save_model, report;
    std::string recipe = "best";
    std::string keep_noisy = "0";
    std::string command;
    DenoiseOptions options;
    Context context;
    Output output;
};

struct Quality {
    double psnr = 0.0;
    double ssim = 0.0;
};

/// Shares of the pixels that are within one and two of their standard deviations of the truth.
struct Calibration {
    double within_1 = 0.0;
    double within_2 = 0.0;
};

/// Against the truth, where somebody has it.
struct Judgement {
    Quality before, after;
    std::optional<Calibration> deviation;
};

void add_options(CLI::App& app, Arguments& a) {
    app.add_option("IN", a.noisy, "Noisy image: PNG, JPEG, TIFF, PGM/PPM or .npy")->required()->type_name("FILE");
    app.add_option("-o,--output", a.clean, "Clean image; its ending says the format")->required()->type_name("FILE");
    app.add_option("--recipe", a.recipe, "The best we know, or the paper's way")
        ->check(CLI::IsMember({"best", "paper"}).description(""))
        ->capture_default_str()
        ->type_name("best|paper");
    app.add_option(
           "--method", a.options.method,
           fmt::format("How to learn the dictionary: {}; auto is online, and dct in images too small to learn from",
                       fmt::join(denoise_methods(), ", ")))
        ->capture_default_str()
        ->type_name("NAME");
    app.add_option("--sigma", a.options.sigma, "Noise standard deviation, if you know it; otherwise it is inferred")
        ->check(real_number())
        ->type_name("SD");
    app.add_option("--tolerance", a.options.tolerance,
                   "With --recipe paper: how large the pursuit leaves a patch's error, in units of the noise")
        ->check(real_number())
        ->capture_default_str()
        ->type_name("X");
    app.add_option("--keep-noisy", a.keep_noisy,
                   "With --recipe paper: the noisy image's weight where the patches are averaged, each of which has "
                   "1; auto: 30 over the noise of an image of 0 to 255")
        ->capture_default_str()
        ->type_name("WEIGHT|auto");
    app.add_option("--lambda", a.options.lambda,
                   "Methods apru and majorization: weight of the codes, on the scale of the file; else it follows from "
                   "the noise")
        ->check(real_number())
        ->type_name("X");
    app.add_option("--lambda-s", a.options.lambda_s, "Method apru: their weight while patches are coded")
        ->check(real_number())
        ->type_name("X");
    app.add_option("--clean", a.truth,
                   "The true image: print PSNR and SSIM before and after; with --std or --report also how right the "
                   "standard deviation is")
        ->type_name("TRUTH");
    app.add_option("--std", a.deviation, "Also write the standard deviation of every pixel (.tif, .npy)")
        ->type_name("FILE");
    app.add_option("--report", a.report, "Also write a page about the run")->type_name("PAGE.html");
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());  // the library knows better ones
    app.add_option("--patch", a.options.patch, "Pixels on the side of a patch")
        ->check(whole_number(0, most))
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--atoms", a.options.atoms, "Atoms of the dictionary")
        ->check(whole_number(0, most))
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--stride", a.options.stride, "Learn from patches this far apart; 0: 2, and 1 in small images")
        ->check(whole_number(0, most))
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--max-patches", a.options.max_patches, "Learn from at most so many patches; 0: 32768")
        ->check(whole_number())
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--sweeps", a.options.sweeps, "Sweeps of the learner; 0: as many as the image needs")
        ->check(whole_number(0, most))
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--model", a.model, "Use the dictionary of this model instead of learning one")
        ->type_name("MODEL.h5");
    app.add_option("--save-model", a.save_model, "Also write what was learned")->type_name("MODEL.h5");
    add_threads(app, a.context.threads);
    add_seed(app, a.context.seed);
    a.output.add_to(app);
}

std::optional<double> noisy_weight(const std::string& text) {
    if (text == "auto") return std::nullopt;
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || *end != '\0')
        throw InputError(fmt::format("--keep-noisy is '{}', must be a number or auto", text));
    return value;
}

// What was said and would not be heard.
void check_together(const CLI::App& app, const Arguments& a) {
    if (!a.model.empty())
        for (const char* option :
             {"--method", "--atoms", "--stride", "--max-patches", "--sweeps", "--lambda", "--lambda-s"})
            if (app.count(option) > 0)
                throw InputError(fmt::format("{} is about learning, and with --model nothing is learned", option));
    if (a.recipe != "paper" && app.count("--tolerance") > 0)
        throw InputError("--tolerance is for --recipe paper: the recipe best has its own for each of its passes");
    if (a.recipe != "paper" && app.count("--keep-noisy") > 0)
        throw InputError("--keep-noisy is for --recipe paper: the recipe best does not average patches in this way");
}

void check_outputs(const Arguments& a, const Image& noisy) {
    std::vector<fs::path> inputs{a.noisy};
    for (const fs::path& input : {a.truth, a.model})
        if (!input.empty()) inputs.push_back(input);
    check_output(a.clean, {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".pgm", ".ppm", ".pnm", ".npy"}, inputs);
    check_image_output(a.clean, noisy);
    if (!a.deviation.empty()) {
        check_output(a.deviation, {".tif", ".tiff", ".npy"}, inputs);
        Image like;  // as many planes of floats, of any size
        like.planes.assign(noisy.planes.size(), Matrix(1, 1));
        like.samples = Samples::f32;
        check_image_output(a.deviation, like);
    }
    if (!a.save_model.empty()) check_output(a.save_model, {".h5", ".hdf5"}, inputs);
    if (!a.report.empty()) check_output(a.report, {".html", ".htm"}, inputs);
    check_apart({a.clean, a.deviation, a.save_model, a.report});
}

// What a run holds at once: the image, its planes, sums and weights, and the patches it learns from.
void check_memory(const Arguments& a, const Image& noisy) {
    const double pixels = double(noisy.height()) * double(noisy.width());
    require_memory(pixels * (a.options.deviation ? 14.0 : 10.0) + 65536.0 * (a.options.atoms + 64.0),
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
            fmt::format("{}: has {:.0f} for white and the noisy image {:.0f}: make them alike to compare them",
                        path.string(), peak_of(truth), peak_of(noisy)));
    return truth;
}

Quality judge(const Image& truth, const Image& image) {
    const double peak = peak_of(truth);
    const bool large = truth.height() >= 11 && truth.width() >= 11;
    return {psnr(truth, image, peak), large ? ssim(truth, image, peak) : std::numeric_limits<double>::quiet_NaN()};
}

Judgement judge(const Image& truth, const Image& noisy, const DenoiseResult& result) {
    Judgement judgement{judge(truth, noisy), judge(truth, result.image), {}};
    if (!result.deviation.planes.empty() && !result.unchanged)
        judgement.deviation = {share_within(truth, result.image, result.deviation, 1.0),
                               share_within(truth, result.image, result.deviation, 2.0)};
    return judgement;
}

// Stages that are not sweeps of a learner, shown like them.
class StageProgress {
public:
    explicit StageProgress(bool quiet) : quiet_(quiet), start_(std::chrono::steady_clock::now()) {}
    ~StageProgress() { end(); }
    StageProgress(const StageProgress&) = delete;
    StageProgress& operator=(const StageProgress&) = delete;

    void show(std::string_view stage, double share) {
        if (quiet_) return;
        const std::lock_guard lock(mutex_);
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
    std::mutex mutex_;
    std::string stage_;
    std::optional<ProgressMeter> meter_;
    std::chrono::steady_clock::time_point start_;
};

// A line of plain words about what was found.
std::string finding(const DenoiseResult& result) {
    if (result.unchanged) return "no noise found; the image is left as it is";
    if (result.only_noise) return "hardly anything but noise found";
    return "";
}

std::string method_used(const Arguments& a, const DenoiseResult& result) {
    if (!a.model.empty()) return "model";
    return result.unchanged ? a.options.method : result.model.method;
}

void tell(const Arguments& a, const DenoiseResult& result, const std::optional<Judgement>& judged, double seconds) {
    ordered_json told = {{"image", a.clean.string()},
                         {"recipe", a.recipe},
                         {"method", method_used(a, result)},
                         {"noise_sd", result.noise_sd},
                         {"noise_told", result.noise_told},
                         {"plane_noise", result.plane_noise},
                         {"unchanged", result.unchanged},
                         {"only_noise", result.only_noise},
                         {"empty_share", result.empty_share},
                         {"training_patches", result.training_patches},
                         {"seed", a.context.seed},
                         {"seconds", seconds}};
    if (a.options.recipe == Recipe::paper) {
        told["tolerance"] = a.options.tolerance;
        told["keep_noisy"] = a.keep_noisy;
    }
    for (const StageTime& stage : result.stages) {
        ordered_json& sum = told["stage_seconds"][stage.stage];
        sum = (sum.is_null() ? 0.0 : sum.get<double>()) + stage.seconds;
    }
    std::string text =
        fmt::format("noise       {:.4g} ({})\n", result.noise_sd, result.noise_told ? "told" : "inferred");
    if (judged) {
        const auto& [before, after, deviation] = *judged;
        told["psnr_before"] = before.psnr;
        told["psnr_after"] = after.psnr;
        told["ssim_before"] = before.ssim;
        told["ssim_after"] = after.ssim;
        text += fmt::format("psnr        {:.2f} dB, was {:.2f}\nssim        {}, was {}\n", after.psnr, before.psnr,
                            number_text(after.ssim), number_text(before.ssim));
        if (deviation) {
            told["within_1_std"] = deviation->within_1;
            told["within_2_std"] = deviation->within_2;
            text += fmt::format("std         {:.1f} % of the pixels are within 1 of it, {:.1f} % within 2\n",
                                100.0 * deviation->within_1, 100.0 * deviation->within_2);
        }
    }
    if (!a.deviation.empty()) told["std"] = a.deviation.string();
    const bool has_model = !result.unchanged;
    if (!a.save_model.empty() && has_model) told["model"] = a.save_model.string();
    if (!a.report.empty() && has_model) told["report"] = a.report.string();
    if (const std::string found = finding(result); !found.empty()) text += fmt::format("found       {}\n", found);
    if (!has_model && (!a.save_model.empty() || !a.report.empty()))
        text += "note        nothing was learned, so there is no model and no report\n";
    text += fmt::format("seconds     {:.2f}\nfile        {}\n", seconds, a.clean.string());
    a.output.print_json(told);
    a.output.say(text);
}

void write_results(const Arguments& a, const Image& noisy, const std::optional<Image>& truth,
                   const DenoiseResult& result) {
    const WritingFiles writing;
    write_image(a.clean, result.image);
    if (!a.deviation.empty()) write_image(a.deviation, result.deviation);
    if (result.unchanged) return;
    if (!a.save_model.empty()) save_model(result.model, a.save_model);
    if (!a.report.empty())
        write_report(a.report, {.model = &result.model,
                                .title = a.noisy.filename().string(),
                                .command = a.command,
                                .before = &noisy,
                                .after = &result.image,
                                .deviation = result.deviation.planes.empty() ? nullptr : &result.deviation,
                                .truth = truth ? &*truth : nullptr,
                                .noise_sd = result.noise_sd,
                                .program = program_text()});
}

}  // namespace

int run_denoise(int count, char** argument_list) {
    Arguments a;
    a.command = command_line(count, argument_list);
    CLI::App app("Take the noise out of an image. Nothing has to be set: the noise is inferred.", "sbdl denoise");
    app.footer(
        "Ctrl-C ends the learning and makes the image with what was learnt so far.\n\n"
        "Example:\n  sbdl denoise noisy.png -o clean.png --report clean.html\n"
        "  sbdl denoise noisy.tif -o clean.tif --std std.tif --clean truth.png --json");
    add_options(app, a);
    if (!parse(app, count, argument_list)) return done;

    check_together(app, a);
    a.options.keep_noisy = noisy_weight(a.keep_noisy);
    const Image noisy = read_image(a.noisy);
    check_outputs(a, noisy);
    std::optional<Model> model;
    if (!a.model.empty()) {
        a.options.model = &model.emplace(load_model(a.model));
        if (app.count("--patch") == 0 && model->patch.height > 0)
            a.options.patch = static_cast<int>(model->patch.height);
    }
    a.options.recipe = a.recipe == "paper" ? Recipe::paper : Recipe::best;
    a.options.deviation = !a.deviation.empty() || !a.report.empty();
    check_memory(a, noisy);
    std::optional<Image> truth;
    if (!a.truth.empty()) truth = read_truth(a.truth, noisy);

    const bool quiet = a.output.quiet;
    const std::atomic<bool>& stop =
        catch_interrupts(quiet ? nullptr : "\nending the learning, then making the image; again to end now\n");
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
    if (a.model.empty()) {  // one that there was has its own
        result.model.program_version = program_text();
        result.model.command = a.command;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    write_results(a, noisy, truth, result);
    std::optional<Judgement> judged;
    if (truth) judged = judge(*truth, noisy, result);
    tell(a, result, judged, seconds.count());
    return stop.load() ? interrupted : done;
}

}  // namespace sbdl::app
