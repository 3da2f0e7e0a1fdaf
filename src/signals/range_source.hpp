// Some neighbouring signals of a source, as a source of their own.
#pragma once

#include "sbdl/signals.hpp"

namespace sbdl {

class RangeSource final : public SignalSource {
public:
    /// Signals first ... first + count - 1, which must exist. `source` must outlive this.
    RangeSource(const SignalSource& source, std::size_t first, std::size_t count)
        : source_(source), first_(first), count_(count) {}
    [[nodiscard]] std::size_t count() const override { return count_; }
    [[nodiscard]] std::size_t dim() const override { return source_.dim(); }
    void read(std::size_t first, std::size_t how_many, double* out) const override {
        source_.read(first_ + first, how_many, out);
    }
    [[nodiscard]] std::string name() const override { return source_.name(); }

private:
    const SignalSource& source_;
    std::size_t first_, count_;
};

}  // namespace sbdl
