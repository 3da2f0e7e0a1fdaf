// sbdl reproduce table1
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/table1/table1.hpp"
#include "interrupt.hpp"
#include "reproduce.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

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
                           {"paper_percent", entry.paper_percent ? Json(*entry.paper_percent) : Json()},
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
    std::string text = trials_text(summary);
    for (const Table1Row row : select_table1_rows({})) {
        const int met = summary.count(row, Table1Verdict::met);
        const int near = summary.count(row, Table1Verdict::within_grace);
        const int missed = summary.count(row, Table1Verdict::missed);
        if (met + near + missed == 0) continue;
        text +=
            fmt::format("{:11} target met in {} cells, missed by at most two standard errors in {}, by more in {}\n",
                        to_string(row), met, near, missed);
    }
    if (!summary.table_md.empty()) {
        text += fmt::format("files       {}\n            {}\n            {}\n", summary.table_md.string(),
                            summary.table_csv.string(), summary.table_svg.string());
    }
    return text;
}

}  // namespace

int reproduce_table1(const ReproduceArguments& arguments) {
    const Output& output = arguments.output;
    Table1Options options;
    arguments.fill(options);

    const std::atomic<bool>& stop = catch_interrupts(output.quiet ? nullptr : stopping_notice);
    TrialMeter meter;
    Table1Hooks hooks;
    hooks.stop = [&stop] { return stop.load(); };
    if (!output.quiet)
        hooks.progress = [&meter](const Table1Progress& p) {
            meter.show(p.done, p.planned,
                       fmt::format("{} {} trial {}: {:.0f} %", to_string(p.task.row), to_string(p.task.cell),
                                   p.task.trial + 1, p.score.nearest_percent));
        };
    const WritingFiles writing;  // trials and tables, during the whole run
    const Table1Summary summary = run_table1(options, hooks);
    meter.finish();

    output.print_json(as_json(summary));
    output.say(summary_text(summary));
    return status_of(summary, output);
}

}  // namespace sbdl::app
