#include "denoise/plane_spectra.hpp"

#include <functional>

#include "denoise/window_room.hpp"

namespace sbdl {

PlaneSpectra plane_spectra(std::span<const Matrix> planes, const Image& noisy, const NoiseModel& model, int threads) {
    const WindowRoom room(noisy.planes, model.stabilisers, model.levels);
    PlaneSpectra result;
    for (const Matrix& plane : planes) {
        const NoiseSpectrum spectrum = estimate_spectrum(plane, std::cref(room), threads);
        result.noise.push_back(spectrum.correlated() ? std::optional(spectrum.autocovariance()) : std::nullopt);
        result.unknown = result.unknown || !spectrum.roomy || !spectrum.enough;
    }
    return result;
}

}  // namespace sbdl
