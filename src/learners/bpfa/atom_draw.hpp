// Atoms drawn in turn with the codes held, from the residuals they leave: entry m of atom n has
//
//     q = sum x^2,  b = sum x r  over the users of n in which m is observed,  v = 1 / (M + e q)
//     d_mn ~ N(e v (b + q d_mn), v)
//
// Given the codes the entries m are independent, so threads share out rows of the dictionary, and no sum is split.
#pragma once

#include "pass/on_off_codes.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

/// The residuals of all signals, with the rows padded to whole groups; where entries are missing they are 0, and
/// `observed` has 1 or 0 for every entry. It is empty when none is missing.
struct Residuals {
    static constexpr Eigen::Index group = 8;  ///< rows that one thread takes together: a line of the cache

    static Eigen::Index padded(Eigen::Index rows) { return (rows + group - 1) / group * group; }

    Mat left;
    Mat observed;
};

/// Replaces the atoms and the residuals.
void draw_atoms(const OnOffNumbers& draw, const SparseCodes& codes, int threads, OnOffState& state,
                Residuals& residuals);

}  // namespace sbdl
