// A source that counts the reads of another source.
#pragma once

#include <atomic>
#include <string>

#include "sbdl/signals.hpp"

namespace sbdl::test {

class CountingSource final : public SignalSource {
public:
    explicit CountingSource(const SignalSource& source) : source_(source) {}
    [[nodiscard]] std::size_t count() const override { return source_.count(); }
    [[nodiscard]] std::size_t dim() const override { return source_.dim(); }
    void read(std::size_t first, std::size_t how_many, double* out) const override {
        signals_read_ += how_many;
        source_.read(first, how_many, out);
    }
    [[nodiscard]] std::string name() const override { return source_.name(); }

    /// Counts each signal as often as it was read.
    [[nodiscard]] std::size_t signals_read() const { return signals_read_; }

private:
    const SignalSource& source_;
    mutable std::atomic<std::size_t> signals_read_ = 0;
};

}  // namespace sbdl::test
