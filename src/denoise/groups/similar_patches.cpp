#include "denoise/groups/similar_patches.hpp"

#include <algorithm>
#include <bit>
#include <limits>

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

float distance_of(std::uint64_t key) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32U));
}

/// Keeps the `most` smallest of the keys added. Nearly all are larger than that many earlier ones, and are never
/// stored.
class SmallestKeys {
public:
    SmallestKeys(std::size_t most, std::vector<std::uint64_t>& keys) : most_(most), keys_(keys) {
        keys_.clear();
        if (most_ == 0) limit_ = -1.0F;
    }

    void add(float distance, std::size_t number) {
        if (distance > limit_) return;
        keys_.push_back(key_of(distance, number));
        if (keys_.size() == room * most_) drop_largest();
    }

    void finish() {
        if (keys_.size() > most_) drop_largest();
    }

private:
    void drop_largest() {
        std::nth_element(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(most_ - 1), keys_.end());
        keys_.resize(most_);
        limit_ = distance_of(keys_.back());
    }

    static constexpr std::size_t room = 4;  // times as many as are wanted

    std::size_t most_;
    std::vector<std::uint64_t>& keys_;
    float limit_ = std::numeric_limits<float>::infinity();
};

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
    // The patch itself comes first, whatever others are equal to it.
    const std::size_t itself = (place.row - top) * across + (place.col - left);
    SmallestKeys nearest(most - 1, scratch.nearest);
    for (std::size_t row = top, number = 0; row <= bottom; ++row) {
        patch_distances(scratch.own.data(), guide_.stored_row(row) + left, patch_, guide_.cols(), across,
                        scratch.distances.data());
        for (std::size_t k = 0; k < across; ++k, ++number)
            if (number != itself) nearest.add(scratch.distances[k], number);
    }
    nearest.finish();
    found.assign(1, place);
    for (const std::uint64_t key : scratch.nearest) {
        const std::size_t number = number_of(key);
        found.push_back(
            {static_cast<std::uint32_t>(top + number / across), static_cast<std::uint32_t>(left + number % across)});
    }
}

}  // namespace sbdl
