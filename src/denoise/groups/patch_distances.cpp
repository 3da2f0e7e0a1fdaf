#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "denoise/groups/patch_distances.cpp"  // NOLINT: compiled once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/highway.h>

#include "denoise/groups/patch_distances.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using DistanceTag = hn::CappedTag<float, distance_padding>;

void patch_distances_lanes(const float* HWY_RESTRICT own, const float* HWY_RESTRICT others, std::size_t side,
                           std::size_t step, std::size_t count, float* HWY_RESTRICT distances) {
    const DistanceTag tag;
    const std::size_t width = hn::Lanes(tag);
    for (std::size_t k = 0; k < count; k += width) {
        auto sum = hn::Zero(tag);
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j) {
                const auto other = hn::LoadU(tag, others + i * step + j + k);
                const auto off = hn::Sub(other, hn::Set(tag, own[i * side + j]));
                sum = hn::MulAdd(off, off, sum);
            }
        hn::StoreU(sum, tag, distances + k);
    }
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(patch_distances_lanes);

void patch_distances(const float* own, const float* others, std::size_t side, std::size_t step, std::size_t count,
                     float* distances) {
    HWY_DYNAMIC_DISPATCH(patch_distances_lanes)(own, others, side, step, count, distances);
}

}  // namespace sbdl
#endif
