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
    const std::span<double> values(sum.data(), static_cast<std::size_t>(sum.size()));
    ranks.add_in_turn(values, values.size(), [&](const IndexRange&) {
        for (const Term& term : terms) sum += term;
    });
}

/// The sum of all ranks' counts.
inline std::size_t sum_of(RankGroup& ranks, const std::vector<std::size_t>& counts) {
    const std::vector<std::size_t> sums =
        ranks.joined(std::vector{std::accumulate(counts.begin(), counts.end(), std::size_t{0})});
    return std::accumulate(sums.begin(), sums.end(), std::size_t{0});
}

}  // namespace sbdl
