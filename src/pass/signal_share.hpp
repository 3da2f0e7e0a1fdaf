// The signals that a pass works on, in the learner's own units: divided by their root mean square, so that the user's
// units do not matter. A share knows the global number of each of its signals, which also numbers the random draws.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

struct SignalShare {
    const SignalSource& source;
    double unit = 1.0;
    std::uint64_t offset = 0;  ///< global number of the source's first signal

    [[nodiscard]] std::size_t count() const { return source.count(); }
    [[nodiscard]] Eigen::Index dim() const { return static_cast<Eigen::Index>(source.dim()); }

    /// Signals first, first + 1, ... as columns.
    [[nodiscard]] Mat block(std::size_t first, std::size_t how_many) const {
        Mat columns(dim(), static_cast<Eigen::Index>(how_many));
        source.read(first, how_many, columns.data());
        columns /= unit;
        return columns;
    }
    [[nodiscard]] Vec signal(std::size_t l) const { return block(l, 1); }
    /// The same with missing entries set to zero.
    [[nodiscard]] Vec filled_signal(std::size_t l) const {
        return signal(l).unaryExpr([](double value) { return std::isnan(value) ? 0.0 : value; });
    }

    /// Calls body(first, signals, thread) for blocks of consecutive signals, on up to `threads` threads.
    void each_block(std::size_t size, int threads,
                    const std::function<void(std::size_t first, Mat& signals, int thread)>& body) const {
        parallel_for((count() + size - 1) / size, threads, [&](std::size_t item, int thread) {
            const std::size_t first = item * size;
            Mat signals = block(first, std::min(size, count() - first));
            body(first, signals, thread);
        });
    }
};

}  // namespace sbdl
