// sbdl reproduce table2
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/table2/table2.hpp"
#include "interrupt.hpp"
#include "reproduce.hpp"
#include "sbdl/error.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const std::optional<Table2Reference>& reference) {
    return reference ? Json(reference->psnr) : Json();
}

Json as_json(const Table2Summary& summary) {
    Json entries = Json::array();
    for (const Table2Entry& entry : summary.entries) {
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
                           {"paper_psnr", as_json(entry.paper)},
                           {"best_peer_psnr", as_json(entry.best_peer)},
                           {"bm3d_psnr", as_json(entry.bm3d)}});
    }
    return {{"trials_run", summary.trials_run},
            {"trials_reused", summary.trials_reused},
            {"trials_left", summary.trials_left},
            {"trials_csv", summary.trials_csv.string()},
            {"table_csv", summary.table_csv.string()},
            {"table_md", summary.table_md.string()},
            {"figure_images", summary.figure_images.string()},
            {"figure_dictionaries", summary.figure_dictionaries.string()},
            {"entries", entries}};
}

std::string summary_text(const Table2Summary& summary) {
    std::string text = trials_text(summary);
    for (const Table2Entry& entry : summary.entries)
        text += fmt::format("{:11} {:24} {:6.2f} dB, was {:.2f}; noise {:.3f} of the true one{}\n", entry.row,
                            to_string(entry.cell), entry.psnr.mean, entry.psnr_noisy.mean, entry.noise_ratio.mean,
                            entry.given_sigma ? " (given)" : "");
    std::string_view label = "files";
    for (const auto& file : {summary.table_md, summary.table_csv, summary.figure_images, summary.figure_dictionaries})
        if (!file.empty()) {
            text += fmt::format("{:11} {}\n", label, file.string());
            label = "";
        }
    return text;
}

}  // namespace

int reproduce_table2(const ReproduceArguments& arguments) {
    const Output& output = arguments.output;
    Table2Options options;
    arguments.fill(options);
    if (arguments.images.empty()) throw InputError("table2 needs --images, the folder of the images");
    options.images = arguments.images;
    if (!arguments.sigmas.empty()) options.sigmas = arguments.sigmas;
    options.figures = arguments.figures;

    const std::atomic<bool>& stop = catch_interrupts(output.quiet ? nullptr : stopping_notice);
    TrialMeter meter;
    Table2Hooks hooks;
    hooks.stop = [&stop] { return stop.load(); };
    if (!output.quiet)
        hooks.progress = [&meter](const Table2Progress& p) {
            meter.show(p.done, p.planned,
                       fmt::format("{} {} trial {}: {:.2f} dB", p.task.row, to_string(p.task.cell), p.task.trial + 1,
                                   p.score.psnr));
        };
    const WritingFiles writing;  // trials, tables and figures, during the whole run
    const Table2Summary summary = run_table2(options, hooks);
    meter.finish();

    output.print_json(as_json(summary));
    output.say(summary_text(summary));
    return status_of(summary, output);
}

}  // namespace sbdl::app
