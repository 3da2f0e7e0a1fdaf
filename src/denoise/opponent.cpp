#include "denoise/opponent.hpp"

#include <array>
#include <cmath>

namespace sbdl {
namespace {

using Rotation = std::array<std::array<double, 3>, 3>;

// Rows: luminance, red against blue, green against both. Orthonormal.
Rotation opponent() {
    const double a = 1.0 / std::sqrt(3.0);
    const double b = 1.0 / std::sqrt(2.0);
    const double c = 1.0 / std::sqrt(6.0);
    return {{{a, a, a}, {b, 0.0, -b}, {c, -2.0 * c, c}}};
}

Rotation transposed(const Rotation& from) {
    Rotation to;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) to[i][j] = from[j][i];
    return to;
}

std::vector<Matrix> rotate(const std::vector<Matrix>& planes, const Rotation& by) {
    std::vector<Matrix> rotated(3, Matrix(planes[0].rows(), planes[0].cols()));
    for (std::size_t to = 0; to < 3; ++to)
        for (std::size_t i = 0; i < planes[0].size(); ++i)
            rotated[to].data()[i] =
                by[to][0] * planes[0].data()[i] + by[to][1] * planes[1].data()[i] + by[to][2] * planes[2].data()[i];
    return rotated;
}

}  // namespace

std::vector<Matrix> to_opponent(const std::vector<Matrix>& rgb) {
    return rotate(rgb, opponent());
}

std::vector<Matrix> from_opponent(const std::vector<Matrix>& planes) {
    return rotate(planes, transposed(opponent()));
}

std::vector<Matrix> std_from_opponent(const std::vector<Matrix>& opponent_std) {
    Rotation squares = transposed(opponent());
    for (auto& row : squares)
        for (double& entry : row) entry *= entry;
    std::vector<Matrix> variances = opponent_std;
    for (Matrix& plane : variances)
        for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] *= plane.data()[i];
    variances = rotate(variances, squares);
    for (Matrix& plane : variances)
        for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] = std::sqrt(plane.data()[i]);
    return variances;
}

}  // namespace sbdl
