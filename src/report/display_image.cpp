#include "report/display_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "images/image_format.hpp"

namespace sbdl::report {
namespace {

std::string base64(std::span<const std::byte> bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t present = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t three = 0;
        for (std::size_t i = 0; i < 3; ++i)
            three = three << 8U | (i < present ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i) text += i <= present ? letters[three >> (18U - 6U * i) & 63U] : '=';
    }
    return text;
}

Matrix block_means(const Matrix& plane, std::size_t factor) {
    Matrix means((plane.rows() + factor - 1) / factor, (plane.cols() + factor - 1) / factor);
    for (std::size_t i = 0; i < means.rows(); ++i)
        for (std::size_t j = 0; j < means.cols(); ++j) {
            const std::size_t bottom = std::min(plane.rows(), (i + 1) * factor);
            const std::size_t right = std::min(plane.cols(), (j + 1) * factor);
            double sum = 0.0;
            for (std::size_t y = i * factor; y < bottom; ++y)
                for (std::size_t x = j * factor; x < right; ++x) sum += plane(y, x);
            means(i, j) = sum / static_cast<double>((bottom - i * factor) * (right - j * factor));
        }
    return means;
}

}  // namespace

std::size_t reduction(const Image& image, std::size_t most_per_side) {
    const std::size_t side = std::max(image.height(), image.width());
    return (side + most_per_side - 1) / most_per_side;
}

Image reduced(const Image& image, std::size_t factor) {
    Image result;
    result.samples = image.samples;
    for (const Matrix& plane : image.planes) result.planes.push_back(factor == 1 ? plane : block_means(plane, factor));
    return result;
}

double quantile(const Image& image, double share) {
    std::vector<double> values;
    for (const Matrix& plane : image.planes) values.insert(values.end(), plane.data(), plane.data() + plane.size());
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

Scale common_scale(const std::vector<const Image*>& images, bool noisy) {
    const Image& best = *images.front();
    const bool alike =
        std::all_of(images.begin(), images.end(), [&](const Image* image) { return image->samples == best.samples; });
    if (alike && best.samples == Samples::u8) return {0.0, 255.0};
    // Cameras of 10 to 14 bits fill a small part of 16, which would be black.
    constexpr double brightest = 65535.0, least_part = 0.25;
    if (alike && best.samples == Samples::u16 && quantile(best, 1.0) >= least_part * brightest) return {0.0, brightest};
    const double outliers = noisy ? 0.002 : 0.0;
    Scale scale{quantile(best, outliers), quantile(best, 1.0 - outliers)};
    if (!(scale.white > scale.black)) scale.white = scale.black + std::max(1.0, std::abs(scale.black));
    return scale;
}

Image mapped(const Image& image, Scale scale) {
    Image result = image;
    result.samples = Samples::u8;
    result.alpha = {};
    const double range = scale.white - scale.black;
    for (Matrix& plane : result.planes)
        for (std::size_t i = 0; i < plane.size(); ++i)
            plane.data()[i] = 255.0 * std::clamp((plane.data()[i] - scale.black) / range, 0.0, 1.0);
    return result;
}

std::string png_address(const Image& image) {
    return "data:image/png;base64," + base64(png_bytes(image));
}

Image with_marked_gaps(const Image& image, Scale scale) {
    const std::array magenta{scale.white, scale.black, scale.white};
    Image marked;
    marked.samples = image.samples;
    for (std::size_t p = 0; p < magenta.size(); ++p) {
        Matrix& plane = marked.planes.emplace_back(image.planes[image.colour() ? p : 0]);
        for (std::size_t i = 0; i < plane.size(); ++i)
            if (std::isnan(plane.data()[i])) plane.data()[i] = magenta[p];
    }
    return marked;
}

std::string reduction_text(std::size_t factor) {
    if (factor == 1) return {};
    return fmt::format(" Shown at 1/{0} of the size: {0} × {0} pixels are averaged into one.", factor);
}

Image atom_sprite(const Model& model, const std::vector<std::size_t>& atoms, std::size_t columns) {
    constexpr double grey = 127.5;
    const auto [height, width, planes] = model.patch;
    const std::size_t rows = (atoms.size() + columns - 1) / columns;
    Image sprite;
    sprite.planes.assign(planes, Matrix(rows * (height + 2), columns * (width + 2), grey));
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        const auto atom = model.dictionary.row(atoms[i]);
        double most = 0.0;
        for (const double entry : atom) most = std::max(most, std::abs(entry));
        if (most == 0.0) continue;
        const std::size_t top = i / columns * (height + 2), left = i % columns * (width + 2);
        for (std::size_t p = 0; p < sprite.planes.size(); ++p)
            for (std::size_t y = 0; y < height + 2; ++y)
                for (std::size_t x = 0; x < width + 2; ++x) {
                    const std::size_t row = std::clamp<std::size_t>(y, 1, height) - 1;
                    const std::size_t column = std::clamp<std::size_t>(x, 1, width) - 1;
                    const double entry = atom[(p * model.patch.height + row) * model.patch.width + column];
                    sprite.planes[p](top + y, left + x) = grey + grey * (entry / most);
                }
    }
    return sprite;
}

}  // namespace sbdl::report
