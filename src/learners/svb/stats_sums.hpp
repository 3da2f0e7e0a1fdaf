// Sums of statistics with weights.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "statistics/sufficient_stats.hpp"

namespace sbdl {

inline void add(SufficientStats& sum, SufficientStats other) {
    const std::vector<std::span<double>> to = sum.spans(), from = other.spans();
    for (std::size_t i = 0; i < to.size(); ++i)
        std::transform(to[i].begin(), to[i].end(), from[i].begin(), to[i].begin(), std::plus<>());
}

inline SufficientStats times(double factor, SufficientStats stats) {
    for (const std::span<double> some : stats.spans())
        for (double& value : some) value *= factor;
    return stats;
}

}  // namespace sbdl
