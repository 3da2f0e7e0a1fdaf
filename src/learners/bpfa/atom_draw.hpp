// Atoms drawn in turn with the codes fixed, from the residuals. For entry m of atom n,
//
//     q = sum x^2,  b = sum x r  over the users of n in which m is observed,  v = 1 / (M + e q)
//     d_mn ~ N(e v (b + q d_mn), v)
//
// Given the codes, the entries m are independent. Threads therefore divide the rows of the dictionary among them, and
// no sum is split.
#pragma once

#include "base/rank_group.hpp"
#include "pass/on_off_codes.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

/// The residuals of all signals, with the rows padded to whole groups. Missing entries are 0, and `observed` holds 1 or
/// 0 for every entry; it is empty when none is missing.
struct Residuals {
    static constexpr Eigen::Index group = 8;  ///< rows that one thread takes together: one cache line

    static Eigen::Index padded(Eigen::Index rows) { return (rows + group - 1) / group * group; }

    Mat left;
    Mat observed;
};

/// Replaces the atoms and the residuals. Ranks have the codes and residuals of their own signals.
void draw_atoms(const OnOffNumbers& draw, const SparseCodes& codes, int threads, OnOffState& state,
                Residuals& residuals, RankGroup ranks = RankGroup());

}  // namespace sbdl
