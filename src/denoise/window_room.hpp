// How far windows are from brightnesses at which clipping changes their noise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "denoise/constant_regions.hpp"
#include "denoise/stabiliser.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

class WindowRoom {
public:
    /// For samples that are transformed with these stabilisers, or not if there are none. Levels of clipping that are
    /// not given are looked for.
    WindowRoom(std::span<const Matrix> samples, std::span<const Stabiliser> stabilisers,
               std::span<const ClipLevels> levels);

    /// Of the window with its top left pixel here, to the nearest end of the scale in any plane, in units of the
    /// samples or of the transformed ones; -1 where the window says nothing about the noise.
    double operator()(std::size_t row, std::size_t col) const;

private:
    std::span<const Matrix> samples_;
    std::span<const Stabiliser> stabilisers_;
    ConstantRegions constant_;
    std::vector<ClipLevels> levels_;
};

}  // namespace sbdl
