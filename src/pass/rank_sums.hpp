// Sums over the chunks of all ranks.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "base/linalg.hpp"
#include "base/rank_group.hpp"

namespace sbdl {

/// Adds the terms of all ranks to `sum`, which is zero, in order.
template <class Term>
void add_terms(RankGroup& ranks, const std::vector<Term>& terms, Term& sum) {
    constexpr std::size_t piece = 4096;  // 32 KiB: while a rank adds to one, the next has the one before
    ranks.add_in_turn({sum.data(), static_cast<std::size_t>(sum.size())}, piece, [&](const IndexRange& range) {
        const auto size = static_cast<Eigen::Index>(range.size);
        for (const Term& term : terms)
            Eigen::Map<Vec>(sum.data() + range.first, size) += Eigen::Map<const Vec>(term.data() + range.first, size);
    });
}

/// The sum of all ranks' counts.
inline std::size_t sum_of(RankGroup& ranks, const std::vector<std::size_t>& counts) {
    const std::vector<std::size_t> sums =
        ranks.joined(std::vector{std::accumulate(counts.begin(), counts.end(), std::size_t{0})});
    return std::accumulate(sums.begin(), sums.end(), std::size_t{0});
}

}  // namespace sbdl
