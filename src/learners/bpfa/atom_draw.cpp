#include "learners/bpfa/atom_draw.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "random/stream.hpp"

namespace sbdl {
namespace {

using Rows = Eigen::Array<double, Residuals::group, 1>;

Rows load(const Mat& from, Eigen::Index row, std::uint64_t column) {
    return Eigen::Map<const Rows>(from.data() + static_cast<Eigen::Index>(column) * from.rows() + row);
}

/// Draws the rows of atom n starting at `row`, given the signals that use it.
void draw_rows(const OnOffNumbers& draw, const SparseCodes& codes, std::span<const AtomUsers::Use> users,
               Eigen::Index n, Eigen::Index row, OnOffState& state, Residuals& residuals) {
    static_assert(Residuals::group % 2 == 0, "two normals come from one block of random numbers");
    const bool gaps = residuals.observed.size() > 0;
    Rows b = Rows::Zero();
    Rows q = Rows::Zero();
    for (const AtomUsers::Use& use : users) {
        const double x = codes.value[use.entry];
        b += x * load(residuals.left, row, use.signal);
        if (gaps)
            q += x * x * load(residuals.observed, row, use.signal);
        else
            q += x * x;
    }
    const Eigen::Index count = std::min(Residuals::group, state.D.rows() - row);  // rows beyond these stay 0
    auto atom = state.D.col(n).segment(row, count);
    Rows old = Rows::Zero();
    old.head(count) = atom.array();
    const Rows target = b + q * old;
    Rows drawn = Rows::Zero();
    DrawStream normals(draw.seed, {Purpose::bpfa_atom, draw.sweep, draw.chain, static_cast<std::uint64_t>(n)},
                       static_cast<std::uint32_t>(row / 2));
    const double precision = state.noise_precision;
    for (Eigen::Index m = 0; m < count; ++m) {
        const double v = 1.0 / (static_cast<double>(state.D.rows()) + precision * q[m]);
        drawn[m] = precision * v * target[m] + std::sqrt(v) * normals.normal();
    }
    const Rows change = drawn - old;
    for (const AtomUsers::Use& use : users) {
        Eigen::Map<Rows> left(residuals.left.col(static_cast<Eigen::Index>(use.signal)).data() + row);
        const Rows step = codes.value[use.entry] * change;
        if (gaps)
            left -= step * load(residuals.observed, row, use.signal);
        else
            left -= step;
    }
    atom += change.head(count).matrix();
}

}  // namespace

void draw_atoms(const OnOffNumbers& draw, const SparseCodes& codes, int threads, OnOffState& state,
                Residuals& residuals) {
    const AtomUsers users(codes);
    const auto groups = static_cast<std::size_t>(residuals.left.rows() / Residuals::group);
    parallel_for(groups, threads, [&](std::size_t item, int) {
        const auto row = static_cast<Eigen::Index>(item) * Residuals::group;
        for (Eigen::Index n = 0; n < state.D.cols(); ++n)
            draw_rows(draw, codes, users.of(static_cast<std::size_t>(n)), n, row, state, residuals);
    });
}

}  // namespace sbdl
