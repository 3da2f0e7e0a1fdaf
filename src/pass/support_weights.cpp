#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pass/support_weights.cpp"  // NOLINT: Highway compiles this file once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "coders/atom_passes.hpp"
#include "pass/support_weights.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

WeightSum support_weights_lanes(const SupportWeights& job) {
    const hn::CappedTag<double, atom_padding> tag;
    const std::size_t width = hn::Lanes(tag);
    const auto half_precision = hn::Set(tag, 0.5 * job.noise_precision), ridge = hn::Set(tag, job.ridge);
    auto largest = hn::Zero(tag);
    for (std::size_t n = 0; n < job.padded; n += width) {
        const auto residual = hn::Load(tag, job.residual + n);
        const auto distance = hn::Max(hn::Load(tag, job.distance + n), ridge);  // rounding may leave less
        const auto gain = hn::Div(hn::Mul(hn::Mul(half_precision, residual), residual), distance);
        const auto exponent = hn::Add(hn::Load(tag, job.log_odds + n), gain);
        largest = hn::Max(largest, exponent);
        hn::Store(exponent, tag, job.weight + n);
    }
    largest = hn::MaxOfLanes(tag, largest);
    auto sum = hn::Zero(tag);
    for (std::size_t n = 0; n < job.padded; n += width) {
        const auto distance = hn::Max(hn::Load(tag, job.distance + n), ridge);
        const auto weight =
            hn::Mul(hn::Sqrt(hn::Div(ridge, distance)), hn::Exp(tag, hn::Sub(hn::Load(tag, job.weight + n), largest)));
        sum = hn::Add(sum, weight);
        hn::Store(weight, tag, job.weight + n);
    }
    return {hn::GetLane(largest), hn::GetLane(hn::SumOfLanes(tag, sum))};
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(support_weights_lanes);

WeightSum support_weights(const SupportWeights& job) {
    return HWY_DYNAMIC_DISPATCH(support_weights_lanes)(job);
}

}  // namespace sbdl
#endif
