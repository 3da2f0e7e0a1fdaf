#include "denoise/opponent.hpp"

#include <Eigen/Core>
#include <cmath>

namespace sbdl {
namespace {

// Rows: luminance, red against blue, green against both. Orthonormal.
Eigen::Matrix3d opponent() {
    const double a = 1.0 / std::sqrt(3.0);
    const double b = 1.0 / std::sqrt(2.0);
    const double c = 1.0 / std::sqrt(6.0);
    return Eigen::Matrix3d{{a, a, a}, {b, 0.0, -b}, {c, -2.0 * c, c}};
}

std::vector<Matrix> rotate(const std::vector<Matrix>& planes, const Eigen::Matrix3d& by) {
    std::vector<Matrix> rotated(3, Matrix(planes[0].rows(), planes[0].cols()));
    for (Eigen::Index to = 0; to < 3; ++to)
        for (std::size_t i = 0; i < planes[0].size(); ++i)
            rotated[static_cast<std::size_t>(to)].data()[i] =
                by(to, 0) * planes[0].data()[i] + by(to, 1) * planes[1].data()[i] + by(to, 2) * planes[2].data()[i];
    return rotated;
}

}  // namespace

std::vector<Matrix> to_opponent(const std::vector<Matrix>& rgb) {
    return rotate(rgb, opponent());
}

std::vector<Matrix> from_opponent(const std::vector<Matrix>& planes) {
    return rotate(planes, opponent().transpose());
}

std::vector<Matrix> std_from_opponent(const std::vector<Matrix>& opponent_std) {
    std::vector<Matrix> variances = opponent_std;
    for (Matrix& plane : variances)
        for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] *= plane.data()[i];
    variances = rotate(variances, opponent().transpose().cwiseAbs2());
    for (Matrix& plane : variances)
        for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] = std::sqrt(plane.data()[i]);
    return variances;
}

}  // namespace sbdl
