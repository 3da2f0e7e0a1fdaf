#include "denoise/recipe.hpp"
#include "experiments/denoise_unless_stopped.hpp"
#include "experiments/denoising/denoising.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

std::string to_string(const DenoisingCell& cell) {
    return fmt::format("{}/{}", cell.image, cell.sigma);
}

namespace denoising {

DenoiseOptions denoiser_of(const std::string& method, const DenoisingOptions& options) {
    DenoiseOptions result = options.denoise;
    if (result.sigma || result.gain || result.read_noise || result.offset || result.model != nullptr)
        throw InputError("denoising: the noise is inferred and the dictionary learned; neither can be given");
    result.method = method;
    result.std = true;
    validate(result);
    return result;
}

std::string fingerprint(const DenoisingTask& task, const DenoisingOptions& options) {
    const std::string recipe =
        recipe_json(denoiser_of(task.row, options), task.cell.height, task.cell.width, task.cell.planes);
    return as_fingerprint(fnv1a(fmt::format("denoising {} {} {}", version(), task.row, recipe)));
}

}  // namespace denoising

std::optional<DenoisingScore> denoise_image_trial(const DenoisingTask& task, const Image& clean,
                                                  const DenoisingOptions& options, const StopCheck& stop) {
    const double peak = peak_of(clean), unit = peak / 255.0;
    Image noisy = make_noisy(clean, task.cell.sigma * unit, task.seed);
    noisy.metadata = {};  // the noise did not go through the file that the clean image comes from
    Context context;
    context.execution.threads = options.threads;
    context.seed = task.seed;
    const auto done = denoise_unless_stopped(noisy, denoising::denoiser_of(task.row, options), context, stop);
    if (!done) return std::nullopt;
    const DenoiseResult& result = done->result;
    return DenoisingScore{.psnr_noisy = psnr(clean, noisy, peak),
                          .psnr = psnr(clean, result.image, peak),
                          .ssim = ssim(clean, result.image, peak),
                          .noise_found = result.noise_sd / unit,
                          .within_1_std = share_within(clean, result.image, result.std, 1.0),
                          .within_2_std = share_within(clean, result.image, result.std, 2.0),
                          .seconds = done->seconds};
}

}  // namespace sbdl
