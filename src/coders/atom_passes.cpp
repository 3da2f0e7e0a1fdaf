#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "coders/atom_passes.cpp"  // NOLINT: Highway compiles this file once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/highway.h>

#include "coders/atom_passes.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, atom_padding / 4>;  // four vectors at a time fit into the padding
using Vector = hn::Vec<Tag>;

/// The largest of score(first atom of a vector) over all vectors. Of equal scores every lane takes the first and the
/// lanes the lowest atom, so that the result does not depend on the width of a vector.
template <class Score>
HWY_INLINE StrongestAtom strongest(std::size_t padded, const Score& score) {
    const Tag tag;
    const std::size_t width = hn::Lanes(tag);
    Vector best = hn::Zero(tag), best_atom = hn::Zero(tag), atom = hn::Iota(tag, 0.0);
    const Vector next = hn::Set(tag, static_cast<double>(width));
    for (std::size_t n = 0; n < padded; n += width) {
        const Vector here = score(n);
        const auto better = hn::Gt(here, best);
        best = hn::IfThenElse(better, here, best);
        best_atom = hn::IfThenElse(better, atom, best_atom);
        atom = hn::Add(atom, next);
    }
    const Vector most = hn::MaxOfLanes(tag, best);
    const Vector beyond = hn::Set(tag, static_cast<double>(padded));
    const Vector first = hn::MinOfLanes(tag, hn::IfThenElse(hn::Eq(best, most), best_atom, beyond));
    return {static_cast<std::size_t>(hn::GetLane(first)), hn::GetLane(most)};
}

StrongestAtom strongest_correlation_lanes(const double* HWY_RESTRICT alpha, std::size_t padded) {
    const Tag tag;
    return strongest(padded, [&](std::size_t n) HWY_ATTR { return hn::Abs(hn::Load(tag, alpha + n)); });
}

StrongestAtom strongest_decrease_lanes(const double* HWY_RESTRICT alpha, const double* HWY_RESTRICT distance2,
                                       double least_alpha, double least_distance2, std::size_t padded) {
    const Tag tag;
    const Vector alpha_floor = hn::Set(tag, least_alpha), distance_floor = hn::Set(tag, least_distance2);
    return strongest(padded, [&](std::size_t n) HWY_ATTR {
        const Vector a = hn::Load(tag, alpha + n), d = hn::Load(tag, distance2 + n);
        const auto open = hn::And(hn::Gt(hn::Abs(a), alpha_floor), hn::Gt(d, distance_floor));
        return hn::IfThenElseZero(open, hn::Div(hn::Mul(a, a), d));
    });
}

void add_row_lanes(const NewRow& job) {
    const Tag tag;
    const std::size_t width = hn::Lanes(tag);
    const Vector inverse = hn::Set(tag, 1.0 / job.pivot), step = hn::Set(tag, job.step);
    double* HWY_RESTRICT added = job.q + job.rows * job.padded;
    for (std::size_t n = 0; n < job.padded; n += 4 * width) {
        Vector row[4];
        for (std::size_t v = 0; v < 4; ++v) row[v] = hn::Load(tag, job.gram + n + v * width);
        const double* HWY_RESTRICT q = job.q + n;
        for (std::size_t j = 0; j < job.rows; ++j, q += job.padded) {
            const Vector factor = hn::Set(tag, job.factor[j]);
            row[0] = hn::NegMulAdd(factor, hn::Load(tag, q), row[0]);
            row[1] = hn::NegMulAdd(factor, hn::Load(tag, q + width), row[1]);
            row[2] = hn::NegMulAdd(factor, hn::Load(tag, q + 2 * width), row[2]);
            row[3] = hn::NegMulAdd(factor, hn::Load(tag, q + 3 * width), row[3]);
        }
        for (std::size_t v = 0; v < 4; ++v) {
            const std::size_t at = n + v * width;
            row[v] = hn::Mul(row[v], inverse);
            hn::Store(row[v], tag, added + at);
            hn::Store(hn::NegMulAdd(step, row[v], hn::Load(tag, job.alpha + at)), tag, job.alpha + at);
            if (job.distance2 == nullptr) continue;
            hn::Store(hn::NegMulAdd(row[v], row[v], hn::Load(tag, job.distance2 + at)), tag, job.distance2 + at);
        }
    }
}

void subtract_rows_lanes(const double* const* rows, const double* step, std::size_t count, std::size_t padded,
                         double* HWY_RESTRICT alpha) {
    const Tag tag;
    const std::size_t width = hn::Lanes(tag);
    for (std::size_t n = 0; n < padded; n += 4 * width) {
        Vector sum[4];
        for (std::size_t v = 0; v < 4; ++v) sum[v] = hn::Load(tag, alpha + n + v * width);
        for (std::size_t k = 0; k < count; ++k) {
            const Vector factor = hn::Set(tag, step[k]);
            const double* HWY_RESTRICT row = rows[k] + n;
            for (std::size_t v = 0; v < 4; ++v) sum[v] = hn::NegMulAdd(factor, hn::Load(tag, row + v * width), sum[v]);
        }
        for (std::size_t v = 0; v < 4; ++v) hn::Store(sum[v], tag, alpha + n + v * width);
    }
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(strongest_correlation_lanes);
HWY_EXPORT(strongest_decrease_lanes);
HWY_EXPORT(add_row_lanes);
HWY_EXPORT(subtract_rows_lanes);

StrongestAtom strongest_correlation(const double* alpha, std::size_t padded) {
    return HWY_DYNAMIC_DISPATCH(strongest_correlation_lanes)(alpha, padded);
}

StrongestAtom strongest_decrease(const double* alpha, const double* distance2, double least_alpha,
                                 double least_distance2, std::size_t padded) {
    return HWY_DYNAMIC_DISPATCH(strongest_decrease_lanes)(alpha, distance2, least_alpha, least_distance2, padded);
}

void add_row(const NewRow& job) {
    HWY_DYNAMIC_DISPATCH(add_row_lanes)(job);
}

void subtract_rows(const double* const* rows, const double* step, std::size_t count, std::size_t padded,
                   double* alpha) {
    HWY_DYNAMIC_DISPATCH(subtract_rows_lanes)(rows, step, count, padded, alpha);
}

}  // namespace sbdl
#endif
