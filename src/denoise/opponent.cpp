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

}  // namespace

std::vector<Matrix> to_opponent(std::vector<Matrix> rgb) {
    const Eigen::Matrix3d by = opponent();
    for (std::size_t i = 0; i < rgb[0].size(); ++i) {
        const Eigen::Vector3d turned = by * Eigen::Vector3d(rgb[0].data()[i], rgb[1].data()[i], rgb[2].data()[i]);
        for (Eigen::Index to = 0; to < 3; ++to) rgb[static_cast<std::size_t>(to)].data()[i] = turned[to];
    }
    return rgb;
}

std::vector<Matrix> from_opponent(const std::vector<Plane>& planes) {
    const Eigen::Matrix3d by = opponent().transpose();
    std::vector<Matrix> rgb(3, Matrix(planes[0].rows(), planes[0].cols()));
    for (std::size_t i = 0; i < planes[0].size(); ++i) {
        const Eigen::Vector3d turned = by * Eigen::Vector3d(planes[0][i], planes[1][i], planes[2][i]);
        for (Eigen::Index to = 0; to < 3; ++to) rgb[static_cast<std::size_t>(to)].data()[i] = turned[to];
    }
    return rgb;
}

std::vector<Matrix> std_from_opponent(const std::vector<Plane>& opponent_std) {
    const Eigen::Matrix3d by = opponent().transpose().cwiseAbs2();
    std::vector<Matrix> stds(3, Matrix(opponent_std[0].rows(), opponent_std[0].cols()));
    for (std::size_t i = 0; i < opponent_std[0].size(); ++i) {
        const Eigen::Vector3d of_planes(opponent_std[0][i], opponent_std[1][i], opponent_std[2][i]);
        const Eigen::Vector3d variances = by * of_planes.cwiseAbs2();
        for (Eigen::Index to = 0; to < 3; ++to) stds[static_cast<std::size_t>(to)].data()[i] = std::sqrt(variances[to]);
    }
    return stds;
}

}  // namespace sbdl
