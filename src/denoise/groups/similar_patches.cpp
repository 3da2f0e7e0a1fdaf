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

static_assert(distance_padding <= Plane::padding);

void SimilarPatches::find(PatchPlace place, std::size_t most, Scratch& scratch, std::vector<PatchPlace>& found) const {
    const auto first = [this](std::size_t at) { return at > radius_ ? at - radius_ : 0; };
    const std::size_t top = first(place.row), bottom = std::min(guide_.rows() - patch_, place.row + radius_);
    const std::size_t left = first(place.col), right = std::min(guide_.cols() - patch_, place.col + radius_);
    const std::size_t across = right - left + 1;
    scratch.own.clear();
    for (std::size_t i = 0; i < patch_; ++i) {
        const float* const row = guide_.stored_row(place.row + i) + place.col;
        scratch.own.insert(scratch.own.end(), row, row + patch_);
    }
    scratch.distances.resize(across + distance_padding);
    std::vector<std::uint64_t>& candidates = scratch.candidates;
    candidates.resize((bottom - top + 1) * across);
    for (std::size_t row = top, number = 0; row <= bottom; ++row) {
        patch_distances(scratch.own.data(), guide_.stored_row(row) + left, patch_, guide_.cols(), across,
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
