// Transposes a square of vectors: row i becomes lane i. Included once per instruction set; see gibbs_block.cpp.
#if defined(SBDL_CPU_TRANSPOSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_CPU_TRANSPOSE_INL
#undef SBDL_CPU_TRANSPOSE_INL
#else
#define SBDL_CPU_TRANSPOSE_INL
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Tag>
HWY_INLINE void transpose(Tag, hn::Vec<Tag> (&)[1]) {}

#if HWY_TARGET != HWY_SCALAR
template <class Tag>
HWY_INLINE void transpose(Tag tag, hn::Vec<Tag> (&rows)[2]) {
    const auto even = hn::InterleaveLower(tag, rows[0], rows[1]);
    rows[1] = hn::InterleaveUpper(tag, rows[0], rows[1]);
    rows[0] = even;
}

template <class Tag>
HWY_INLINE void transpose(Tag tag, hn::Vec<Tag> (&rows)[4]) {
    const auto even01 = hn::InterleaveLower(tag, rows[0], rows[1]);  // rows 0 and 1 in lane 0, then in lane 2
    const auto even23 = hn::InterleaveLower(tag, rows[2], rows[3]);
    const auto odd01 = hn::InterleaveUpper(tag, rows[0], rows[1]);
    const auto odd23 = hn::InterleaveUpper(tag, rows[2], rows[3]);
    rows[0] = hn::ConcatLowerLower(tag, even23, even01);
    rows[1] = hn::ConcatLowerLower(tag, odd23, odd01);
    rows[2] = hn::ConcatUpperUpper(tag, even23, even01);
    rows[3] = hn::ConcatUpperUpper(tag, odd23, odd01);
}

template <class Tag>
HWY_INLINE void transpose(Tag tag, hn::Vec<Tag> (&rows)[8]) {
    hn::Vec<Tag> fours[2][4];  // [rows 0 to 3 or 4 to 7][lane i, then lane i + 4]
    HWY_UNROLL(2)
    for (std::size_t half = 0; half < 2; ++half) {
        const hn::Vec<Tag>* const r = rows + 4 * half;
        const auto even01 = hn::InterleaveLower(tag, r[0], r[1]), even23 = hn::InterleaveLower(tag, r[2], r[3]);
        const auto odd01 = hn::InterleaveUpper(tag, r[0], r[1]), odd23 = hn::InterleaveUpper(tag, r[2], r[3]);
        fours[half][0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(even23), even01);
        fours[half][1] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd23), odd01);
        fours[half][2] = hn::OddEvenBlocks(even23, hn::SwapAdjacentBlocks(even01));
        fours[half][3] = hn::OddEvenBlocks(odd23, hn::SwapAdjacentBlocks(odd01));
    }
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < 4; ++i) {
        rows[i] = hn::ConcatLowerLower(tag, fours[1][i], fours[0][i]);
        rows[i + 4] = hn::ConcatUpperUpper(tag, fours[1][i], fours[0][i]);
    }
}
#endif

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
