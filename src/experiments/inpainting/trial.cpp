#include <chrono>
#include <cmath>

#include "experiments/inpainting/bpfa_fill.hpp"
#include "experiments/inpainting/inpainting.hpp"
#include "inpaint/first_fill.hpp"
#include "inpaint/gap_errors.hpp"
#include "inpaint/recipe.hpp"
#include "random/stream.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

const std::vector<std::string>& inpainting_rows() {
    static const std::vector<std::string> rows{"inpaint", "smooth", "bpfa"};
    return rows;
}

std::string to_string(const InpaintingCell& cell) {
    return fmt::format("{}/{}", cell.image, cell.percent);
}

namespace inpainting {
namespace {

InpaintOptions inpainter_of() {
    InpaintOptions options;
    options.keep_observed = true;
    options.std = true;
    return options;
}

/// Each sample of each plane is left out by itself.
Image leave_out(const Image& complete, int percent, std::uint64_t seed) {
    Image incomplete = complete;
    incomplete.metadata = {};
    for (std::size_t p = 0; p < incomplete.planes.size(); ++p) {
        DrawStream draw(seed, {.purpose = Purpose::synth_missing, .signal = p});
        Matrix& plane = incomplete.planes[p];
        for (std::size_t i = 0; i < plane.size(); ++i)
            if (100.0 * draw.uniform() >= percent) plane.data()[i] = std::numeric_limits<double>::quiet_NaN();
    }
    return incomplete;
}

InpaintResult fill(const std::string& row, const Image& incomplete, const Context& context) {
    if (row == "inpaint") return inpaint(incomplete, inpainter_of(), context);
    InpaintResult result;
    result.image = incomplete;
    const std::vector<Observed> observed = observed_samples(incomplete);
    if (row == "smooth") {
        fill_planes_smoothly(result.image.planes, observed);
        return result;
    }
    const std::vector<Matrix> estimates = bpfa_fill(incomplete, bpfa_options(), context);
    for (std::size_t p = 0; p < estimates.size(); ++p)
        for (std::size_t i = 0; i < estimates[p].size(); ++i)
            if (observed[p][i] == 0) result.image.planes[p].data()[i] = estimates[p].data()[i];
    return result;
}

InpaintingScore score_of(const Image& complete, const Image& incomplete, const InpaintResult& result) {
    const double peak = peak_of(complete);
    InpaintingScore score{.psnr = psnr(complete, result.image, peak), .ssim = ssim(complete, result.image, peak)};
    const GapErrors errors = gap_errors(complete, incomplete, result.image, result.std);
    score.psnr_missing = 20.0 * std::log10(peak / std::sqrt(errors.mean_square));
    score.within_1_std = errors.within_1;
    score.within_2_std = errors.within_2;
    return score;
}

}  // namespace

std::string fingerprint(const InpaintingTask& task) {
    const std::string options = task.row == "bpfa" ? to_json(AnyOptions(bpfa_options())) : to_json(inpainter_of());
    return as_fingerprint(
        fnv1a(fmt::format("inpainting {} {} {} {}", version(), inpaint_recipe_version, task.row, options)));
}

}  // namespace inpainting

std::optional<InpaintingScore> inpaint_image_trial(const InpaintingTask& task, const Image& complete,
                                                   const InpaintingOptions& options, const StopCheck& stop) {
    const Image incomplete = inpainting::leave_out(complete, task.cell.percent, task.seed);
    Context context;
    context.execution.threads = options.threads;
    context.execution.stop = stop;
    context.seed = task.seed;
    const auto start = std::chrono::steady_clock::now();
    try {
        const InpaintResult result = inpainting::fill(task.row, incomplete, context);
        InpaintingScore score = inpainting::score_of(complete, incomplete, result);
        score.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return score;
    } catch (const Stopped&) {
        return std::nullopt;
    }
}

}  // namespace sbdl
