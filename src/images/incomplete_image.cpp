#include "sbdl/incomplete_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "images/image_format.hpp"
#include "sbdl/error.hpp"
#include "signals/mapped_file.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Throws unless all samples of the mask are 0 or one other number.
void check_binary(const Image& mask, const std::string& name) {
    double other = 0.0;
    for (const Matrix& plane : mask.planes)
        for (std::size_t i = 0; i < plane.size(); ++i) {
            const double value = plane.data()[i];
            if (other == 0.0) other = value;
            if (value != 0.0 && value != other)
                throw InputError(
                    fmt::format("{}: the mask has the values {} and {} (row {}, column {}), must have 0 for missing "
                                "pixels and one other value for the rest",
                                name, other, value, i / plane.cols(), i % plane.cols()));
        }
}

/// Whether it has one plane, or the same one several times, as a grey mask in a colour file has.
bool one_for_all_planes(const Image& mask) {
    const Matrix& first = mask.planes.front();
    return std::all_of(mask.planes.begin(), mask.planes.end(), [&](const Matrix& plane) {
        return std::equal(plane.data(), plane.data() + plane.size(), first.data(), first.data() + first.size());
    });
}

}  // namespace

Image read_incomplete_image(const std::filesystem::path& path, const AcceptSize& accept) {
    check_readable(path);
    const MappedFile file(path);
    return without_transparent(decode_image(file.bytes(), path.string(), {.accept = accept, .missing = true}));
}

Image read_mask(const std::filesystem::path& path, const AcceptSize& accept) {
    check_readable(path);
    const MappedFile file(path);
    return decode_image(file.bytes(), path.string(), {.accept = accept, .mask = true});
}

Image without_transparent(Image image) {
    if (image.alpha.empty()) return image;
    const double opaque = *std::max_element(image.alpha.data(), image.alpha.data() + image.alpha.size());
    for (std::size_t i = 0; i < image.alpha.size(); ++i) {
        if (image.alpha.data()[i] != 0.0) continue;
        for (Matrix& plane : image.planes) plane.data()[i] = missing;
        image.alpha.data()[i] = opaque;
    }
    return image;
}

Image with_missing(Image image, const Image& mask, const std::string& name) {
    if (mask.height() != image.height() || mask.width() != image.width())
        throw InputError(fmt::format("{}: the mask has {} x {} pixels (width x height), the image {} x {}", name,
                                     mask.width(), mask.height(), image.width(), image.height()));
    const bool for_all = one_for_all_planes(mask);
    if (!for_all && mask.planes.size() != image.planes.size())
        throw InputError(fmt::format("{}: the mask has {} planes that differ, must have 1 or as many as the image, {}",
                                     name, mask.planes.size(), image.planes.size()));
    check_binary(mask, name);
    for (std::size_t p = 0; p < image.planes.size(); ++p) {
        const Matrix& observed = mask.planes[for_all ? 0 : p];
        for (std::size_t i = 0; i < observed.size(); ++i) {
            double& sample = image.planes[p].data()[i];
            if (observed.data()[i] != 0.0 && std::isnan(sample))
                throw InputError(
                    fmt::format("{}: row {}, column {} is {} in the mask, which means observed, but the image has no "
                                "value there (plane {})",
                                name, i / observed.cols(), i % observed.cols(), observed.data()[i], p));
            if (observed.data()[i] == 0.0) sample = missing;
        }
    }
    return image;
}

std::size_t count_missing(const Image& image) {
    std::size_t count = 0;
    for (const Matrix& plane : image.planes)
        count += static_cast<std::size_t>(
            std::count_if(plane.data(), plane.data() + plane.size(), [](double sample) { return std::isnan(sample); }));
    return count;
}

}  // namespace sbdl
