// The verdict: whether the run settled, what it found, how close the result is to the truth, and what to do next.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/markup.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"
#include "report/tiles.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/settling.hpp"

namespace sbdl::report {
namespace {

constexpr std::size_t ssim_window = 11;  // smaller images have no SSIM

// Options, which stand in backticks, as code.
std::string with_code(const std::string& text) {
    std::string html;
    bool code = false;
    for (const char c : escaped(text)) {
        if (c != '`') {
            html += c;
            continue;
        }
        html += code ? "</code>" : "<code>";
        code = !code;
    }
    return html;
}

std::string sentence(std::string text) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return with_code(text) + ".";
}

// "20.17 → 29.60", or the one that exists.
template <class Measure>
std::string before_and_after(const ReportContent& content, const Measure& measure) {
    std::string text;
    if (content.before != nullptr) text = measure(*content.before);
    if (content.before != nullptr && content.after != nullptr) text += " → ";
    if (content.after != nullptr) text += measure(*content.after);
    return text;
}

std::string quality_tiles(const ReportContent& content) {
    if (content.truth == nullptr || (content.before == nullptr && content.after == nullptr)) return {};
    const Image& truth = *content.truth;
    const DataRange range = data_range(truth);
    const double peak = range.width();
    const bool both = content.before != nullptr && content.after != nullptr;
    const std::string which = both ? "before → after; " : content.after != nullptr ? "after; " : "before; ";
    std::string tiles =
        tile("PSNR", before_and_after(content, [&](const Image& p) { return decibel(psnr(truth, p, peak)); }) + " dB",
             fmt::format("{}against the truth, {}; higher is better", which, range_note(range)));
    if (std::min(truth.height(), truth.width()) >= ssim_window)
        tiles += tile("SSIM", before_and_after(content, [&](const Image& p) { return fixed(ssim(truth, p, peak), 3); }),
                      which + "against the truth; 1 is equal");
    return tiles;
}

// Whether denoising brought the image closer to the truth, which is not guaranteed.
std::string quality_sentence(const ReportContent& content) {
    if (content.truth == nullptr || content.before == nullptr || content.after == nullptr) return {};
    const double peak = data_range(*content.truth).width();
    const double gain = psnr(*content.truth, *content.after, peak) - psnr(*content.truth, *content.before, peak);
    if (!std::isfinite(gain)) return {};
    if (gain > 0) return fmt::format("<p>Denoising brought the image {} dB closer to the truth.</p>\n", fixed(gain, 2));
    return fmt::format("<p>Denoising did <strong>not</strong> help: the image is {} dB farther from the truth.</p>\n",
                       fixed(-gain, 2));
}

// What to add to a number with a standard deviation.
const char* remark_on_spread(double std_dev, Settled settled) {
    if (!std::isfinite(std_dev)) return "; its uncertainty is unknown";
    if (settled == Settled::no) return "; not settled, so do not rely on the ±";
    return settled == Settled::unknown ? "; it is not known whether the ± is right" : "";
}

// bpfa is not given the noise of the image and infers it again. Left out for a model of another image.
std::string own_noise_tile(const ReportContent& content, Settled settled) {
    const Model& model = *content.model;
    if (!from_image(model) || !model.on_off || image_noise(content) != model.noise_sd) return {};
    std::vector<double> kept;
    for (std::size_t i = 0; i < model.trace.noise_sd.size(); ++i)
        if (model.trace.kept[i] != 0) kept.push_back(model.trace.noise_sd[i]);
    if (kept.empty()) return {};
    const auto count = static_cast<double>(kept.size());
    const double mean = std::accumulate(kept.begin(), kept.end(), 0.0) / count;
    double squares = 0.0;
    for (const double noise : kept) squares += (noise - mean) * (noise - mean);
    const double spread = kept.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(squares / count);
    return tile(fmt::format("Noise by {}", escaped(model.method)), plus_minus(mean, spread),
                fmt::format("the learner’s own estimate over its kept sweeps{}; the image was cleaned with the noise "
                            "found",
                            remark_on_spread(spread, settled)));
}

std::string noise_tile(const ReportContent& content, Settled settled) {
    const Model& model = *content.model;
    const std::string on_image = "standard deviation, on the image’s scale";
    if (content.noise_sd > 0.0) return tile("Noise found", number(content.noise_sd), on_image);
    const std::string value = plus_minus(model.noise_sd, model.noise_sd_std);
    if (from_image(model)) return tile("Noise found", value, on_image);
    if (minimises(model))
        return tile("Residual", value,
                    "root mean square, in the signals’ units; this learner does not infer the noise");
    const std::string units = "standard deviation, in the signals’ units";
    return tile("Noise found", value, units + remark_on_spread(model.noise_sd_std, settled));
}

}  // namespace

std::string verdict(const Model& model, const std::string& more, const std::string& tiles) {
    const Settling settling = judge_settling(model);
    const std::string_view css_class = settling.settled == Settled::yes       ? "good"
                                       : settling.settled == Settled::unknown ? "unknown"
                                                                              : "caution";
    std::string text = fmt::format("<section id=\"verdict\" class=\"{}\">\n<h2>{}</h2>\n<p>{}</p>\n", css_class,
                                   settling.headline, sentence(settling.reason));
    if (settling.settled == Settled::no && kind_of(model) == RunKind::chain && !model.dictionary_std.empty())
        text += "<p>The dictionary may still be good, but do not rely on the uncertainties.</p>\n";
    if (!settling.advice.empty()) {
        text += "<ul class=\"advice\">\n";
        for (const std::string& advice : settling.advice) text += "<li>" + with_code(advice) + "</li>\n";
        text += "</ul>\n";
    }
    if (!model.estimate.empty()) text += fmt::format("<p>The estimate: {}.</p>\n", escaped(model.estimate));
    return text + more + tile_row(tiles) + "</section>\n";
}

std::string verdict(const ReportContent& content) {
    const Model& model = *content.model;
    const Settled settled = judge_settling(model).settled;
    return verdict(
        model, quality_sentence(content),
        quality_tiles(content) + noise_tile(content, settled) + own_noise_tile(content, settled) + atoms_tile(model));
}

}  // namespace sbdl::report
