#include "report/image_check.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sbdl/error.hpp"

namespace sbdl::report {
namespace {

constexpr double greatest_sample = 1e100;  // squares and differences of larger values would not be finite

void check_samples(const NamedImage& given) {
    const Image& image = *given.image;
    if (image.planes.size() != 1 && image.planes.size() != 3)
        throw InputError(
            fmt::format("report: image '{}' has {} planes, must have 1 or 3", given.name, image.planes.size()));
    if (image.height() == 0 || image.width() == 0)
        throw InputError(fmt::format("report: image '{}' is empty", given.name));
    for (const Matrix& plane : image.planes) {
        if (plane.rows() != image.height() || plane.cols() != image.width())
            throw InputError(fmt::format("report: the planes of image '{}' differ in size", given.name));
        for (std::size_t i = 0; i < plane.size(); ++i)
            if (!(std::abs(plane.data()[i]) <= greatest_sample) && !(given.may_miss && std::isnan(plane.data()[i])))
                throw InputError(fmt::format("report: image '{}' is {} in row {}, column {}, must be within ±{:g}",
                                             given.name, plane.data()[i], i / plane.cols(), i % plane.cols(),
                                             greatest_sample));
    }
}

std::string size_text(const Image& image) {
    return fmt::format("{} x {} pixels in {} planes", image.height(), image.width(), image.planes.size());
}

void check_alike(const NamedImage& first, const NamedImage& other) {
    const Image &a = *first.image, &b = *other.image;
    const bool planes_fit = a.planes.size() == b.planes.size() || (other.one_plane_is_enough && b.planes.size() == 1);
    if (a.height() != b.height() || a.width() != b.width() || !planes_fit)
        throw InputError(fmt::format("report: image '{}' has {}, '{}' has {}; they must be equal", other.name,
                                     size_text(b), first.name, size_text(a)));
}

}  // namespace

void check_images(const std::vector<NamedImage>& given) {
    for (const NamedImage& named : given) {
        check_samples(named);
        check_alike(given.front(), named);
    }
}

}  // namespace sbdl::report
