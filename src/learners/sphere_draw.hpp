// Atoms of unit norm. With |d_n| = 1 the quadratic term of an atom's conditional is constant, so it is a von
// Mises-Fisher law, density proportional to exp(c . d) on the unit sphere (docs/math.md, O4).
#pragma once

#include "pass/code_pass.hpp"
#include "random/stream.hpp"
#include "statistics/sufficient_stats.hpp"

namespace sbdl {

/// A draw with density proportional to exp(c . d) on |d| = 1; uniform for c = 0. Wood's rejection sampler (1994),
/// written so that nothing cancels for large |c|.
Vec draw_von_mises_fisher(const Vec& c, DrawStream& draws);

/// Draws the atoms one after another, each with c = gamma (C_n - sum_{k != n} d_k G_kn), where C = Y X^T and G = X X^T.
void draw_atoms_on_sphere(const SufficientStats& stats, double gamma, DrawStream& draws, Mat& D);

/// The same from signals with missing entries, after a sweep of the pass. Entry m of an atom then has a quadratic term
/// of its own, with weight gamma q_m. Independent observations t_m ~ N(d_m, 1 / (gamma (max q - q_m))), drawn for this
/// step only, make all weights equal (docs/math.md, K4).
void draw_atoms_on_sphere(CodePass& pass, double gamma, DrawStream& draws, Mat& D);

}  // namespace sbdl
