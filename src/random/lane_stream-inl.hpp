// The generator across vector lanes: every lane generates the numbers of one signal, the same as DrawStream (up to the
// rounding of log, sin and cos). Included once per instruction set; see gibbs_block.cpp.
#if defined(SBDL_LANE_STREAM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_LANE_STREAM_INL
#undef SBDL_LANE_STREAM_INL
#else
#define SBDL_LANE_STREAM_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <numbers>

#include "random/draw_id.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using F = hn::ScalableTag<double>;
using U = hn::ScalableTag<std::uint64_t>;
using VF = hn::Vec<F>;
using VU = hn::Vec<U>;

/// The 64-bit product of a lane's low half and `multiplier`.
HWY_INLINE VU multiply_low(VU word, std::uint32_t multiplier) {
#if HWY_TARGET == HWY_SCALAR
    return VU(std::uint64_t{static_cast<std::uint32_t>(hn::GetLane(word))} * multiplier);
#else
    const hn::Repartition<std::uint32_t, U> halves;
    return hn::MulEven(hn::BitCast(halves, word), hn::BitCast(halves, hn::Set(U(), multiplier)));
#endif
}

/// Philox4x32-10. A 64-bit lane has a 32-bit word in its low half; the high half is not read until the end.
class LanePhilox {
public:
    /// Lane i generates the numbers of signal first_signal + i.
    HWY_INLINE LanePhilox(std::uint64_t seed, Purpose purpose, std::uint32_t sweep, std::uint32_t chain,
                          std::uint64_t first_signal)
        : LanePhilox(seed, purpose, sweep, chain, hn::Iota(U(), first_signal)) {}

    /// Lane i generates the numbers of the i-th signal.
    HWY_INLINE LanePhilox(std::uint64_t seed, Purpose purpose, std::uint32_t sweep, std::uint32_t chain, VU signal)
        : key0_(static_cast<std::uint32_t>(seed)),
          key1_(static_cast<std::uint32_t>(seed >> 32)),
          word3_((static_cast<std::uint32_t>(purpose) << 24) | sweep) {
        word1_ = signal;
        word2_ = hn::Or(hn::ShiftLeft<16>(hn::ShiftRight<32>(signal)), hn::Set(U(), chain));
    }

    /// The two 64-bit words of block `index`, for every lane.
    HWY_INLINE void words(std::uint32_t index, VU& first, VU& second) const {
        constexpr std::uint32_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
        constexpr std::uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
        const U u;
        VU c0 = hn::Set(u, index), c1 = word1_, c2 = word2_, c3 = hn::Set(u, word3_);
        std::uint32_t k0 = key0_, k1 = key1_;
        for (int round = 0; round < 10; ++round) {
            const VU p0 = multiply_low(c0, multiplier0);
            const VU p1 = multiply_low(c2, multiplier1);
            c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(u, k0));
            c1 = p1;
            c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(u, k1));
            c3 = p0;
            k0 += weyl0;
            k1 += weyl1;
        }
        const VU low = hn::Set(u, 0xFFFFFFFFu);
        first = hn::Or(hn::And(c0, low), hn::ShiftLeft<32>(c1));
        second = hn::Or(hn::And(c2, low), hn::ShiftLeft<32>(c3));
    }

private:
    std::uint32_t key0_, key1_, word3_;
    VU word1_, word2_;
};

/// (k + 1/2) 2^-52 from the upper 52 bits: in (0, 1), never 0 or 1.
HWY_INLINE VF lane_uniform(VU word) {
    const F f;
    const U u;
    const VU one_to_two = hn::Or(hn::ShiftRight<12>(word), hn::Set(u, 0x3FF0000000000000u));
    return hn::Add(hn::Sub(hn::BitCast(f, one_to_two), hn::Set(f, 1.0)), hn::Set(f, 0x1.0p-53));
}

HWY_INLINE VF lane_exponential(VU word) {
    return hn::Neg(hn::Log(F(), lane_uniform(word)));
}

/// cos and sin of 2 pi t for t in (0, 1): Taylor series within an eighth of a turn of the nearest quarter, then the
/// quarter's swap and signs. Truncated after x^16 and x^17, the series have errors below 1e-17 at x = pi / 4.
HWY_INLINE void lane_turn(VF t, VF& cosine, VF& sine) {
    const F f;
    const VF quarter = hn::Round(hn::Mul(t, hn::Set(f, 4.0)));
    const VF x = hn::Mul(hn::NegMulAdd(quarter, hn::Set(f, 0.25), t), hn::Set(f, 2.0 * std::numbers::pi));
    const VF x2 = hn::Mul(x, x);
    VF c = hn::Set(f, 1.0 / 20922789888000.0);
    VF s = hn::Set(f, 1.0 / 355687428096000.0);
    c = hn::MulAdd(c, x2, hn::Set(f, -1.0 / 87178291200.0));
    s = hn::MulAdd(s, x2, hn::Set(f, -1.0 / 1307674368000.0));
    c = hn::MulAdd(c, x2, hn::Set(f, 1.0 / 479001600.0));
    s = hn::MulAdd(s, x2, hn::Set(f, 1.0 / 6227020800.0));
    c = hn::MulAdd(c, x2, hn::Set(f, -1.0 / 3628800.0));
    s = hn::MulAdd(s, x2, hn::Set(f, -1.0 / 39916800.0));
    c = hn::MulAdd(c, x2, hn::Set(f, 1.0 / 40320.0));
    s = hn::MulAdd(s, x2, hn::Set(f, 1.0 / 362880.0));
    c = hn::MulAdd(c, x2, hn::Set(f, -1.0 / 720.0));
    s = hn::MulAdd(s, x2, hn::Set(f, -1.0 / 5040.0));
    c = hn::MulAdd(c, x2, hn::Set(f, 1.0 / 24.0));
    s = hn::MulAdd(s, x2, hn::Set(f, 1.0 / 120.0));
    c = hn::MulAdd(c, x2, hn::Set(f, -1.0 / 2.0));
    s = hn::MulAdd(s, x2, hn::Set(f, -1.0 / 6.0));
    c = hn::MulAdd(c, x2, hn::Set(f, 1.0));
    s = hn::MulAdd(hn::Mul(s, x2), x, x);
    // quarter is 0 ... 4: odd ones swap; 1 and 2 change the sign of the cosine, 2 and 3 that of the sine.
    const auto is1 = hn::Eq(quarter, hn::Set(f, 1.0));
    const auto is2 = hn::Eq(quarter, hn::Set(f, 2.0));
    const auto is3 = hn::Eq(quarter, hn::Set(f, 3.0));
    const auto odd = hn::Or(is1, is3);
    const VF c_out = hn::IfThenElse(odd, s, c);
    const VF s_out = hn::IfThenElse(odd, c, s);
    cosine = hn::IfThenElse(hn::Or(is1, is2), hn::Neg(c_out), c_out);
    sine = hn::IfThenElse(hn::Or(is2, is3), hn::Neg(s_out), s_out);
}

/// Two standard normals per lane (Box-Muller), the same as from DrawStream::normal().
HWY_INLINE void lane_normals(VU first, VU second, VF& even, VF& odd) {
    const F f;
    const VF radius = hn::Sqrt(hn::Mul(hn::Set(f, -2.0), hn::Log(f, lane_uniform(first))));
    VF cosine, sine;
    lane_turn(lane_uniform(second), cosine, sine);
    even = hn::Mul(radius, cosine);
    odd = hn::Mul(radius, sine);
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
