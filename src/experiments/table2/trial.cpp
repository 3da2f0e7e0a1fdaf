#include "experiments/table2/table2.hpp"

#include "denoise/recipe.hpp"
#include "experiments/denoise_unless_stopped.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

namespace {

constexpr double peak = 255.0;  // of the PSNR

DenoiseOptions denoise_options(const Table2Task& task, const Table2Options& options) {
    const table2::Row row = table2::row_named(task.row);
    DenoiseOptions result;
    result.recipe = row.recipe;
    result.method = row.method;
    if (row.given_sigma) result.sigma = task.cell.sigma;
    if (row.lambda > 0.0) result.lambda = row.lambda;
    if (row.lambda_s > 0.0) result.lambda_s = row.lambda_s;
    result.atoms = options.atoms;
    result.stride = task.cell.stride;
    result.max_patches = static_cast<int>(options.max_patches);
    return result;
}

}  // namespace

Image table2_noisy(const Image& truth, const Table2Task& task) {
    return make_noisy(truth, task.cell.sigma, task.seed);
}

std::optional<Table2Trial> denoise_table2_trial(const Table2Task& task, const Image& truth,
                                                const Table2Options& options, const StopCheck& stop) {
    const Image noisy = table2_noisy(truth, task);
    Context context;
    context.execution.threads = options.threads;
    context.seed = task.seed;
    auto done = denoise_unless_stopped(noisy, denoise_options(task, options), context, stop);
    if (!done) return std::nullopt;
    DenoiseResult& result = done->result;
    const Table2Score score{.psnr_noisy = psnr(truth, noisy, peak),
                            .psnr = psnr(truth, result.image, peak),
                            .ssim = ssim(truth, result.image, peak),
                            .noise_found = result.noise_sd,
                            .seconds = done->seconds};
    return Table2Trial{score, std::move(result.image), std::move(result.model)};
}

std::string table2::fingerprint(const Table2Task& task, std::size_t width, std::size_t height,
                                const Table2Options& options) {
    const std::string recipe = recipe_json(denoise_options(task, options), height, width, /*planes=*/1);
    return as_fingerprint(fnv1a(fmt::format("{} {} {}", version(), task.row, recipe)));
}

}  // namespace sbdl
