#include "inpaint/std_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sbdl {
namespace {

constexpr std::size_t least_samples = 100, least_divided = 64;
constexpr double least_factor = 0.5, most_factor = 4.0;

struct Stretch {
    std::size_t first, size;
};

/// Of one side of the image.
std::vector<Stretch> stretches(std::size_t side, std::size_t most) {
    if (side < least_divided) {
        const std::size_t size = std::min(side, most);
        return {{(side - size) / 2, size}};
    }
    const std::size_t half = side / 2, size = std::min(half, most), before = (half - size) / 2;
    return {{before, size}, {half + before, size}};
}

Matrix part_of(const Matrix& plane, const Stretch& rows, const Stretch& cols) {
    Matrix part(rows.size, cols.size);
    for (std::size_t i = 0; i < rows.size; ++i)
        std::copy_n(plane.row(rows.first + i).data() + cols.first, cols.size, part.row(i).data());
    return part;
}

bool same_missing(const Matrix& one, const Matrix& other) {
    return std::equal(one.data(), one.data() + one.size(), other.data(),
                      [](double a, double b) { return std::isnan(a) == std::isnan(b); });
}

bool has_samples(const Matrix& plane) {
    return std::any_of(plane.data(), plane.data() + plane.size(), [](double sample) { return !std::isnan(sample); });
}

HeldOut hold_out_part(const Image& incomplete, const Stretch& rows, const Stretch& cols, std::size_t every) {
    HeldOut held;
    held.image.samples = incomplete.samples;
    for (const Matrix& plane : incomplete.planes) held.image.planes.push_back(part_of(plane, rows, cols));
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

/// The value below which this share of them lies.
double quantile(std::vector<double> values, double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

}  // namespace

std::vector<HeldOut> hold_out(const Image& incomplete, std::size_t most_side, std::size_t every) {
    std::vector<HeldOut> parts;
    std::size_t count = 0;
    for (const Stretch& rows : stretches(incomplete.height(), most_side))
        for (const Stretch& cols : stretches(incomplete.width(), most_side)) {
            HeldOut part = hold_out_part(incomplete, rows, cols, every);
            if (!std::all_of(part.image.planes.begin(), part.image.planes.end(), has_samples)) continue;
            for (const std::vector<std::size_t>& of_plane : part.at) count += of_plane.size();
            parts.push_back(std::move(part));
        }
    if (count < least_samples) parts.clear();
    return parts;
}

void StdCheck::add(const HeldOut& held_out, const Image& filled, const Image& std, double noise_sd) {
    // As they would be written.
    const bool whole = held_out.image.samples == Samples::u8 || held_out.image.samples == Samples::u16;
    for (std::size_t p = 0; p < held_out.at.size(); ++p)
        for (std::size_t k = 0; k < held_out.at[p].size(); ++k) {
            const std::size_t i = held_out.at[p][k];
            const double value = filled.planes[p].data()[i], sd = std.planes[p].data()[i];
            const double off = (whole ? std::round(value) : value) - held_out.samples[p][k];
            // Noise is a part of the error: the sample should be within `times` sqrt(f^2 sd^2 + noise^2).
            const auto needed = [&](double times) {
                const double own = std::sqrt(std::max(0.0, off * off - times * times * noise_sd * noise_sd));
                return own / (times * std::max(sd, std::numeric_limits<double>::min()));
            };
            for_one_.push_back(needed(1.0));
            for_two_.push_back(needed(2.0));
        }
}

double StdCheck::factor() const {
    const double one = quantile(for_one_, 0.683), two = quantile(for_two_, 0.954);
    return std::clamp(0.5 * (one + two), least_factor, most_factor);
}

}  // namespace sbdl
