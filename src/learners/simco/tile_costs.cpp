#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
    "learners/simco/tile_costs.cpp"  // NOLINT: Highway compiles this file once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/highway.h>

#include <limits>

#include "learners/simco/tile_costs.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using TileTag = hn::CappedTag<double, tile_width>;
using TileVector = hn::Vec<TileTag>;

/// Some of a tile's signals: as many as a vector has lanes, starting at `lane`.
class TileLanes {
public:
    TileLanes(const TileValues<const double>& of, double mu, TileScratch& scratch, std::size_t lane)
        : of_(of), mu_(mu), scratch_(scratch), lane_(lane) {}

    /// D(t)^T D(t) + mu I = L L^T and then L L^T x = D(t)^T y. The diagonal is kept as 1 / L_ii. Returns the least
    /// pivot.
    HWY_INLINE TileVector solve() const {
        TileVector least = hn::Set(tag_, std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < of_.size; ++i) {
            const TileVector a = at(scratch_.a, i), b = at(scratch_.b, i);
            TileVector right = hn::MulAdd(a, at(of_.start_signal, i), hn::Mul(b, at(of_.direction_signal, i)));
            for (std::size_t j = 0; j < i; ++j) {
                const TileVector entry =
                    hn::Mul(factored(product(i, j, a, b), i, j), at(scratch_.factor, triangle(j) + j));
                put(entry, scratch_.factor, triangle(i) + j);
                right = hn::NegMulAdd(entry, at(scratch_.x, j), right);
            }
            const TileVector pivot = factored(hn::Add(product(i, i, a, b), hn::Set(tag_, mu_)), i, i);
            const TileVector inverse = hn::Div(hn::Set(tag_, 1.0), hn::Sqrt(pivot));
            least = hn::Min(least, pivot);
            put(inverse, scratch_.factor, triangle(i) + i);
            put(hn::Mul(right, inverse), scratch_.x, i);
        }
        for (std::size_t i = of_.size; i-- > 0;) {
            const TileVector x = hn::Mul(at(scratch_.x, i), at(scratch_.factor, triangle(i) + i));
            put(x, scratch_.x, i);
            put(hn::NegMulAdd(at(scratch_.a, i), x, at(of_.x0, i)), scratch_.u, i);
            put(hn::Neg(hn::Mul(at(scratch_.b, i), x)), scratch_.v, i);
            for (std::size_t j = 0; j < i; ++j)
                put(hn::NegMulAdd(at(scratch_.factor, triangle(i) + j), x, at(scratch_.x, j)), scratch_.x, j);
        }
        return least;
    }

    /// ||r0 + D u + H v||^2 - ||r0||^2, plus the codes' term.
    HWY_INLINE void add_cost() const {
        const TileVector two = hn::Set(tag_, 2.0), mu = hn::Set(tag_, mu_);
        TileVector sum = at(scratch_.cost, 0);
        for (std::size_t i = 0; i < of_.size; ++i) {
            TileVector left_u = at(of_.start_left, i), left_v = at(of_.direction_left, i);
            for (std::size_t j = 0; j < i; ++j) {
                left_u = hn::MulAdd(at(of_.start_start, triangle(i) + j), at(scratch_.u, j), left_u);
                left_v = hn::MulAdd(at(of_.direction_direction, triangle(i) + j), at(scratch_.v, j), left_v);
            }
            for (std::size_t j = 0; j < of_.size; ++j)
                left_u = hn::MulAdd(at(of_.start_direction, i * of_.size + j), at(scratch_.v, j), left_u);
            const TileVector x = at(scratch_.x, i), u_i = at(scratch_.u, i), v_i = at(scratch_.v, i);
            const TileVector from_u = hn::MulAdd(at(of_.start_start, triangle(i) + i), u_i, hn::Mul(two, left_u));
            const TileVector from_v =
                hn::MulAdd(at(of_.direction_direction, triangle(i) + i), v_i, hn::Mul(two, left_v));
            sum = hn::MulAdd(from_u, u_i, hn::MulAdd(from_v, v_i, hn::MulAdd(hn::Mul(mu, x), x, sum)));
        }
        put(sum, scratch_.cost, 0);
    }

private:
    HWY_INLINE TileVector at(const double* list, std::size_t entry) const {
        return hn::Load(tag_, list + entry * tile_width + lane_);
    }
    HWY_INLINE TileVector at(const AlignedDoubles& list, std::size_t entry) const { return at(list.data(), entry); }
    HWY_INLINE void put(TileVector value, AlignedDoubles& list, std::size_t entry) const {
        hn::Store(value, tag_, list.data() + entry * tile_width + lane_);
    }
    /// Entry (i, j) of D(t)^T D(t).
    HWY_INLINE TileVector product(std::size_t i, std::size_t j, TileVector a_i, TileVector b_i) const {
        const TileVector with_start = hn::MulAdd(a_i, at(of_.start_start, triangle(i) + j),
                                                 hn::Mul(b_i, at(of_.start_direction, j * of_.size + i)));
        const TileVector with_direction = hn::MulAdd(a_i, at(of_.start_direction, i * of_.size + j),
                                                     hn::Mul(b_i, at(of_.direction_direction, triangle(i) + j)));
        return hn::MulAdd(at(scratch_.a, j), with_start, hn::Mul(at(scratch_.b, j), with_direction));
    }
    /// entry - sum over k < j of L_ik L_jk.
    HWY_INLINE TileVector factored(TileVector entry, std::size_t i, std::size_t j) const {
        for (std::size_t k = 0; k < j; ++k)
            entry = hn::NegMulAdd(at(scratch_.factor, triangle(i) + k), at(scratch_.factor, triangle(j) + k), entry);
        return entry;
    }

    static constexpr TileTag tag_{};
    const TileValues<const double>& of_;
    double mu_;
    TileScratch& scratch_;
    std::size_t lane_;
};

bool add_tile_cost_lanes(const TileValues<const double>& values, double mu, TileScratch& scratch) {
    const TileTag tag;
    TileVector least = hn::Set(tag, std::numeric_limits<double>::infinity());
    for (std::size_t lane = 0; lane < tile_width; lane += hn::Lanes(tag)) {
        const TileLanes signals(values, mu, scratch, lane);
        least = hn::Min(least, signals.solve());
        signals.add_cost();
    }
    return hn::AllTrue(tag, hn::Gt(least, hn::Zero(tag)));
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(add_tile_cost_lanes);

bool add_tile_cost(const TileValues<const double>& values, double mu, TileScratch& scratch) {
    return HWY_DYNAMIC_DISPATCH(add_tile_cost_lanes)(values, mu, scratch);
}

}  // namespace sbdl
#endif
