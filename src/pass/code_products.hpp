// Sums over all signals of products with their sparse codes: needed for updates of the whole dictionary.
#pragma once

#include <functional>

#include "base/linalg.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

/// Runs body(part, first signal, count) for parts of all signals, on up to `threads` threads. The parts depend only on
/// the number of signals.
void for_each_signal_part(std::size_t signals, int threads,
                          const std::function<void(std::size_t part, std::size_t first, std::size_t count)>& body);
std::size_t signal_parts(std::size_t signals);

struct CodeProducts {
    Mat x_xt;         ///< X X^T
    Mat residual_xt;  ///< R X^T
};

/// The number of threads does not change the result: each part has its own sums.
CodeProducts code_products(const SparsePass& pass, int threads);

/// R X^T alone.
Mat residual_products(const SparsePass& pass, int threads);

}  // namespace sbdl
