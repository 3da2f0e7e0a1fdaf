// sbdl reproduce: the experiments of the paper, beside the printed numbers.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/nearest_word.hpp"
#include "common.hpp"
#include "field_options.hpp"
#include "interrupt.hpp"
#include "program_text.hpp"
#include "reproduce.hpp"
#include "sbdl/error.hpp"
#include "sbdl/observers.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

// --- progress

/// Leaves out the trials of earlier runs; otherwise the time left would be wrong.
class TrialMeter {
public:
    TrialMeter() : meter_(std::cerr, progress_on_terminal()) {}

    void show(int done, int planned, const std::string& text) {
        if (!started_) {
            found_ = done - 1;
            meter_.start(std::size_t(planned - found_));
            started_ = true;
        }
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        meter_.show(std::size_t(done - found_), seconds, text);
    }
    void finish() {
        if (started_) meter_.finish();
    }

private:
    ProgressMeter meter_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    int found_ = 0;
    bool started_ = false;
};

template <class Task>
std::string name_in_progress(const Task& task) {
    return fmt::format("{} {} trial {}", task.row, to_string(task.cell), task.trial + 1);
}

void show_progress(Table1Hooks& hooks, TrialMeter& meter) {
    hooks.progress = [&meter](const Table1Progress& p) {
        meter.show(p.done, p.planned, fmt::format("{}: {:.0f} %", name_in_progress(p.task), p.score.nearest_percent));
    };
}

void show_progress(Table2Hooks& hooks, TrialMeter& meter) {
    hooks.progress = [&meter](const Table2Progress& p) {
        meter.show(p.done, p.planned, fmt::format("{}: {:.2f} dB", name_in_progress(p.task), p.score.psnr));
    };
}

void show_progress(CalibrationHooks& hooks, TrialMeter& meter) {
    hooks.progress = [&meter](const CalibrationProgress& p) {
        meter.show(p.done, p.planned,
                   fmt::format("{}: {:.0f} %, noise {:.3f} of the true one", name_in_progress(p.task),
                               p.score.nearest_percent, p.score.noise_ratio));
    };
    hooks.image_progress = [&meter](const ImageCalibrationProgress& p) {
        meter.show(p.done, p.planned,
                   fmt::format("{} {}: {:.0f} % of the pixels in 95 % intervals", p.task.row, to_string(p.task.cell),
                               p.score.pixels.percent.back()));
    };
}

void show_progress(DenoisingHooks& hooks, TrialMeter& meter) {
    hooks.progress = [&meter](const DenoisingProgress& p) {
        meter.show(p.done, p.planned, fmt::format("{}: {:.2f} dB", name_in_progress(p.task), p.score.psnr));
    };
}

void show_progress(InpaintingHooks& hooks, TrialMeter& meter) {
    hooks.progress = [&meter](const InpaintingProgress& p) {
        meter.show(p.done, p.planned, fmt::format("{}: {:.2f} dB", name_in_progress(p.task), p.score.psnr));
    };
}

void show_progress(ConvergenceHooks& hooks, TrialMeter& meter) {
    hooks.progress = [&meter](const std::string& row, int finished, int planned) {
        meter.show(finished, planned, row);
    };
}

// The exit status; says how to resume when trials are left.
int status_of(const TableSummary& summary) {
    if (summary.trials_left == 0) return done;
    say_what_is_left("run the same command again to resume");
    return signal_status();
}

int status_of(const ConvergenceSummary& summary) {
    if (!summary.stopped) return done;
    say_what_is_left(
        fmt::format("{}; the same command begins anew",
                    summary.curves.empty() ? "nothing is written" : "the files hold the methods that were finished"));
    return signal_status();
}

// --- the experiments

/// Runs one with its progress shown, until it is finished or interrupted, and prints its results.
template <class Options, class Hooks, class Summary>
int reproduce(const Output& output, const Options& options, Summary (*run)(const Options&, const Hooks&)) {
    const GentleStop gentle(output.quiet ? nullptr : "\nstopping; press Ctrl-C again to quit now\n");
    TrialMeter meter;
    Hooks hooks;
    hooks.stop = [] { return learning_ends().load(); };
    if (!output.quiet) show_progress(hooks, meter);
    const Summary summary = run(options, hooks);
    meter.finish();

    output.print_json(result_json(summary));
    output.say(result_text(summary));
    return status_of(summary);
}

struct ReproduceArguments : TableOptions {
    std::optional<int> trials_given;  // no value: the default of the table
    Output output;
    // Experiments with images.
    std::filesystem::path images;
    std::vector<int> sigmas;
    std::vector<double> observed;  // inpainting only
    std::string figures;           // Table II only
    FieldOptions denoise;          // denoising only

    /// Fills in the options that all runs with trials have.
    void fill(TableOptions& options) const {
        const int usual = options.trials;
        options = static_cast<const TableOptions&>(*this);
        options.trials = trials_given.value_or(usual);
    }

    /// The same for runs on the images of a folder, which must be given.
    template <class Options>
    void fill_images(Options& options, std::string_view experiment) const {
        fill(options);
        if (images.empty()) throw InputError(fmt::format("{} needs --images, the folder of the images", experiment));
        options.images = images;
        if (!sigmas.empty()) options.sigmas = sigmas;
    }
};

/// The options of sbdl denoise that denoising takes: all but those that tell what the noise is. (--sigma is what is
/// added.)
std::vector<OptionRef> denoising_refs(DenoiseOptions& options) {
    std::vector<OptionRef> refs = option_refs(options);
    constexpr std::array tell{"sigma", "gain", "read_noise", "offset"};
    std::erase_if(refs,
                  [&](const OptionRef& ref) { return std::find(tell.begin(), tell.end(), ref.name) != tell.end(); });
    return refs;
}

int reproduce_table1(const ReproduceArguments& arguments) {
    Table1Options options;
    arguments.fill(options);
    return reproduce(arguments.output, options, run_table1);
}

int reproduce_table2(const ReproduceArguments& arguments) {
    Table2Options options;
    arguments.fill_images(options, "table2");
    options.figures = arguments.figures;
    return reproduce(arguments.output, options, run_table2);
}

int reproduce_calibration(const ReproduceArguments& arguments) {
    CalibrationOptions options;
    arguments.fill(options);
    // Selecting cells or images runs only that part.
    const bool cells = !arguments.cells.empty(), images = !arguments.images.empty() || !arguments.sigmas.empty();
    options.with_cells = cells || !images;
    options.with_images = images || !cells;
    options.images.folder = arguments.images;
    if (!arguments.sigmas.empty()) options.images.sigmas = arguments.sigmas;
    if (arguments.trials_given && !options.with_cells)
        throw InputError("--trials applies to the cells of calibration; every image has one noise for each sigma");
    return reproduce(arguments.output, options, run_calibration);
}

int reproduce_denoising(const ReproduceArguments& arguments) {
    DenoisingOptions options;
    arguments.fill_images(options, "denoising");
    arguments.denoise.read_into(denoising_refs(options.denoise));
    return reproduce(arguments.output, options, run_denoising);
}

int reproduce_inpainting(const ReproduceArguments& arguments) {
    InpaintingOptions options;
    arguments.fill(options);
    if (arguments.images.empty()) throw InputError("inpainting needs --images, the folder of the images");
    options.images = arguments.images;
    if (!arguments.observed.empty()) options.observed = arguments.observed;
    return reproduce(arguments.output, options, run_inpainting);
}

int reproduce_convergence(const ReproduceArguments& arguments) {
    ConvergenceOptions options;
    static_cast<RunOrigin&>(options) = static_cast<const RunOrigin&>(arguments);
    if (!arguments.cells.empty()) {
        const std::vector<Table1Cell> cells = select_table1_cells(arguments.cells);
        if (cells.size() != 1)
            throw InputError(fmt::format("convergence uses one cell of table1; --cells selects {}", cells.size()));
        options.cell = cells.front();
    }
    options.rows = arguments.rows;
    options.seed = arguments.seed;
    options.out_dir = arguments.out_dir;
    return reproduce(arguments.output, options, run_convergence);
}

// --- the arguments

struct Experiment {
    std::string_view name;
    int (*run)(const ReproduceArguments& arguments);
};
constexpr std::array experiments{
    Experiment{"table1", reproduce_table1},           Experiment{"table2", reproduce_table2},
    Experiment{"calibration", reproduce_calibration}, Experiment{"convergence", reproduce_convergence},
    Experiment{"denoising", reproduce_denoising},     Experiment{"inpainting", reproduce_inpainting}};

/// An option that only some of the experiments have.
struct PartialOption {
    const char* name;
    std::vector<std::string_view> experiments;
};
const std::vector<PartialOption>& partial_options() {
    static const std::vector<PartialOption> options{
        {"--trials", {"table1", "table2", "calibration", "denoising", "inpainting"}},
        {"--cells", {"table1", "table2", "calibration", "convergence"}},
        {"--images", {"table2", "calibration", "denoising", "inpainting"}},
        {"--sigma", {"table2", "calibration", "denoising"}},
        {"--observed", {"inpainting"}},
        {"--figures", {"table2"}},
        {"--threads", {"table1", "table2", "calibration", "denoising", "inpainting"}}};
    return options;
}

const Experiment& experiment_named(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Experiment& experiment : experiments) {
        if (experiment.name == name) return experiment;
        names.push_back(experiment.name);
    }
    throw InputError(fmt::format("'{}' is not an experiment; there are: {}{}", name, fmt::join(names, ", "),
                                 did_you_mean(name, names)));
}

void check_partial_options(const CLI::App& app, const ReproduceArguments& a, std::string_view experiment) {
    for (const auto& [name, those] : partial_options())
        if (app.count(name) > 0 && std::find(those.begin(), those.end(), experiment) == those.end())
            throw InputError(
                fmt::format("{} does not apply to {}, only to {}", name, experiment, fmt::join(those, ", ")));
    if (experiment == "denoising") return;
    DenoiseOptions options;
    for (const OptionRef& option : denoising_refs(options))
        if (a.denoise.given(option.name))
            throw InputError(
                fmt::format("{} does not apply to {}, only to denoising", FieldOptions::flag(option.name), experiment));
}

std::string machine_text() {
    std::string processor = "unknown processor";
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            processor = line.substr(colon + 2);
            break;
        }
    }
    return fmt::format("{}, {} threads", processor, std::thread::hardware_concurrency());
}

void add_options(CLI::App& app, std::string& table, ReproduceArguments& a) {
    app.add_option("TABLE", table,
                   "Which experiment: table1 (recovery of known dictionaries), table2 (image denoising), calibration "
                   "(how often the truth is in the posterior's intervals, on the data of table1 and on images), "
                   "convergence (atoms found against seconds, on one data set of table1), denoising (any images, "
                   "with the options of sbdl denoise), inpainting (any images; some pixels are left out and filled in)")
        ->required()
        ->type_name("NAME");
    app.add_option("-o,--output", a.out_dir, "Folder of the run; created if it does not exist")
        ->required()
        ->type_name("DIR");
    app.add_option("--trials,--seeds", a.trials_given,
                   "Trials per cell: data sets, noises in table2 and denoising, or masks in inpainting [table1 50, "
                   "table2 and denoising 3, calibration 20, inpainting 1]")
        ->check(whole_number(1, 1000000))
        ->type_name("N");
    app.add_option("--cells", a.cells, "Only these cells; convergence takes one [1000/20/3]")->type_name("CELL");
    const auto rows = [](const std::vector<std::string>& usual, std::vector<std::string> all) {
        std::erase_if(
            all, [&](const std::string& row) { return std::find(usual.begin(), usual.end(), row) != usual.end(); });
        return fmt::format("{}{}{}", fmt::join(usual, ", "), all.empty() ? "" : "; only by name ",
                           fmt::join(all, ", "));
    };
    app.add_option("--methods", a.rows,
                   fmt::format("Only these rows. table1 and convergence have {}. table2 has {}. calibration has {}. "
                               "denoising has {} [denoising: auto]. inpainting has {}.",
                               rows(select_table1_rows({}), table1_rows()), rows(select_table2_rows({}), table2_rows()),
                               rows(select_calibration_rows({}), calibration_rows()),
                               fmt::join(denoise_methods(), ", "), rows(select_inpainting_rows({}), inpainting_rows())))
        ->type_name("NAME");
    app.add_option(
           "--images", a.images,
           "table2, calibration, denoising and inpainting: folder of images, to which noise is added, or of which "
           "pixels are left out; table2 and calibration need grey ones with 8 bits [calibration: painted ones]")
        ->type_name("DIR");
    app.add_option("--sigma,--sigmas", a.sigmas,
                   "table2, calibration and denoising: standard deviations of the noise, where white is 255 [15 25 50]")
        ->type_name("SIGMA");
    app.add_option("--observed", a.observed,
                   "inpainting: shares of the samples that are observed [0.1 0.2 0.3 0.5 0.8]")
        ->type_name("SHARE");
    app.add_option("--figures", a.figures, "table2: cell that the two figures show [cameraman/25/2 or the first]")
        ->type_name("CELL");
    add_threads(app, a.threads);
    add_seed(app, a.seed);
    a.output.add_to(app);
    DenoiseOptions defaults;
    const std::vector<CLI::Option*> of_all = app.get_options();
    a.denoise.describe("denoising", denoising_refs(defaults));
    a.denoise.add_to(app);
    for (CLI::Option* option : app.get_options())
        if (std::find(of_all.begin(), of_all.end(), option) == of_all.end())
            option->group("Options of denoising, as of sbdl denoise");
}

}  // namespace

int run_reproduce(int count, char** argument_list) {
    std::string table;
    ReproduceArguments a;
    CLI::App app(
        "Reproduce an experiment of the paper, or measure the denoising of images of your own. An interrupted run "
        "continues where it stopped; rows, cells, images and trials can be added later. Writes trials.csv (one line "
        "per trial), tables as .csv and .md, and figures. (convergence does not resume.)",
        "sbdl reproduce");
    app.footer(
        "Cells of table1 and calibration are L/SNR/K as in 1000/10/3 or '*/20/3:6', or name what they fix, as in "
        "snr=20,K=3; cells of table2 are image/sigma/r as in cameraman/25/2 or '*/25/*', or as in sigma=25,r=2.\n"
        "calibration has cells and images; with --cells alone only cells run, with --images or --sigma only images.\n\n"
        "Example:\n  sbdl reproduce table1 -o table1 --trials 50\n"
        "  sbdl reproduce table1 -o table1 --trials 5 --cells '1000/*/3' --methods gibbs vb\n"
        "  sbdl reproduce table2 --images images -o table2 --sigma 25 --methods gibbs gibbs-paper\n"
        "  sbdl reproduce calibration -o calibration --cells snr=20\n"
        "  sbdl reproduce calibration -o calibration --images images --sigma 25\n"
        "  sbdl reproduce convergence -o convergence\n"
        "  sbdl reproduce denoising --images photos -o denoising --sigmas 15 25 50 --trials 3\n"
        "  sbdl reproduce inpainting --images photos -o inpainting --observed 0.2 0.5 0.8 --seeds 3");
    add_options(app, table, a);
    if (!parse(app, count, argument_list)) return done;

    static_cast<RunOrigin&>(a) = {.program = program_text(),
                                  .command = command_line(count, argument_list),
                                  .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))),
                                  .machine = machine_text()};
    const Experiment& experiment = experiment_named(table);
    check_partial_options(app, a, experiment.name);
    return experiment.run(a);
}

}  // namespace sbdl::app
