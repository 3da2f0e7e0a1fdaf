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

// The rows from `row` on of every atom in turn.
class RowGroup {
public:
    RowGroup(const BpfaDraw& draw, const SparseCodes& codes, const AtomUsers& users, Eigen::Index row)
        : draw_(draw), codes_(codes), users_(users), row_(row) {}

    void draw_atom(Eigen::Index n, BpfaState& state, Residuals& residuals) const {
        const auto users = users_.of(static_cast<std::size_t>(n));
        const bool gaps = residuals.observed.size() > 0;
        const Eigen::Index count = std::min(Residuals::group, state.D.rows() - row_);
        Rows b = Rows::Zero();
        Rows q = Rows::Zero();
        for (const AtomUsers::Use& use : users) {
            const double x = codes_.value[use.entry];
            b += x * load(residuals.left, row_, use.signal);
            if (gaps)
                q += x * x * load(residuals.observed, row_, use.signal);
            else
                q += x * x;
        }
        Rows old = Rows::Zero();
        old.head(count) = state.D.col(n).segment(row_, count).array();
        const Rows change = drawn(n, state, b + q * old, q) - old;
        for (const AtomUsers::Use& use : users) {
            Eigen::Map<Rows> left(residuals.left.col(static_cast<Eigen::Index>(use.signal)).data() + row_);
            const Rows step = codes_.value[use.entry] * change;
            if (gaps)
                left -= step * load(residuals.observed, row_, use.signal);
            else
                left -= step;
        }
        state.D.col(n).segment(row_, count) += change.head(count).matrix();
    }

private:
    // Rows beyond the dictionary's stay 0.
    [[nodiscard]] Rows drawn(Eigen::Index n, const BpfaState& state, const Rows& target, const Rows& q) const {
        static_assert(Residuals::group % 2 == 0, "two normals come from one block of random numbers");
        DrawStream normals(draw_.seed, {Purpose::bpfa_atom, draw_.sweep, draw_.chain, static_cast<std::uint64_t>(n)},
                           static_cast<std::uint32_t>(row_ / 2));
        Rows rows = Rows::Zero();
        const double precision = state.noise_precision;
        const auto M = static_cast<double>(state.D.rows());
        for (Eigen::Index m = 0; m < std::min(Residuals::group, state.D.rows() - row_); ++m) {
            const double v = 1.0 / (M + precision * q[m]);
            rows[m] = precision * v * target[m] + std::sqrt(v) * normals.normal();
        }
        return rows;
    }

    const BpfaDraw& draw_;
    const SparseCodes& codes_;
    const AtomUsers& users_;
    Eigen::Index row_;
};

}  // namespace

void draw_atoms(const BpfaDraw& draw, const SparseCodes& codes, int threads, BpfaState& state, Residuals& residuals) {
    const AtomUsers users(codes);
    const auto groups = static_cast<std::size_t>(residuals.left.rows() / Residuals::group);
    parallel_for(groups, threads, [&](std::size_t item, int) {
        const RowGroup group(draw, codes, users, static_cast<Eigen::Index>(item) * Residuals::group);
        for (Eigen::Index n = 0; n < state.D.cols(); ++n) group.draw_atom(n, state, residuals);
    });
}

}  // namespace sbdl
