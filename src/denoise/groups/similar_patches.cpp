#include "denoise/groups/similar_patches.hpp"

#include <algorithm>

namespace sbdl {

SimilarPatches::SimilarPatches(const Matrix& guide, std::size_t patch, std::size_t radius)
    : rows_(guide.rows()),
      cols_(guide.cols()),
      patch_(patch),
      radius_(radius),
      guide_(guide.data(), guide.data() + guide.size()) {}

void SimilarPatches::find(PatchPlace place, std::size_t most, Scratch& scratch, std::vector<PatchPlace>& found) const {
    const auto first = [this](std::size_t at) { return at > radius_ ? at - radius_ : 0; };
    const std::size_t top = first(place.row), bottom = std::min(rows_ - patch_, place.row + radius_);
    const std::size_t left = first(place.col), right = std::min(cols_ - patch_, place.col + radius_);
    const std::size_t across = right - left + 1;
    std::vector<float>& distances = scratch.distances;
    distances.resize(across);
    scratch.candidates.clear();
    for (std::size_t row = top; row <= bottom; ++row) {
        std::fill(distances.begin(), distances.end(), 0.0F);
        float* const sum = distances.data();
        for (std::size_t i = 0; i < patch_; ++i)
            for (std::size_t j = 0; j < patch_; ++j) {
                const float own = guide_[(place.row + i) * cols_ + place.col + j];
                const float* const others = guide_.data() + (row + i) * cols_ + left + j;
                for (std::size_t k = 0; k < across; ++k) {
                    const float off = others[k] - own;
                    sum[k] += off * off;
                }
            }
        for (std::size_t k = 0; k < across; ++k)
            scratch.candidates.emplace_back(distances[k], static_cast<std::uint32_t>((row - top) * across + k));
    }
    // Less than any distance: the patch itself comes first, whatever others are equal to it.
    scratch.candidates[(place.row - top) * across + (place.col - left)].first = -1.0F;
    const std::size_t count = std::min(most, scratch.candidates.size());
    const auto end = scratch.candidates.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(scratch.candidates.begin(), end - 1, scratch.candidates.end());
    found.clear();
    for (auto candidate = scratch.candidates.begin(); candidate != end; ++candidate)
        found.push_back({static_cast<std::uint32_t>(top + candidate->second / across),
                         static_cast<std::uint32_t>(left + candidate->second % across)});
}

}  // namespace sbdl
