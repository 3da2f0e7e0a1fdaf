#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pass/on_off_limits.cpp"  // NOLINT: Highway compiles this file once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/highway.h>

#include <algorithm>
#include <numbers>

#include "coders/atom_passes.hpp"
#include "pass/on_off_limits.hpp"
#include "random/lane_stream-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

/// At most ln(u / (1 - u)), and at least 0.06 + u^2 below it for u up to 1/2; this leaves a margin for rounding.
HWY_INLINE VF below_log_odds(VF u) {
    const F f;
    const hn::RebindToSigned<F> bits;
    constexpr double of_a_bit = std::numbers::ln2 * 0x1.0p-52;
    constexpr double rounding = 1e-9;
    const VF exponent_and_fraction = hn::ConvertTo(f, hn::BitCast(bits, u));
    const VF log_u =
        hn::MulAdd(exponent_and_fraction, hn::Set(f, of_a_bit), hn::Set(f, -1023.0 * std::numbers::ln2 - rounding));
    return hn::Add(log_u, u);
}

void on_off_limits_lanes(const OnOffLimits& job) {
    const F f;
    const std::size_t width = hn::Lanes(f);
    HWY_ALIGN double uniform[2][HWY_MAX_BYTES / sizeof(double)];
    HWY_ALIGN double limit[2][HWY_MAX_BYTES / sizeof(double)];
    for (std::size_t signal = 0; signal < job.signals; signal += width) {
        const LanePhilox philox(job.draw.seed, job.draw.support, job.draw.sweep, job.draw.chain, job.first + signal);
        const std::size_t count = std::min(width, job.signals - signal);
        for (std::size_t i = 0; i < job.entries; i += 2) {
            VU word[2];
            philox.words(static_cast<std::uint32_t>(i / 2), word[0], word[1]);
            const std::size_t both = std::min<std::size_t>(2, job.entries - i);
            for (std::size_t k = 0; k < both; ++k) {
                const VF u = lane_uniform(word[k]);
                const VF room = hn::Sub(below_log_odds(u), hn::Set(f, job.log_prior[i + k]));
                hn::Store(u, f, uniform[k]);
                hn::Store(hn::Div(room, hn::Set(f, job.gain[i + k])), f, limit[k]);
            }
            for (std::size_t lane = 0; lane < count; ++lane) {
                const std::size_t at = (signal + lane) * job.stride + i;
                for (std::size_t k = 0; k < both; ++k) {
                    job.uniform[at + k] = uniform[k][lane];
                    job.limit[at + k] = limit[k][lane];
                }
            }
        }
    }
}

std::size_t first_open_lanes(const double* HWY_RESTRICT c, const double* HWY_RESTRICT limit, std::size_t from,
                             std::size_t padded) {
    const hn::CappedTag<double, atom_padding> tag;
    const std::size_t width = hn::Lanes(tag);
    for (std::size_t i = from - from % width; i < padded; i += width) {
        const auto here = hn::Load(tag, c + i);
        // Not "greater": a NaN limit must not rule the entry out.
        auto open = hn::Not(hn::Le(hn::Mul(here, here), hn::Load(tag, limit + i)));
        if (i < from) open = hn::AndNot(hn::FirstN(tag, from - i), open);
        const std::intptr_t lane = hn::FindFirstTrue(tag, open);
        if (lane >= 0) return i + static_cast<std::size_t>(lane);
    }
    return padded;
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(on_off_limits_lanes);
HWY_EXPORT(first_open_lanes);

void on_off_limits(const OnOffLimits& job) {
    HWY_DYNAMIC_DISPATCH(on_off_limits_lanes)(job);
}

std::size_t first_open(const double* c, const double* limit, std::size_t from, std::size_t padded) {
    return HWY_DYNAMIC_DISPATCH(first_open_lanes)(c, limit, from, padded);
}

}  // namespace sbdl
#endif
