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

#include "common.hpp"
#include "experiments/calibration/calibration.hpp"
#include "experiments/convergence/convergence.hpp"
#include "experiments/table1/table1.hpp"
#include "experiments/table2/table2.hpp"
#include "interrupt.hpp"
#include "program_text.hpp"
#include "sbdl/error.hpp"
#include "sbdl/observers.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

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

void show_progress(ConvergenceHooks& hooks, TrialMeter& meter) {
    hooks.progress = [&meter](const std::string& row, int finished, int planned) {
        meter.show(finished, planned, row);
    };
}

// --- results for programs

template <class Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}

Json psnr_or_null(const std::optional<Table2Reference>& reference) {
    return reference ? Json(reference->psnr) : Json();
}

Json table_json(const TableSummary& summary) {
    return {{"trials_run", summary.trials_run},        {"trials_reused", summary.trials_reused},
            {"trials_left", summary.trials_left},      {"trials_csv", summary.trials_csv.string()},
            {"table_csv", summary.table_csv.string()}, {"table_md", summary.table_md.string()}};
}

Json as_json(const Table1Summary& summary) {
    constexpr std::array verdicts{"none", "met", "within_grace", "missed"};
    Json entries = Json::array();
    for (const Table1Entry& entry : summary.entries)
        entries.push_back({{"method", entry.row},
                           {"cell", to_string(entry.cell)},
                           {"trials", entry.trials},
                           {"nearest_percent", entry.nearest_percent.mean},
                           {"nearest_percent_se", entry.nearest_percent.spread},
                           {"assigned_percent", entry.assigned_percent.mean},
                           {"assigned_percent_se", entry.assigned_percent.spread},
                           {"noise_ratio", entry.noise_ratio.mean},
                           {"noise_ratio_sd", entry.noise_ratio.spread},
                           {"seconds", entry.seconds},
                           {"settled_percent", or_null(entry.settled_percent)},
                           {"paper_percent", or_null(entry.paper_percent)},
                           {"paper_best_percent", entry.paper_best_percent},
                           {"target_percent", or_null(entry.target_percent)},
                           {"verdict", verdicts[static_cast<std::size_t>(entry.verdict)]}});
    Json json = table_json(summary);
    json["table_svg"] = summary.table_svg.string();
    json["entries"] = std::move(entries);
    return json;
}

Json as_json(const Table2Summary& summary) {
    Json entries = Json::array();
    for (const Table2Entry& entry : summary.entries)
        entries.push_back({{"method", entry.row},
                           {"given_sigma", entry.given_sigma},
                           {"cell", to_string(entry.cell)},
                           {"trials", entry.trials},
                           {"psnr_noisy", entry.psnr_noisy.mean},
                           {"psnr", entry.psnr.mean},
                           {"psnr_se", entry.psnr.spread},
                           {"ssim", entry.ssim.mean},
                           {"ssim_se", entry.ssim.spread},
                           {"noise_ratio", entry.noise_ratio.mean},
                           {"noise_ratio_sd", entry.noise_ratio.spread},
                           {"seconds", entry.seconds},
                           {"paper_psnr", psnr_or_null(entry.paper)},
                           {"best_peer_psnr", psnr_or_null(entry.best_peer)},
                           {"bm3d_psnr", psnr_or_null(entry.bm3d)}});
    Json json = table_json(summary);
    json["figure_images"] = summary.figure_images.string();
    json["figure_dictionaries"] = summary.figure_dictionaries.string();
    json["entries"] = std::move(entries);
    return json;
}

Json as_json(const Coverage& coverage) {
    Json json{{"values", coverage.values}};
    for (std::size_t i = 0; i < coverage.percent.size(); ++i)
        json[fmt::format("percent_in_{}", Coverage::levels[i])] =
            coverage.values > 0 ? Json(coverage.percent[i]) : Json();
    return json;
}

Json as_json(const CalibrationSummary& summary) {
    Json entries = Json::array();
    for (const CalibrationEntry& entry : summary.entries) {
        entries.push_back({{"method", entry.row},
                           {"cell", to_string(entry.cell)},
                           {"trials", entry.trials},
                           {"nearest_percent", entry.nearest_percent.mean},
                           {"nearest_percent_se", entry.nearest_percent.spread},
                           {"noise_ratio", entry.noise_ratio.mean},
                           {"noise_ratio_sd", entry.noise_ratio.spread},
                           {"noise_ratio_worst", entry.worst_noise_ratio},
                           {"settled_percent", entry.settled_percent},
                           {"rhat", entry.rhat},
                           {"ess", entry.ess},
                           {"seconds", entry.seconds}});
        for (const auto& [name, member] : calibration::coverages<CalibrationEntry>)
            entries.back()[std::string(name)] = as_json(entry.*member);
    }
    Json images = Json::array();
    for (const ImageCalibrationEntry& entry : summary.image_entries)
        images.push_back({{"method", entry.row},
                          {"samples", to_string(entry.samples)},
                          {"sigma", entry.sigma},
                          {"images", entry.images},
                          {"noise_ratio", entry.noise_ratio.mean},
                          {"noise_ratio_sd", entry.noise_ratio.spread},
                          {"std_over_error", entry.std_over_error},
                          {"seconds", entry.seconds},
                          {"pixels", as_json(entry.pixels)}});
    Json json = table_json(summary);
    json["images_csv"] = summary.images_csv.string();
    json["entries"] = std::move(entries);
    json["images"] = std::move(images);
    return json;
}

Json as_json(const ConvergenceSummary& summary) {
    Json curves = Json::array();
    for (const ConvergenceCurve& curve : summary.curves)
        curves.push_back({{"method", curve.row},
                          {"seconds_to_50", or_null(curve.seconds_to(50.0))},
                          {"seconds_to_90", or_null(curve.seconds_to(90.0))},
                          {"seconds_to_95", or_null(curve.seconds_to(95.0))},
                          {"nearest_percent", curve.points.back().nearest_percent},
                          {"seconds", curve.points.back().seconds},
                          {"sweeps", curve.points.back().sweep}});
    return {{"csv", summary.csv.string()},
            {"md", summary.md.string()},
            {"svg", summary.svg.string()},
            {"stopped", summary.stopped},
            {"methods", curves}};
}

// --- results for people

std::string files_text(int label_width, std::initializer_list<std::filesystem::path> files) {
    std::string text;
    for (const auto& file : files)
        if (!file.empty()) text += fmt::format("{:{}} {}\n", text.empty() ? "files" : "", label_width, file.string());
    return text;
}

std::string trials_text(const TableSummary& summary) {
    return fmt::format("trials      {} run, {} finished before, {} left\n", summary.trials_run, summary.trials_reused,
                       summary.trials_left);
}

std::string summary_text(const Table1Summary& summary) {
    std::string text = trials_text(summary);
    for (const std::string& row : table1_rows()) {
        const int met = summary.count(row, Table1Verdict::met);
        const int near = summary.count(row, Table1Verdict::within_grace);
        const int missed = summary.count(row, Table1Verdict::missed);
        if (met + near + missed == 0) continue;
        text +=
            fmt::format("{:11} target met in {} cells, missed by at most two standard errors in {}, by more in {}\n",
                        row, met, near, missed);
    }
    return text + files_text(11, {summary.table_md, summary.table_csv, summary.table_svg});
}

std::string summary_text(const Table2Summary& summary) {
    std::string text = trials_text(summary);
    for (const Table2Entry& entry : summary.entries)
        text += fmt::format("{:11} {:24} {:6.2f} dB, was {:.2f}; noise {:.3f} of the true one{}\n", entry.row,
                            to_string(entry.cell), entry.psnr.mean, entry.psnr_noisy.mean, entry.noise_ratio.mean,
                            entry.given_sigma ? " (given)" : "");
    return text +
           files_text(11, {summary.table_md, summary.table_csv, summary.figure_images, summary.figure_dictionaries});
}

std::string summary_text(const CalibrationSummary& summary) {
    std::string text = trials_text(summary);
    for (const std::string& row : calibration_rows()) {
        const auto near = [&](Coverage CalibrationEntry::*member) {
            return calibration::judge(summary.entries, row, member).near_everywhere;
        };
        const int cells = calibration::judge(summary.entries, row, &CalibrationEntry::noise).cells;
        if (cells == 0) continue;
        text += fmt::format(
            "{:11} {} cells with recovery above {:.0f} %; coverage within {:.0f} points at all levels: noise in {}, "
            "atoms in {}, codes in {}, reconstructed signals in {}\n",
            row, cells, calibration::high_recovery_percent, calibration::tolerance_points,
            near(&CalibrationEntry::noise), near(&CalibrationEntry::atoms), near(&CalibrationEntry::codes),
            near(&CalibrationEntry::reconstruction));
    }
    for (const ImageCalibrationEntry& entry : summary.image_entries)
        text +=
            fmt::format("{:11} sigma {}, {}: {} % of the pixels in {} intervals\n", entry.row, entry.sigma,
                        to_string(entry.samples), calibration::percents_text(entry.pixels), calibration::levels_text());
    return text + files_text(11, {summary.table_md, summary.table_csv, summary.images_csv});
}

std::string summary_text(const ConvergenceSummary& summary) {
    std::string text;
    for (const ConvergenceCurve& curve : summary.curves) {
        const std::optional<double> nearly = curve.seconds_to(90.0);
        text += fmt::format("{:13} 90 % {}; at the end {:g} % after {:.2f} s\n", curve.row,
                            nearly ? fmt::format("after {:.2f} s", *nearly) : "never",
                            curve.points.back().nearest_percent, curve.points.back().seconds);
    }
    return text + files_text(13, {summary.md, summary.csv, summary.svg});
}

// The exit status; says how to resume when trials are left.
int status_of(const TableSummary& summary, const Output& output) {
    if (summary.trials_left == 0) return done;
    if (!output.quiet) std::cerr << "sbdl reproduce: interrupted; run the same command again to resume\n";
    return interrupted;
}

int status_of(const ConvergenceSummary& summary, const Output&) {
    return summary.stopped ? interrupted : done;
}

// --- the experiments

/// Runs one with its progress shown, until it is finished or interrupted, and prints its results.
template <class Options, class Hooks, class Summary>
int reproduce(const Output& output, const Options& options, Summary (*run)(const Options&, const Hooks&)) {
    const std::atomic<bool>& stop =
        catch_interrupts(output.quiet ? nullptr : "\nstopping; interrupt again to end now\n");
    TrialMeter meter;
    Hooks hooks;
    hooks.stop = [&stop] { return stop.load(); };
    if (!output.quiet) show_progress(hooks, meter);
    const WritingFiles writing;  // trials, tables and figures, during the whole run
    const Summary summary = run(options, hooks);
    meter.finish();

    output.print_json(as_json(summary));
    output.say(summary_text(summary));
    return status_of(summary, output);
}

struct ReproduceArguments : TableOptions {
    std::optional<int> trials_given;  // no value: the default of the table
    Output output;
    // Table II and calibration only.
    std::filesystem::path images;
    std::vector<int> sigmas;
    std::string figures;  // Table II only

    /// Fills in the options that all runs with trials have.
    void fill(TableOptions& options) const {
        const int usual = options.trials;
        options = static_cast<const TableOptions&>(*this);
        options.trials = trials_given.value_or(usual);
    }
};

int reproduce_table1(const ReproduceArguments& arguments) {
    Table1Options options;
    arguments.fill(options);
    return reproduce(arguments.output, options, run_table1);
}

int reproduce_table2(const ReproduceArguments& arguments) {
    Table2Options options;
    arguments.fill(options);
    if (arguments.images.empty()) throw InputError("table2 needs --images, the folder of the images");
    options.images = arguments.images;
    if (!arguments.sigmas.empty()) options.sigmas = arguments.sigmas;
    options.figures = arguments.figures;
    return reproduce(arguments.output, options, run_table2);
}

int reproduce_calibration(const ReproduceArguments& arguments) {
    CalibrationOptions options;
    arguments.fill(options);
    // Whoever selects something from one part wants that part.
    const bool cells = !arguments.cells.empty(), images = !arguments.images.empty() || !arguments.sigmas.empty();
    options.with_cells = cells || !images;
    options.with_images = images || !cells;
    options.images.folder = arguments.images;
    if (!arguments.sigmas.empty()) options.images.sigmas = arguments.sigmas;
    if (arguments.trials_given && !options.with_cells)
        throw InputError("--trials applies to the cells of calibration; every image has one noise for each sigma");
    return reproduce(arguments.output, options, run_calibration);
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
                   "convergence "
                   "(atoms found against seconds, on one data set of table1)")
        ->required()
        ->type_name("NAME");
    app.add_option("-o,--output", a.out_dir, "Folder of the run; created when missing")->required()->type_name("DIR");
    app.add_option("--trials", a.trials_given,
                   "Trials per cell: data sets, or noises in table2 [table1 50, table2 3, calibration 20]")
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
                   fmt::format("Only these rows. table1 and convergence have {}. table2 has {}. calibration has {}.",
                               rows(select_table1_rows({}), table1_rows()), rows(select_table2_rows({}), table2_rows()),
                               rows(select_calibration_rows({}), calibration_rows())))
        ->type_name("NAME");
    app.add_option("--images", a.images,
                   "table2 and calibration: folder of grey images, to which noise is added [calibration: painted ones]")
        ->type_name("DIR");
    app.add_option("--sigma", a.sigmas, "table2 and calibration: standard deviations of the noise [15 25 50]")
        ->type_name("SIGMA");
    app.add_option("--figures", a.figures, "table2: cell that the two figures show [cameraman/25/2 or the first]")
        ->type_name("CELL");
    add_threads(app, a.threads);
    add_seed(app, a.seed);
    a.output.add_to(app);
}

}  // namespace

int run_reproduce(int count, char** argument_list) {
    std::string table;
    ReproduceArguments a;
    CLI::App app(
        "Reproduce an experiment of the paper. A run that was stopped resumes where it was; rows, cells and trials "
        "can\n"
        "be added later. Writes trials.csv (one line per trial), tables as .csv and .md, and figures. (convergence\n"
        "does not resume.)",
        "sbdl reproduce");
    app.footer(
        "Cells of table1 and calibration are L/SNR/K as in 1000/10/3 or '*/20/3:6', or name what they fix, as in\n"
        "snr=20,K=3; cells of table2 are image/sigma/r as in cameraman/25/2 or '*/25/*', or as in sigma=25,r=2.\n"
        "calibration has cells and images; with --cells alone only cells run, with --images or --sigma only images.\n\n"
        "Example:\n  sbdl reproduce table1 -o table1 --trials 50\n"
        "  sbdl reproduce table1 -o table1 --trials 5 --cells '1000/*/3' --methods gibbs vb\n"
        "  sbdl reproduce table2 --images images -o table2 --sigma 25 --methods gibbs gibbs-paper\n"
        "  sbdl reproduce calibration -o calibration --cells snr=20\n"
        "  sbdl reproduce calibration -o calibration --images images --sigma 25\n"
        "  sbdl reproduce convergence -o convergence");
    add_options(app, table, a);
    if (!parse(app, count, argument_list)) return done;

    static_cast<RunOrigin&>(a) = {.program = program_text(),
                                  .command = command_line(count, argument_list),
                                  .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))),
                                  .machine = machine_text()};
    if (table == "table2") return reproduce_table2(a);
    if (table != "table1" && table != "calibration" && table != "convergence")
        throw InputError(
            fmt::format("'{}' is not an experiment; choose table1, table2, calibration or convergence", table));
    if (app.count("--figures") > 0) throw InputError("--figures applies to table2 only");
    for (const char* option : {"--images", "--sigma"})
        if (table != "calibration" && app.count(option) > 0)
            throw InputError(fmt::format("{} applies to table2 and calibration only", option));
    if (table == "table1") return reproduce_table1(a);
    if (table == "calibration") return reproduce_calibration(a);
    if (a.trials_given) throw InputError("--trials does not apply to convergence, which uses one data set");
    if (app.count("--threads") > 0) throw InputError("--threads does not apply to convergence, which uses one thread");
    return reproduce_convergence(a);
}

}  // namespace sbdl::app
