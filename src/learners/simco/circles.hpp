// The great circles on which SimCO's atoms move, each along the part of its gradient that is tangent to the sphere.
#pragma once

#include <cmath>

#include "base/linalg.hpp"

namespace sbdl {

struct Circles {
    Circles(const Mat& D, const Mat& downhill) : start(D), direction(downhill), weight(D.cols()) {
        for (Eigen::Index n = 0; n < D.cols(); ++n) {
            direction.col(n) -= D.col(n).dot(direction.col(n)) * D.col(n);
            weight[n] = direction.col(n).norm();
            if (weight[n] > 0.0) direction.col(n) /= weight[n];
        }
        steepest = weight.maxCoeff();
        if (steepest > 0.0) weight /= steepest;
    }

    [[nodiscard]] Mat at(double angle) const {
        Mat D = start;
        for (Eigen::Index n = 0; n < D.cols(); ++n) {
            if (weight[n] == 0.0) continue;
            D.col(n) = std::cos(angle * weight[n]) * start.col(n) + std::sin(angle * weight[n]) * direction.col(n);
            D.col(n).normalize();
        }
        return D;
    }

    Mat start, direction;
    Vec weight;  ///< angle of an atom, of the largest
    double steepest = 0.0;
};

}  // namespace sbdl
