// The patches of an image that are most similar to one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "denoise/plane.hpp"

namespace sbdl {

/// Top left corner of a patch.
struct PatchPlace {
    std::uint32_t row = 0, col = 0;
    bool operator==(const PatchPlace&) const = default;
};

/// Finds patches by their squared distance, exactly. Distances are summed in single precision.
class SimilarPatches {
public:
    /// Patches of patch x patch pixels of `guide`; others are looked for up to `radius` rows and columns away.
    /// The guide must outlive this. Rows that no search reaches any more may change.
    SimilarPatches(const Plane& guide, std::size_t patch, std::size_t radius)
        : guide_(guide), patch_(patch), radius_(radius) {}

    /// Memory of one thread.
    struct Scratch {
        std::vector<float> own, distances;
        std::vector<std::uint64_t> nearest;  // distance in the upper half, number in the window in the lower
    };

    /// `found` becomes the `most` patches (at least 1) that are nearest to the one at `place`, or as many as there are.
    /// That patch itself is always among them. Of equally distant patches the upper ones are taken, then those on the
    /// left.
    void find(PatchPlace place, std::size_t most, Scratch& scratch, std::vector<PatchPlace>& found) const;

private:
    const Plane& guide_;
    std::size_t patch_, radius_;
};

}  // namespace sbdl
