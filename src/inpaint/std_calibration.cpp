#include "inpaint/std_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sbdl {
namespace {

constexpr std::size_t least_samples = 100;
constexpr double least_factor = 0.5, most_factor = 4.0;

Matrix middle_of(const Matrix& plane, std::size_t height, std::size_t width) {
    Matrix part(height, width);
    const std::size_t top = (plane.rows() - height) / 2, left = (plane.cols() - width) / 2;
    for (std::size_t i = 0; i < height; ++i) std::copy_n(plane.row(top + i).data() + left, width, part.row(i).data());
    return part;
}

bool same_missing(const Matrix& one, const Matrix& other) {
    return std::equal(one.data(), one.data() + one.size(), other.data(),
                      [](double a, double b) { return std::isnan(a) == std::isnan(b); });
}

/// The value below which this share of them lies.
double quantile(std::vector<double>& values, double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

}  // namespace

HeldOut hold_out(const Image& incomplete, std::size_t most_side, std::size_t every) {
    HeldOut held;
    held.image.samples = incomplete.samples;
    const std::size_t height = std::min(most_side, incomplete.height()),
                      width = std::min(most_side, incomplete.width());
    for (const Matrix& plane : incomplete.planes) held.image.planes.push_back(middle_of(plane, height, width));
    const std::vector<Matrix> before = held.image.planes;
    for (std::size_t p = 0; p < before.size(); ++p) {
        Matrix& plane = held.image.planes[p];
        auto& at = held.at.emplace_back();
        auto& samples = held.samples.emplace_back();
        std::size_t seen = same_missing(before[p], before[0]) ? 0 : p;
        for (std::size_t i = 0; i < plane.size(); ++i) {
            if (std::isnan(plane.data()[i]) || ++seen % every != 0) continue;
            at.push_back(i);
            samples.push_back(plane.data()[i]);
            plane.data()[i] = std::numeric_limits<double>::quiet_NaN();
        }
    }
    return held;
}

bool HeldOut::enough() const {
    std::size_t count = 0;
    for (const std::vector<std::size_t>& of_plane : at) count += of_plane.size();
    return count >= least_samples && std::all_of(image.planes.begin(), image.planes.end(), [](const Matrix& plane) {
               return std::any_of(plane.data(), plane.data() + plane.size(),
                                  [](double sample) { return !std::isnan(sample); });
           });
}

double std_factor(const HeldOut& held_out, const Image& filled, const Image& std, double noise_sd) {
    // As they would be written.
    const bool whole = held_out.image.samples == Samples::u8 || held_out.image.samples == Samples::u16;
    std::vector<double> needed;  // the factor with which the error is one standard deviation
    for (std::size_t p = 0; p < held_out.at.size(); ++p)
        for (std::size_t k = 0; k < held_out.at[p].size(); ++k) {
            const std::size_t i = held_out.at[p][k];
            const double value = filled.planes[p].data()[i];
            const double off = (whole ? std::round(value) : value) - held_out.samples[p][k];
            const double sd = std.planes[p].data()[i];
            const double own = std::sqrt(std::max(0.0, off * off - noise_sd * noise_sd));
            needed.push_back(own / std::max(sd, std::numeric_limits<double>::min()));
        }
    const double one = quantile(needed, 0.683), two = 0.5 * quantile(needed, 0.954);
    return std::clamp(0.5 * (one + two), least_factor, most_factor);
}

}  // namespace sbdl
