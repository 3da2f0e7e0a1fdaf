#include "learners/bpfa/atom_draw.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "random/stream.hpp"

namespace sbdl {
namespace {

using Rows = Eigen::Array<double, Residuals::group, 1>;

Rows load(const Mat& from, Eigen::Index row, std::uint64_t column) {
    return Eigen::Map<const Rows>(from.data() + static_cast<Eigen::Index>(column) * from.rows() + row);
}

/// b and q of the rows starting at `row`, for the signals that use an atom.
struct RowSums {
    Rows b = Rows::Zero(), q = Rows::Zero();
};

void add_users(const SparseCodes& codes, std::span<const AtomUsers::Use> users, Eigen::Index row,
               const Residuals& residuals, RowSums& sums) {
    const bool gaps = residuals.observed.size() > 0;
    for (const AtomUsers::Use& use : users) {
        const double x = codes.value[use.entry];
        sums.b += x * load(residuals.left, row, use.signal);
        if (gaps)
            sums.q += x * x * load(residuals.observed, row, use.signal);
        else
            sums.q += x * x;
    }
}

/// Draws the rows of atom n starting at `row`, and returns how they change.
Rows draw_rows(const OnOffNumbers& draw, const RowSums& sums, Eigen::Index n, Eigen::Index row, OnOffState& state) {
    static_assert(Residuals::group % 2 == 0, "two normals come from one block of random numbers");
    const Eigen::Index count = std::min(Residuals::group, state.D.rows() - row);  // rows beyond these stay 0
    auto atom = state.D.col(n).segment(row, count);
    Rows old = Rows::Zero();
    old.head(count) = atom.array();
    const Rows target = sums.b + sums.q * old;
    Rows drawn = Rows::Zero();
    DrawStream normals(draw.seed, {Purpose::bpfa_atom, draw.sweep, draw.chain, static_cast<std::uint64_t>(n)},
                       static_cast<std::uint32_t>(row / 2));
    const double precision = state.noise_precision;
    for (Eigen::Index m = 0; m < count; ++m) {
        const double v = 1.0 / (static_cast<double>(state.D.rows()) + precision * sums.q[m]);
        drawn[m] = precision * v * target[m] + std::sqrt(v) * normals.normal();
    }
    Rows change = drawn - old;
    atom += change.head(count).matrix();
    return change;
}

/// What remains of the signals that use an atom whose rows have changed.
void move_residuals(const SparseCodes& codes, std::span<const AtomUsers::Use> users, Eigen::Index row,
                    const Rows& change, Residuals& residuals) {
    const bool gaps = residuals.observed.size() > 0;
    for (const AtomUsers::Use& use : users) {
        Eigen::Map<Rows> left(residuals.left.col(static_cast<Eigen::Index>(use.signal)).data() + row);
        const Rows step = codes.value[use.entry] * change;
        if (gaps)
            left -= step * load(residuals.observed, row, use.signal);
        else
            left -= step;
    }
}

}  // namespace

void draw_atoms(const OnOffNumbers& draw, const SparseCodes& codes, int threads, OnOffState& state,
                Residuals& residuals, RankGroup ranks) {
    const AtomUsers all(codes);
    const auto groups = static_cast<std::size_t>(residuals.left.rows() / Residuals::group);
    const auto users_of = [&all](Eigen::Index n) { return all.of(static_cast<std::size_t>(n)); };
    const auto row_of = [](std::size_t group) { return static_cast<Eigen::Index>(group) * Residuals::group; };
    if (ranks.alone()) {
        parallel_for(groups, threads, [&](std::size_t group, int) {
            for (Eigen::Index n = 0; n < state.D.cols(); ++n) {
                RowSums sums;
                add_users(codes, users_of(n), row_of(group), residuals, sums);
                const Rows change = draw_rows(draw, sums, n, row_of(group), state);
                move_residuals(codes, users_of(n), row_of(group), change, residuals);
            }
        });
        return;
    }
    // The ranks continue each other's sums; an atom is then the same on all of them.
    Mat sums(residuals.left.rows(), 2);
    const auto sums_of = [&](std::size_t group) {
        return RowSums{sums.col(0).segment<Residuals::group>(row_of(group)),
                       sums.col(1).segment<Residuals::group>(row_of(group))};
    };
    for (Eigen::Index n = 0; n < state.D.cols(); ++n) {
        sums.setZero();
        const std::span<double> values(sums.data(), static_cast<std::size_t>(sums.size()));
        ranks.add_in_turn(values, values.size(), [&](const IndexRange&) {
            for (std::size_t group = 0; group < groups; ++group) {
                RowSums here = sums_of(group);
                add_users(codes, users_of(n), row_of(group), residuals, here);
                sums.col(0).segment<Residuals::group>(row_of(group)) = here.b;
                sums.col(1).segment<Residuals::group>(row_of(group)) = here.q;
            }
        });
        for (std::size_t group = 0; group < groups; ++group) {
            const Rows change = draw_rows(draw, sums_of(group), n, row_of(group), state);
            move_residuals(codes, users_of(n), row_of(group), change, residuals);
        }
    }
}

}  // namespace sbdl
