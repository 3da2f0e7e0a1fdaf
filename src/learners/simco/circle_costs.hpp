// SimCO's cost along the great circles, from a few numbers per signal instead of its residual.
//
// At a point on the circles the atoms are d_n(t) = a_n d_n + b_n h_n. Take a signal with codes x on the atoms S, and
// let x0 and r0 = y - D x0 be its codes and its residual where the circles start. Then
//
//     (D(t)^T D(t) + mu I) x = D(t)^T y         y - D(t) x = r0 + D u + H v,    u = x0 - a x,  v = -b x
//
// so both x and the cost follow from D^T D, D^T H, H^T H, D^T r0 and H^T r0 on S, which are gathered once for all
// points tried. Since u and v are small when the atoms move little, a small residual loses no digits, unlike ||y||^2 -
// x^T D(t)^T y.
//
// Signals with codes of the same size are stored side by side in tiles (tile_costs.hpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/aligned.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

/// The great circles on which atoms move, each along the part of its gradient that is tangent to the sphere.
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
    Vec weight;  ///< angle of each atom relative to the largest
    double steepest = 0.0;
};

class CircleCosts {
public:
    explicit CircleCosts(int threads) : threads_(threads) {}

    /// Costs are taken along these circles until the next call; `pass` holds the codes and residuals where they start.
    /// Only copies of either are kept, and their memory is reused.
    void begin(const Circles& circles, const SparsePass& pass);

    /// min over the codes' values of ||Y - D(angle) X||^2 + mu ||X||^2. Returns nothing if the copies would have taken
    /// too much memory, or if a system has no Cholesky factor: linearly dependent atoms need more care than is taken
    /// here. `codes`, if not null, are those at the start of the circles, and receive the best values. The number of
    /// threads does not change the result.
    [[nodiscard]] std::optional<double> at(double angle, double mu, SparseCodes* codes = nullptr) const;

private:
    /// Signals with codes of the same size.
    struct Tile {
        std::size_t size;            // atoms of a code
        std::size_t first, signals;  // within the part's order
        std::size_t atoms, values;   // where the tile's begin within the part's
    };
    struct Part {
        std::vector<std::size_t> order;  // its signals, sorted by the size of their codes
        std::vector<Tile> tiles;
        std::vector<std::uint32_t> atoms;  // [atom of the code][signal of the tile]
        AlignedDoubles values;
        std::size_t used = 0;    // of the values
        double residual2 = 0.0;  // at the start
    };

    /// Adds the tile, whose values come last, to its part.
    void gather(const Circles& circles, const SparsePass& pass, const Tile& tile, Part& part) const;
    static double part_cost(const Part& part, const Mat& point, double mu, SparseCodes* codes);

    Vec weight_;                                               // the angle of each atom
    Mat start_start_, direction_direction_, direction_start_;  // products of all atoms: D^T D, H^T H, H^T D
    std::size_t signals_ = 0;
    int threads_;
    std::vector<Part> parts_;
};

}  // namespace sbdl
