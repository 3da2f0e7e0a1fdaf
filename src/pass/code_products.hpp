// Sums over all signals of products with their sparse codes: what updates of the whole dictionary need.
#pragma once

#include <functional>

#include "base/linalg.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

/// Runs body(part, first signal, how many) for parts of all signals, on up to `threads` threads. The parts follow from
/// the number of signals alone.
void for_each_signal_part(std::size_t signals, int threads,
                          const std::function<void(std::size_t part, std::size_t first, std::size_t count)>& body);
std::size_t signal_parts(std::size_t signals);

struct CodeProducts {
    Mat x_xt;         ///< X X^T
    Mat residual_xt;  ///< R X^T
};

/// Threads change nothing: each part has sums of its own.
CodeProducts code_products(const SparsePass& pass, int threads);

/// R X^T alone.
Mat residual_products(const SparsePass& pass, int threads);

}  // namespace sbdl
