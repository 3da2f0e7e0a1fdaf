#include "denoise/groups/similar_patches.hpp"

#include <algorithm>
#include <bit>

#include "denoise/groups/patch_distances.hpp"

namespace sbdl {
namespace {

/// Keys are in the order of the distances, which are not negative, and then of the numbers.
std::uint64_t key_of(float distance, std::size_t number) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(distance)} << 32U | number;
}

std::size_t number_of(std::uint64_t key) {
    return static_cast<std::uint32_t>(key);
}

}  // namespace

SimilarPatches::SimilarPatches(const Matrix& guide, std::size_t patch, std::size_t radius)
    : rows_(guide.rows()),
      cols_(guide.cols()),
      patch_(patch),
      radius_(radius),
      guide_(guide.size() + distance_padding) {
    // Of size 1 and around 0: other units, and an offset, would be too much for single precision.
    const auto [least, most] = std::minmax_element(guide.data(), guide.data() + guide.size());
    const double middle = 0.5 * (*least + *most), unit = *most > *least ? *most - *least : 1.0;
    for (std::size_t i = 0; i < guide.size(); ++i) guide_[i] = static_cast<float>((guide.data()[i] - middle) / unit);
}

void SimilarPatches::find(PatchPlace place, std::size_t most, Scratch& scratch, std::vector<PatchPlace>& found) const {
    const auto first = [this](std::size_t at) { return at > radius_ ? at - radius_ : 0; };
    const std::size_t top = first(place.row), bottom = std::min(rows_ - patch_, place.row + radius_);
    const std::size_t left = first(place.col), right = std::min(cols_ - patch_, place.col + radius_);
    const std::size_t across = right - left + 1;
    scratch.own.clear();
    for (std::size_t i = 0; i < patch_; ++i) {
        const float* const row = guide_.data() + (place.row + i) * cols_ + place.col;
        scratch.own.insert(scratch.own.end(), row, row + patch_);
    }
    scratch.distances.resize(across + distance_padding);
    std::vector<std::uint64_t>& candidates = scratch.candidates;
    candidates.resize((bottom - top + 1) * across);
    for (std::size_t row = top, number = 0; row <= bottom; ++row) {
        patch_distances(scratch.own.data(), guide_.data() + row * cols_ + left, patch_, cols_, across,
                        scratch.distances.data());
        for (std::size_t k = 0; k < across; ++k, ++number) candidates[number] = key_of(scratch.distances[k], number);
    }
    // The patch itself comes first, whatever others are equal to it.
    const std::size_t itself = (place.row - top) * across + (place.col - left);
    std::swap(candidates[itself], candidates[0]);
    const std::size_t count = std::min(most, candidates.size());
    const auto begin = candidates.begin() + 1, end = candidates.begin() + static_cast<std::ptrdiff_t>(count);
    if (end > begin && end != candidates.end()) std::nth_element(begin, end - 1, candidates.end());
    found.clear();
    for (auto candidate = candidates.begin(); candidate != end; ++candidate) {
        const std::size_t number = number_of(*candidate);
        found.push_back(
            {static_cast<std::uint32_t>(top + number / across), static_cast<std::uint32_t>(left + number % across)});
    }
}

}  // namespace sbdl
