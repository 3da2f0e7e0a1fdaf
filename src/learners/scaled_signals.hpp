// Signals in a learner's own units: divided by their root mean square, so that no unit of the user's matters.
#pragma once

#include "base/linalg.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

struct ScaledSignals {
    const SignalSource& source;
    double unit;

    [[nodiscard]] std::size_t count() const { return source.count(); }
    [[nodiscard]] Eigen::Index dim() const { return static_cast<Eigen::Index>(source.dim()); }

    /// Signals first, first + 1, ... as columns.
    [[nodiscard]] Mat block(std::size_t first, std::size_t how_many) const {
        Mat columns(dim(), static_cast<Eigen::Index>(how_many));
        source.read(first, how_many, columns.data());
        return columns / unit;
    }
    [[nodiscard]] Vec signal(std::size_t l) const { return block(l, 1); }
};

}  // namespace sbdl
