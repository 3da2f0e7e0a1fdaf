// The signals that a pass works on, in the learner's own units: divided by their root mean square, so that the user's
// units do not matter. A share knows the global number of each of its signals, which also numbers the random draws.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "sbdl/signals.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

class SignalShare {
public:
    /// `offset` is the global number of the source's first signal. The source must outlive the share.
    SignalShare(const SignalSource& source, double unit = 1.0, std::uint64_t offset = 0)
        : source_(&source), unit_(unit), offset_(offset), count_(source.count()) {}

    /// These signals of the share alone.
    [[nodiscard]] SignalShare part(std::size_t first, std::size_t how_many) const {
        SignalShare some = *this;
        some.first_ += first;
        some.offset_ += first;
        some.count_ = how_many;
        return some;
    }

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] Eigen::Index dim() const { return static_cast<Eigen::Index>(source_->dim()); }
    [[nodiscard]] double unit() const { return unit_; }
    [[nodiscard]] std::uint64_t offset() const { return offset_; }

    /// Signals first, first + 1, ..., one after another.
    void read(std::size_t first, std::size_t how_many, double* out) const {
        source_->read(first_ + first, how_many, out);
        scale(how_many, out);
    }
    /// The same as columns.
    [[nodiscard]] Mat block(std::size_t first, std::size_t how_many) const {
        Mat columns(dim(), static_cast<Eigen::Index>(how_many));
        read(first, how_many, columns.data());
        return columns;
    }
    /// The same. Throws InputError unless all values are finite.
    [[nodiscard]] Mat checked_block(std::size_t first, std::size_t how_many) const {
        Mat columns(dim(), static_cast<Eigen::Index>(how_many));
        read_checked(*source_, {0, first_ + first, how_many}, columns.data());
        scale(how_many, columns.data());
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
        parallel_for(Blocks(count(), size), threads, [&](const IndexRange& range, int thread) {
            Mat signals = block(range.first, range.size);
            body(range.first, signals, thread);
        });
    }

private:
    void scale(std::size_t how_many, double* values) const {
        std::for_each(values, values + how_many * source_->dim(), [unit = unit_](double& value) { value /= unit; });
    }

    const SignalSource* source_;
    double unit_;
    std::uint64_t offset_;
    std::size_t first_ = 0;  // the share's first signal in the source
    std::size_t count_;
};

}  // namespace sbdl
