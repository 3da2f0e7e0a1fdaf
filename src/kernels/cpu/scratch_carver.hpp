// Divides scratch memory into arrays.
#pragma once

#include <cstddef>

namespace sbdl {

/// Hands out one array after the other. Without memory it only counts how much they would take.
class ScratchCarver {
public:
    explicit ScratchCarver(double* memory) : memory_(memory) {}
    double* take(std::size_t doubles) {
        taken_ += doubles;
        return memory_ == nullptr ? nullptr : memory_ + (taken_ - doubles);
    }
    [[nodiscard]] std::size_t taken() const { return taken_; }

private:
    double* memory_;
    std::size_t taken_ = 0;
};

}  // namespace sbdl
