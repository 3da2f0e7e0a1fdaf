#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "coders/soft_steps.cpp"  // NOLINT: Highway compiles this file once per instruction set
#include <hwy/foreach_target.h>
// After foreach_target, as Highway requires.
#include <hwy/highway.h>

#include "coders/atom_passes.hpp"
#include "coders/soft_steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using StepTag = hn::CappedTag<double, atom_padding / 4>;  // four vectors at a time fit into the padding
using StepVector = hn::Vec<StepTag>;

/// Lists the entries of z that are not zero; returns how many there are.
HWY_INLINE std::size_t list_nonzeros(const SoftSteps::Job& job) {
    const StepTag tag;
    const std::size_t width = hn::Lanes(tag);
    std::size_t count = 0;
    for (std::size_t n = 0; n < job.padded; n += width) {
        std::uint8_t bits[8] = {};  // Highway may write that many
        // Not "unequal to 0": values that overflow leave NaN in the padding, where there is no atom.
        hn::StoreMaskBits(tag, hn::Gt(hn::Abs(hn::Load(tag, job.z + n)), hn::Zero(tag)), bits);
        for (unsigned left = bits[0]; left != 0; left &= left - 1) {
            const std::size_t atom = n + static_cast<std::size_t>(__builtin_ctz(left));
            job.atoms[count] = static_cast<std::uint32_t>(atom);
            job.values[count++] = job.z[atom];
        }
    }
    return count;
}

double soft_steps_lanes(const SoftSteps::Job& job) {
    static_assert(atom_padding / 4 <= 8, "a mask fits into a byte");
    const StepTag tag;
    const std::size_t width = hn::Lanes(tag);
    const StepVector scale = hn::Set(tag, job.inverse_lipschitz);
    const StepVector high = hn::Set(tag, job.threshold), low = hn::Set(tag, -job.threshold);
    StepVector moved = hn::Zero(tag);
    for (const double m : job.momenta) {
        const StepVector momentum = hn::Set(tag, m);
        const std::size_t count = list_nonzeros(job);
        moved = hn::Zero(tag);
        for (std::size_t n = 0; n < job.padded; n += 4 * width) {
            StepVector slope[4];
            for (std::size_t v = 0; v < 4; ++v) slope[v] = hn::Load(tag, job.c + n + v * width);
            for (std::size_t k = 0; k < count; ++k) {
                const double* HWY_RESTRICT row = job.gram + job.atoms[k] * job.padded + n;
                const StepVector value = hn::Set(tag, job.values[k]);
                slope[0] = hn::NegMulAdd(value, hn::Load(tag, row), slope[0]);
                slope[1] = hn::NegMulAdd(value, hn::Load(tag, row + width), slope[1]);
                slope[2] = hn::NegMulAdd(value, hn::Load(tag, row + 2 * width), slope[2]);
                slope[3] = hn::NegMulAdd(value, hn::Load(tag, row + 3 * width), slope[3]);
            }
            for (std::size_t v = 0; v < 4; ++v) {
                double *const x = job.x + n + v * width, *const z = job.z + n + v * width;
                const StepVector step = hn::MulAdd(slope[v], scale, hn::Load(tag, z));
                const StepVector next = hn::Sub(step, hn::Min(hn::Max(step, low), high));
                const StepVector change = hn::Sub(next, hn::Load(tag, x));
                moved = hn::Max(moved, hn::Abs(change));
                hn::Store(next, tag, x);
                hn::Store(hn::MulAdd(momentum, change, next), tag, z);
            }
        }
    }
    return hn::GetLane(hn::MaxOfLanes(tag, moved));
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sbdl {

HWY_EXPORT(soft_steps_lanes);

SoftSteps::SoftSteps(const PaddedGram& gram, double lipschitz, double lambda)
    : gram_(gram),
      inverse_lipschitz_(1.0 / lipschitz),
      threshold_(lambda / lipschitz),
      atoms_(gram.padded()),
      values_(gram.padded()) {}

double SoftSteps::make(std::span<const double> momenta, const double* c, double* x, double* z) {
    return HWY_DYNAMIC_DISPATCH(soft_steps_lanes)({.gram = gram_.row(0),
                                                   .padded = gram_.padded(),
                                                   .inverse_lipschitz = inverse_lipschitz_,
                                                   .threshold = threshold_,
                                                   .momenta = momenta,
                                                   .c = c,
                                                   .x = x,
                                                   .z = z,
                                                   .atoms = atoms_.data(),
                                                   .values = values_.data()});
}

}  // namespace sbdl
#endif
