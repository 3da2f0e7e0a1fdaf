// An image with a bit of everything that images have: the scene of still_life.hpp, sampled; and its noisy copy.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "random/stream.hpp"
#include "sbdl/error.hpp"
#include "sbdl/synth.hpp"
#include "synth/still_life.hpp"

namespace sbdl {
namespace {

constexpr std::size_t least_side = 8;
constexpr std::size_t most_side = std::size_t{1} << 15;
constexpr int samples_across = 3;  // per pixel, in both directions

scene::Colour pixel(const scene::StillLife& scene, scene::Point corner, double size) {
    scene::Colour sum;
    for (int i = 0; i < samples_across; ++i)
        for (int j = 0; j < samples_across; ++j)
            sum = sum + scene.at({corner.x + (j + 0.5) / samples_across * size,
                                  corner.y + (i + 0.5) / samples_across * size});
    return 1.0 / (samples_across * samples_across) * sum;
}

double sample(double brightness) {
    return std::round(255.0 * std::clamp(brightness, 0.0, 1.0));
}

}  // namespace

Image make_image(std::size_t height, std::size_t width, bool colour, std::uint64_t seed) {
    for (const std::size_t side : {height, width})
        if (side < least_side || side > most_side)
            throw InputError(fmt::format("make_image: the size is {} x {} pixels; each side must be {} to {}", height,
                                         width, least_side, most_side));
    const scene::StillLife scene(seed);
    Image image;
    image.planes.assign(colour ? 3 : 1, Matrix(height, width));
    const double size = 1.0 / double(std::min(height, width));
    for (std::size_t i = 0; i < height; ++i)
        for (std::size_t j = 0; j < width; ++j) {
            const scene::Point corner{(double(j) - 0.5 * double(width)) * size,
                                      (double(i) - 0.5 * double(height)) * size};
            const scene::Colour here = pixel(scene, corner, size);
            if (colour) {
                image.planes[0](i, j) = sample(here.red);
                image.planes[1](i, j) = sample(here.green);
                image.planes[2](i, j) = sample(here.blue);
            } else {
                image.planes[0](i, j) = sample(0.299 * here.red + 0.587 * here.green + 0.114 * here.blue);
            }
        }
    return image;
}

Image make_noisy(const Image& image, double sigma, std::uint64_t seed) {
    if (!(sigma >= 0.0 && std::isfinite(sigma)))
        throw InputError(fmt::format("make_noisy: sigma is {}, must be a finite number of at least 0", sigma));
    Image noisy = image;
    noisy.samples = Samples::f32;
    for (std::size_t p = 0; p < noisy.planes.size(); ++p)
        for (std::size_t i = 0; i < noisy.height(); ++i) {
            DrawStream noise(seed, {.purpose = Purpose::image_noise, .signal = p * noisy.height() + i});
            for (double& value : noisy.planes[p].row(i)) value += sigma * noise.normal();
        }
    return noisy;
}

}  // namespace sbdl
