#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
    "learners/simco/tile_costs.cpp"  // NOLINT: Highway compiles this file once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway asks.
#include <hwy/highway.h>

#include <limits>

#include "learners/simco/tile_costs.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using TileTag = hn::CappedTag<double, tile_width>;
using TileVector = hn::Vec<TileTag>;

/// Some of the signals of a tile: as many as a vector has lanes, from `lane` on.
class TileLanes {
public:
    TileLanes(const TileJob& job, std::size_t lane) : job_(job), of_(job.values), lane_(lane) {}

    /// D(t)^T D(t) + mu I = L L^T and then L L^T x = D(t)^T y. The diagonal is kept as 1 / L_ii. Returns the least
    /// pivot.
    HWY_INLINE TileVector solve() const {
        TileVector least = hn::Set(tag_, std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < job_.size; ++i) {
            const TileVector a = at(job_.a, i), b = at(job_.b, i);
            TileVector right = hn::MulAdd(a, at(of_.start_signal, i), hn::Mul(b, at(of_.direction_signal, i)));
            for (std::size_t j = 0; j < i; ++j) {
                const TileVector entry = hn::Mul(factored(product(i, j, a, b), i, j), at(job_.factor, triangle(j) + j));
                put(entry, job_.factor, triangle(i) + j);
                right = hn::NegMulAdd(entry, at(job_.x, j), right);
            }
            const TileVector pivot = factored(hn::Add(product(i, i, a, b), hn::Set(tag_, job_.mu)), i, i);
            const TileVector inverse = hn::Div(hn::Set(tag_, 1.0), hn::Sqrt(pivot));
            least = hn::Min(least, pivot);
            put(inverse, job_.factor, triangle(i) + i);
            put(hn::Mul(right, inverse), job_.x, i);
        }
        for (std::size_t i = job_.size; i-- > 0;) {
            const TileVector x = hn::Mul(at(job_.x, i), at(job_.factor, triangle(i) + i));
            put(x, job_.x, i);
            put(hn::NegMulAdd(at(job_.a, i), x, at(of_.x0, i)), job_.u, i);
            put(hn::Neg(hn::Mul(at(job_.b, i), x)), job_.v, i);
            for (std::size_t j = 0; j < i; ++j)
                put(hn::NegMulAdd(at(job_.factor, triangle(i) + j), x, at(job_.x, j)), job_.x, j);
        }
        return least;
    }

    /// ||r0 + D u + H v||^2 - ||r0||^2 and the codes' share.
    HWY_INLINE void add_cost() const {
        const TileVector two = hn::Set(tag_, 2.0), mu = hn::Set(tag_, job_.mu);
        TileVector sum = at(job_.cost, 0);
        for (std::size_t i = 0; i < job_.size; ++i) {
            TileVector left_u = at(of_.start_left, i), left_v = at(of_.direction_left, i);
            for (std::size_t j = 0; j < i; ++j) {
                left_u = hn::MulAdd(at(of_.start_start, triangle(i) + j), at(job_.u, j), left_u);
                left_v = hn::MulAdd(at(of_.direction_direction, triangle(i) + j), at(job_.v, j), left_v);
            }
            for (std::size_t j = 0; j < job_.size; ++j)
                left_u = hn::MulAdd(at(of_.start_direction, i * job_.size + j), at(job_.v, j), left_u);
            const TileVector x = at(job_.x, i), u_i = at(job_.u, i), v_i = at(job_.v, i);
            const TileVector from_u = hn::MulAdd(at(of_.start_start, triangle(i) + i), u_i, hn::Mul(two, left_u));
            const TileVector from_v =
                hn::MulAdd(at(of_.direction_direction, triangle(i) + i), v_i, hn::Mul(two, left_v));
            sum = hn::MulAdd(from_u, u_i, hn::MulAdd(from_v, v_i, hn::MulAdd(hn::Mul(mu, x), x, sum)));
        }
        put(sum, job_.cost, 0);
    }

private:
    HWY_INLINE TileVector at(const double* list, std::size_t entry) const {
        return hn::Load(tag_, list + entry * tile_width + lane_);
    }
    HWY_INLINE void put(TileVector value, double* list, std::size_t entry) const {
        hn::Store(value, tag_, list + entry * tile_width + lane_);
    }
    /// Entry (i, j) of D(t)^T D(t).
    HWY_INLINE TileVector product(std::size_t i, std::size_t j, TileVector a_i, TileVector b_i) const {
        const TileVector with_start = hn::MulAdd(a_i, at(of_.start_start, triangle(i) + j),
                                                 hn::Mul(b_i, at(of_.start_direction, j * job_.size + i)));
        const TileVector with_direction = hn::MulAdd(a_i, at(of_.start_direction, i * job_.size + j),
                                                     hn::Mul(b_i, at(of_.direction_direction, triangle(i) + j)));
        return hn::MulAdd(at(job_.a, j), with_start, hn::Mul(at(job_.b, j), with_direction));
    }
    /// entry - sum over k < j of L_ik L_jk.
    HWY_INLINE TileVector factored(TileVector entry, std::size_t i, std::size_t j) const {
        for (std::size_t k = 0; k < j; ++k)
            entry = hn::NegMulAdd(at(job_.factor, triangle(i) + k), at(job_.factor, triangle(j) + k), entry);
        return entry;
    }

    static constexpr TileTag tag_{};
    const TileJob& job_;
    const TileValues<const double>& of_;
    std::size_t lane_;
};

bool add_tile_cost_lanes(const TileJob& job) {
    const TileTag tag;
    TileVector least = hn::Set(tag, std::numeric_limits<double>::infinity());
    for (std::size_t lane = 0; lane < tile_width; lane += hn::Lanes(tag)) {
        const TileLanes signals(job, lane);
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

bool add_tile_cost(const TileJob& job) {
    return HWY_DYNAMIC_DISPATCH(add_tile_cost_lanes)(job);
}

}  // namespace sbdl
#endif
