// The results of each experiment, for programs and for people.
#include "reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

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

Json coverage_json(const Coverage& coverage) {
    Json json{{"values", coverage.values}};
    for (std::size_t i = 0; i < coverage.percent.size(); ++i)
        json[fmt::format("percent_in_{}", Coverage::levels[i])] =
            coverage.values > 0 ? Json(coverage.percent[i]) : Json();
    return json;
}

/// The numbers of a mean of the denoising run, and how its noise compares with the true one.
void add_score(Json& object, const DenoisingScore& mean, int sigma) {
    for (const auto& number : denoising::score_numbers) object[std::string(number.name)] = mean.*number.member;
    object["noise_ratio"] = mean.noise_ratio(sigma);
}

std::string files_text(int label_width, std::initializer_list<std::filesystem::path> files) {
    std::string text;
    for (const auto& file : files)
        if (!file.empty()) text += fmt::format("{:{}} {}\n", text.empty() ? "files" : "", label_width, name_text(file));
    return text;
}

std::string trials_text(const TableSummary& summary) {
    return fmt::format("trials      {} run, {} finished before, {} left\n", summary.trials_run, summary.trials_reused,
                       summary.trials_left);
}

/// A few of the names; there can be hundreds.
std::string ignored_text(const std::vector<std::string>& names) {
    const std::size_t named = std::min<std::size_t>(names.size(), 5);
    return fmt::format("ignored     {}{}: not a single image\n",
                       fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                       named < names.size() ? fmt::format(" and {} more", names.size() - named) : "");
}

}  // namespace

// --- for programs

Json result_json(const Table1Summary& summary) {
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
                           {"noise_ratio_worst", entry.worst_noise_ratio},
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

Json result_json(const Table2Summary& summary) {
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

Json result_json(const CalibrationSummary& summary) {
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
            entries.back()[std::string(name)] = coverage_json(entry.*member);
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
                          {"pixels", coverage_json(entry.pixels)}});
    Json json = table_json(summary);
    json["images_csv"] = summary.images_csv.string();
    json["entries"] = std::move(entries);
    json["images"] = std::move(images);
    return json;
}

Json result_json(const ConvergenceSummary& summary) {
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

Json result_json(const DenoisingSummary& summary) {
    Json json = table_json(summary);
    json.erase("table_csv");
    json["ignored"] = summary.ignored;
    json["entries"] = Json::array();
    for (const DenoisingEntry& entry : summary.entries) {
        Json& object = json["entries"].emplace_back(Json{{"method", entry.method},
                                                         {"image", entry.cell.image},
                                                         {"sigma", entry.cell.sigma},
                                                         {"trials", entry.trials},
                                                         {"psnr_se", entry.psnr_se}});
        add_score(object, entry.mean, entry.cell.sigma);
    }
    json["means"] = Json::array();
    for (const DenoisingMean& mean : summary.means) {
        Json& object =
            json["means"].emplace_back(Json{{"method", mean.method}, {"sigma", mean.sigma}, {"images", mean.images}});
        add_score(object, mean.mean, mean.sigma);
    }
    return json;
}

Json result_json(const InpaintingSummary& summary) {
    Json json = table_json(summary);
    json.erase("table_csv");
    json["ignored"] = summary.ignored;
    json["entries"] = Json::array();
    for (const InpaintingEntry& entry : summary.entries) {
        Json& object = json["entries"].emplace_back(Json{{"row", entry.row},
                                                         {"image", entry.cell.image},
                                                         {"observed", 0.01 * entry.cell.percent},
                                                         {"trials", entry.trials},
                                                         {"psnr_se", entry.psnr_se}});
        for (const auto& number : inpainting::score_numbers)
            object[std::string(number.name)] = entry.mean.*number.member;
    }
    if (!summary.figure_svg.empty()) json["figure_svg"] = summary.figure_svg.string();
    return json;
}

// --- for people

std::string result_text(const Table1Summary& summary) {
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

std::string result_text(const Table2Summary& summary) {
    std::string text = trials_text(summary);
    for (const Table2Entry& entry : summary.entries)
        text += fmt::format("{:11} {:24} {:6.2f} dB, was {:.2f}; noise {:.3f} of the true one{}\n", entry.row,
                            to_string(entry.cell), entry.psnr.mean, entry.psnr_noisy.mean, entry.noise_ratio.mean,
                            entry.given_sigma ? " (given)" : "");
    return text +
           files_text(11, {summary.table_md, summary.table_csv, summary.figure_images, summary.figure_dictionaries});
}

std::string result_text(const CalibrationSummary& summary) {
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

std::string result_text(const ConvergenceSummary& summary) {
    std::string text;
    for (const ConvergenceCurve& curve : summary.curves) {
        const std::optional<double> nearly = curve.seconds_to(90.0);
        text += fmt::format("{:13} 90 % {}; at the end {:g} % after {:.2f} s\n", curve.row,
                            nearly ? fmt::format("after {:.2f} s", *nearly) : "never",
                            curve.points.back().nearest_percent, curve.points.back().seconds);
    }
    return text + files_text(13, {summary.md, summary.csv, summary.svg});
}

std::string result_text(const DenoisingSummary& summary) {
    std::string text = trials_text(summary);
    if (!summary.ignored.empty()) text += ignored_text(summary.ignored);
    for (const DenoisingMean& mean : summary.means)
        text += fmt::format(
            "{:11} sigma {}, {} image{}: {:.2f} dB, was {:.2f}; SSIM {:.4f}; noise {:.3f} of the true one\n",
            mean.method, mean.sigma, mean.images, mean.images == 1 ? "" : "s", mean.mean.psnr, mean.mean.psnr_noisy,
            mean.mean.ssim, mean.mean.noise_ratio(mean.sigma));
    return text + files_text(11, {summary.table_md, summary.trials_csv});
}

std::string result_text(const InpaintingSummary& summary) {
    std::string text = trials_text(summary);
    if (!summary.ignored.empty()) text += ignored_text(summary.ignored);
    for (const InpaintingEntry& entry : summary.entries)
        text += fmt::format("{:11} {} % of {} observed: {:.2f} dB, {:.2f} over what is missing\n", entry.row,
                            entry.cell.percent, entry.cell.image, entry.mean.psnr, entry.mean.psnr_missing);
    return text + files_text(11, {summary.table_md, summary.trials_csv, summary.figure_svg});
}

}  // namespace sbdl::app
