// sbdl reproduce: the experiments of the paper done again, beside the numbers in print.
#include "sbdl/reproduce.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "commit.hpp"
#include "common.hpp"
#include "interrupt.hpp"
#include "sbdl/error.hpp"
#include "sbdl/observers.hpp"
#include "sbdl/version.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

// As it could be typed again.
std::string command_line(int count, char** arguments) {
    std::string line = "sbdl";
    for (int i = 0; i < count; ++i) {
        const std::string word = arguments[i];
        const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\*?[]$&|;<>()`!#~") == std::string::npos;
        line += plain ? " " + word : fmt::format(" '{}'", word);
    }
    return line;
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

std::string program_text() {
    return *commit == '\0' ? version() : fmt::format("{} ({})", version(), commit);
}

std::string_view verdict_text(Table1Verdict verdict) {
    switch (verdict) {
        case Table1Verdict::none:
            return "none";
        case Table1Verdict::met:
            return "met";
        case Table1Verdict::within_grace:
            return "within_grace";
        case Table1Verdict::missed:
            return "missed";
    }
    return "none";
}

Json as_json(const Table1Summary& summary) {
    Json entries = Json::array();
    for (const Table1Entry& entry : summary.entries) {
        entries.push_back({{"method", to_string(entry.row)},
                           {"cell", to_string(entry.cell)},
                           {"trials", entry.trials},
                           {"nearest_percent", entry.nearest_percent.mean},
                           {"nearest_percent_se", entry.nearest_percent.spread},
                           {"assigned_percent", entry.assigned_percent.mean},
                           {"assigned_percent_se", entry.assigned_percent.spread},
                           {"noise_ratio", entry.noise_ratio.mean},
                           {"noise_ratio_sd", entry.noise_ratio.spread},
                           {"seconds", entry.seconds},
                           {"paper_percent", entry.paper_percent},
                           {"paper_best_percent", entry.paper_best_percent},
                           {"target_percent", entry.target_percent ? Json(*entry.target_percent) : Json()},
                           {"verdict", verdict_text(entry.verdict)}});
    }
    return {{"trials_run", summary.trials_run},        {"trials_reused", summary.trials_reused},
            {"trials_left", summary.trials_left},      {"trials_csv", summary.trials_csv.string()},
            {"table_csv", summary.table_csv.string()}, {"table_md", summary.table_md.string()},
            {"table_svg", summary.table_svg.string()}, {"entries", entries}};
}

std::string summary_text(const Table1Summary& summary) {
    std::string text = fmt::format("trials      {} run, {} found finished, {} left\n", summary.trials_run,
                                   summary.trials_reused, summary.trials_left);
    for (const Table1Row row : {Table1Row::gibbs, Table1Row::vb}) {
        const int met = summary.count(row, Table1Verdict::met);
        const int near = summary.count(row, Table1Verdict::within_grace);
        const int missed = summary.count(row, Table1Verdict::missed);
        if (met + near + missed == 0) continue;
        text += fmt::format("{:11} target met in {} cells, missed by at most two standard errors in {}, missed in {}\n",
                            to_string(row), met, near, missed);
    }
    if (!summary.table_md.empty()) {
        text += fmt::format("files       {}\n            {}\n            {}\n", summary.table_md.string(),
                            summary.table_csv.string(), summary.table_svg.string());
    }
    return text;
}

// Trials of earlier runs are no work of this one, so the meter leaves them out: else the time left would be wrong.
class TrialMeter {
public:
    TrialMeter() : meter_(std::cerr, progress_on_terminal()) {}

    void show(const Table1Progress& progress) {
        if (!started_) {
            found_ = progress.done - 1;
            meter_.start(std::size_t(progress.planned - found_));
            started_ = true;
        }
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        meter_.show(std::size_t(progress.done - found_), seconds,
                    fmt::format("{} {} trial {}: {:.0f} %", to_string(progress.task.row), to_string(progress.task.cell),
                                progress.task.trial + 1, progress.score.nearest_percent));
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

}  // namespace

int run_reproduce(int count, char** arguments) {
    std::string table;
    Table1Options options;
    Output output;
    CLI::App app(
        "Do an experiment of the paper again. A run that was stopped goes on where it was; rows, cells and trials\n"
        "can be added later. Writes trials.csv, table1.csv, table1.md and table1.svg.",
        "sbdl reproduce");
    app.footer(
        "Cells are L/SNR/K as in 1000/10/3 or '*/20/3:6', or name what they fix as in snr=20,K=3.\n\n"
        "Example:\n  sbdl reproduce table1 -o table1 --trials 50\n"
        "  sbdl reproduce table1 -o table1 --trials 5 --cells '1000/*/3' --methods gibbs vb");
    app.add_option("TABLE", table, "Which experiment: table1")->required()->type_name("NAME");
    app.add_option("-o,--output", options.out_dir, "Folder of the run; made when missing")
        ->required()
        ->type_name("DIR");
    app.add_option("--trials", options.trials, "Data sets in every cell")
        ->check(CLI::Range(1, 1000000).description(""))
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--cells", options.cells, "Only these cells")->type_name("CELL ...");
    app.add_option("--methods", options.rows, "Only these of gibbs, gibbs-paper, vb, vb-paper")->type_name("NAME ...");
    add_threads(app, options.threads);
    add_seed(app, options.seed);
    output.add_to(app);
    if (!parse(app, count, arguments)) return done;
    if (table != "table1") throw InputError(fmt::format("'{}' is not an experiment; there is: table1", table));

    options.program = program_text();
    options.command = command_line(count, arguments);
    options.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    options.machine = machine_text();

    const std::atomic<bool>& stop = catch_interrupts(output.quiet ? nullptr : "\nstopping; again to end now\n");
    TrialMeter meter;
    Table1Hooks hooks;
    hooks.stop = [&stop] { return stop.load(); };
    if (!output.quiet) hooks.progress = [&meter](const Table1Progress& progress) { meter.show(progress); };
    const WritingFiles writing;  // trials and tables, all along
    const Table1Summary summary = run_table1(options, hooks);
    meter.finish();

    output.print_json(as_json(summary));
    output.say(summary_text(summary));
    if (summary.trials_left == 0) return done;
    if (!output.quiet) std::cerr << "sbdl reproduce: interrupted; the same command goes on where it was\n";
    return interrupted;
}

}  // namespace sbdl::app
