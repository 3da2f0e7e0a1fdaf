// SimCO's cost along the great circles, from products of a few numbers a signal instead of its residual.
//
// A point of the circles has the atoms d_n(t) = a_n d_n + b_n h_n. For a signal with the codes x of the atoms S, x0 and
// r0 = y - D x0 being its codes and its residual where the circles start,
//
//     (D(t)^T D(t) + mu I) x = D(t)^T y         y - D(t) x = r0 + D u + H v,    u = x0 - a x,  v = -b x
//
// and so both x and the cost follow from D^T D, D^T H, H^T H, D^T r0 and H^T r0 on S, which are gathered once for all
// points tried. Since u and v are small where the atoms move little, no digits of a small residual are lost, which
// ||y||^2 - x^T D(t)^T y would lose.
//
// Signals with codes of one size stand side by side in tiles (tile_costs.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/aligned.hpp"
#include "learners/simco/circles.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

class CircleCosts {
public:
    explicit CircleCosts(int threads) : threads_(threads) {}

    /// Costs along these circles from now on, until others are begun; pass has the codes and residuals where they
    /// start. Nothing is kept of either but copies, whose memory is used again. False where these would take too much
    /// memory: there are no costs then.
    bool begin(const Circles& circles, const SparsePass& pass);

    /// min over the codes' values of ||Y - D(angle) X||^2 + mu ||X||^2. Nothing where a system has no Cholesky factor:
    /// atoms that depend on each other need more care than this takes. `codes`, if not null, are those of the circles'
    /// start, and get the best values. Threads change nothing.
    [[nodiscard]] std::optional<double> at(double angle, double mu, SparseCodes* codes = nullptr) const;

private:
    /// Signals with codes of one size.
    struct Tile {
        std::size_t size;            // atoms of a code
        std::size_t first, signals;  // of the part's order
        std::size_t atoms, values;   // where its own begin in those of the part
    };
    struct Part {
        std::vector<std::size_t> order;  // its signals by the sizes of their codes
        std::vector<Tile> tiles;
        std::vector<std::uint32_t> atoms;  // [atom of the code][signal of the tile]
        AlignedDoubles values;
        std::size_t used = 0;    // of the values
        double residual2 = 0.0;  // of the start
    };
    struct Tables;

    static void gather(const Tables& tables, const SparsePass& pass, std::size_t first, std::size_t signals,
                       Part& part);
    static std::optional<double> part_cost(const Part& part, const Mat& point, double mu, SparseCodes* codes);

    Vec weight_, start_norm2_, cross_, direction_norm2_;  // of each atom: angle, d^T d, d^T h, h^T h
    std::size_t signals_ = 0;
    int threads_;
    std::vector<Part> parts_;
};

}  // namespace sbdl
