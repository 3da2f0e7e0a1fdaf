// How fast this machine multiplies matrices: the reference for other times, measured in the same run.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "base/blas.hpp"
#include "base/linalg.hpp"
#include "base/parallel.hpp"

namespace sbdl::bench {

inline double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Flops per second of `threads` independent square products, the best of several rounds.
inline double dgemm_rate(int threads) {
    constexpr int n = 768;
    constexpr int products = 4;
    std::vector<Mat> a(static_cast<std::size_t>(threads), Mat::Random(n, n)), c = a;
    double best = 1e300;
    for (int round = 0; round < 5; ++round)
        best = std::min(best, seconds_of([&] {
                            parallel_for(static_cast<std::size_t>(threads), threads, [&](std::size_t i, int) {
                                const double one = 1.0, zero = 0.0;
                                for (int p = 0; p < products; ++p)
                                    dgemm_("N", "N", &n, &n, &n, &one, a[i].data(), &n, a[i].data(), &n, &zero,
                                           c[i].data(), &n);
                            });
                        }));
    return 2.0 * n * n * n * products * threads / best;
}

}  // namespace sbdl::bench
