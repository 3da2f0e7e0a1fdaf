// sbdl reproduce convergence
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/convergence/convergence.hpp"
#include "interrupt.hpp"
#include "reproduce.hpp"
#include "sbdl/error.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const ConvergenceSummary& summary) {
    const auto seconds = [](const ConvergenceCurve& curve, double percent) {
        const std::optional<double> reached = curve.seconds_to(percent);
        return reached ? Json(*reached) : Json();
    };
    Json curves = Json::array();
    for (const ConvergenceCurve& curve : summary.curves)
        curves.push_back({{"method", to_string(curve.row)},
                          {"seconds_to_50", seconds(curve, 50.0)},
                          {"seconds_to_90", seconds(curve, 90.0)},
                          {"seconds_to_95", seconds(curve, 95.0)},
                          {"nearest_percent", curve.points.back().nearest_percent},
                          {"seconds", curve.points.back().seconds},
                          {"sweeps", curve.points.back().sweep}});
    return {{"csv", summary.csv.string()},
            {"md", summary.md.string()},
            {"svg", summary.svg.string()},
            {"stopped", summary.stopped},
            {"methods", curves}};
}

std::string summary_text(const ConvergenceSummary& summary) {
    std::string text;
    for (const ConvergenceCurve& curve : summary.curves) {
        const std::optional<double> nearly = curve.seconds_to(90.0);
        text += fmt::format("{:13} 90 % {}; at the end {:g} % after {:.2f} s\n", to_string(curve.row),
                            nearly ? fmt::format("after {:.2f} s", *nearly) : "never",
                            curve.points.back().nearest_percent, curve.points.back().seconds);
    }
    if (!summary.md.empty())
        text += fmt::format("files         {}\n              {}\n              {}\n", summary.md.string(),
                            summary.csv.string(), summary.svg.string());
    return text;
}

Table1Cell the_cell(const std::vector<std::string>& selectors) {
    const std::vector<Table1Cell> cells = select_table1_cells(selectors);
    if (cells.size() != 1)
        throw InputError(fmt::format("convergence uses one cell of table1; --cells selects {}", cells.size()));
    return cells.front();
}

}  // namespace

int reproduce_convergence(const ReproduceArguments& arguments) {
    const Output& output = arguments.output;
    ConvergenceOptions options;
    static_cast<RunOrigin&>(options) = arguments.origin;
    if (!arguments.cells.empty()) options.cell = the_cell(arguments.cells);
    options.rows = arguments.rows;
    options.seed = arguments.seed;
    options.out_dir = arguments.out_dir;

    const std::atomic<bool>& stop = catch_interrupts(output.quiet ? nullptr : stopping_notice);
    TrialMeter meter;
    ConvergenceHooks hooks;
    hooks.stop = [&stop] { return stop.load(); };
    if (!output.quiet)
        hooks.progress = [&meter](Table1Row row, int done, int planned) {
            meter.show(done, planned, std::string(to_string(row)));
        };
    const WritingFiles writing;
    const ConvergenceSummary summary = run_convergence(options, hooks);
    meter.finish();

    output.print_json(as_json(summary));
    output.say(summary_text(summary));
    return summary.stopped ? interrupted : done;
}

}  // namespace sbdl::app
