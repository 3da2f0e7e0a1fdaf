#include "denoise/plane.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/state_archive.hpp"

namespace sbdl {
namespace {

PlaneScale scale_for(const Matrix& values) {
    if (values.empty()) return {};
    const auto [low, high] = std::minmax_element(values.data(), values.data() + values.size());
    const double range = *high - *low;
    // The middle of whole numbers is a multiple of a half: samples of 8 and 16 bits stay exactly what they are.
    return {std::midpoint(*low, *high), range > 0.0 ? std::ldexp(1.0, std::ilogb(range) + 1) : 1.0};
}

}  // namespace

Plane::Plane(const Matrix& values) : Plane(values.rows(), values.cols(), scale_for(values)) {
    for (std::size_t i = 0; i < values.size(); ++i) set(i, values.data()[i]);
}

Matrix Plane::matrix() const {
    Matrix values(rows_, cols_);
    for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = (*this)[i];
    return values;
}

void Plane::archive(StateArchive& archive) {
    archive("rows", rows_);
    archive("cols", cols_);
    archive("offset", scale_.offset);
    archive("unit", scale_.unit);
    archive("stored", stored_);
    const bool whole = empty() ? stored_.empty()
                               : stored_.size() > padding && (stored_.size() - padding) % rows_ == 0 &&
                                     (stored_.size() - padding) / rows_ == cols_;
    if (!whole) archive.damaged("stored");
}

std::pair<double, double> Plane::range() const {
    const auto [low, high] = std::minmax_element(stored_.data(), stored_.data() + size());
    return {value(*low), value(*high)};
}

}  // namespace sbdl
