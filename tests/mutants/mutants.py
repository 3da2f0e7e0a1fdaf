"""Single-line mistakes in the numerical core that the tests must notice.

Each has a name, its file in src/, a text that occurs once in that file, and what stands there instead: an expression
for an expression, or statements for statements, which end in a semicolon. Neither may declare a name or be a constant
expression.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One mistake."""

    name: str
    file: str
    text: str
    instead: str


# The programs that test a folder of src/, in the order in which they are tried; the innermost folder counts.
PROGRAMS = {
    "kernels": ("kernels", "conformance"),
    "pass": ("pass", "learners", "statistical"),
    "statistics": ("statistics", "learners"),
    "learners": ("learners", "learners_bpfa", "statistical"),
    "learners/bpfa": ("learners_bpfa", "statistical"),
    "learners/online": ("learners_stream",),
    "learners/rls": ("learners_stream",),
    "diagnostics": ("diagnostics",),
    "denoise": ("denoise",),
    "inpaint": ("inpaint",),
    "coders": ("coders",),
    "apply": ("apply",),
}


def programs_of(mutant):
    """The programs that test its file."""
    folder = mutant.file.rsplit("/", 1)[0]
    return max(
        (item for item in PROGRAMS.items() if f"{folder}/".startswith(f"{item[0]}/")), key=lambda item: len(item[0])
    )[1]


KERNELS = "kernels/reference/reference_kernels.cpp"
ON_OFF = "pass/on_off_codes.cpp"
NOISE = "pass/noise_reestimation.cpp"
RECORD = "pass/code_record.cpp"
VMF = "statistics/von_mises_fisher.cpp"
UPDATE = "learners/dictionary_update.cpp"
SPHERE = "learners/sphere_draw.cpp"
POOLING = "learners/chains/pooling.cpp"
AVERAGE = "learners/chains/posterior_average.cpp"
VB = "learners/vb/vb_learner.cpp"
CONVERGENCE = "diagnostics/convergence.cpp"
PASSES = "denoise/image_passes.cpp"
RESEMBLING = "denoise/resembling_windows.cpp"
ENCODE = "apply/encode_posterior.cpp"
SUPPORT = "pass/support_chain.cpp"
OMP = "coders/batch_omp.cpp"
MEANS = "pass/on_off_means.cpp"
GAPPY_ATOM = "learners/vb/gappy_atom.cpp"

MUTANTS = [
    # The reference kernels are the oracle of the fast ones: a mistake in either is a difference between the two.
    Mutant("gibbs-perturbation", KERNELS, "alpha.cwiseSqrt().cwiseProduct(n)", "alpha.cwiseProduct(n)"),
    Mutant("gibbs-code-rate", KERNELS, "b + 0.5 * x[i] * x[i]", "b + x[i] * x[i]"),
    Mutant("vb-second-moment", KERNELS, "mu.cwiseAbs2() + Sigma.diagonal()", "mu.cwiseAbs2() + 0.0 * Sigma.diagonal()"),
    Mutant(
        "vb-log-det",
        KERNELS,
        "2.0 * chol.matrixLLT().diagonal().array().log().sum()",
        "chol.matrixLLT().diagonal().array().log().sum()",
    ),
    Mutant("vb-spread", KERNELS, "mu.dot(spread * mu)", "0.0"),
    Mutant(
        "vb-gaps-spread",
        KERNELS,
        "sweep_.entry_var->transpose() * seen",
        "0.9 * (sweep_.entry_var->transpose() * seen)",
    ),
    Mutant("vb-gaps-moment", KERNELS, "mu * mu.transpose() + Sigma", "mu * mu.transpose()"),
    # Passes over the signals.
    Mutant("on-off-odds", ON_OFF, "0.5 * std::log(g / precision)", "0.49 * std::log(g / precision)"),
    Mutant("on-off-gain", ON_OFF, "0.5 * e * (e / precision)", "0.49 * e * (e / precision)"),
    Mutant(
        "on-off-value",
        ON_OFF,
        "values.normal() / std::sqrt(odds.precision)",
        "0.9 * values.normal() / std::sqrt(odds.precision)",
    ),
    Mutant("noise-freedom", NOISE, "share_on * static_cast<double>(D.cols())", "0.0 * static_cast<double>(D.cols())"),
    Mutant("noise-odds", NOISE, "(1.0 + sums.on) / (2.0 + entries)", "0.9 * (1.0 + sums.on) / (2.0 + entries)"),
    Mutant("noise-shape", NOISE, "draws.gamma(0.5 * values)", "draws.gamma(0.49 * values)"),
    Mutant("noise-std", "learners/model_parts.cpp", "2.0 * left * estimate.share_used", "left * estimate.share_used"),
    Mutant("noise-draws", "learners/model_parts.cpp", "(1.0 - 1.0 / draws) * atoms", "atoms"),
    Mutant(
        "noise-atoms",
        "learners/model_parts.cpp",
        "static_cast<double>(model.signal_dim() - 1)",
        "static_cast<double>(model.signal_dim())",
    ),
    Mutant("code-std", RECORD, "variance * count_ / (count_ - 1)", "variance * (count_ - 1) / (count_ - 1)"),
    Mutant("code-probability", RECORD, "as_columns(on_) / count_", "as_columns(on_) / (count_ + 1)"),
    Mutant("means-gaps-variance", MEANS, "gamma * energy + tau", "gamma + tau"),
    Mutant("means-gaps-residual", MEANS, "energy * variance + spread(l, n) * x * x", "energy * variance"),
    Mutant("means-gaps-log", MEANS, "z.on * std::log(code_var)", "std::log(code_var)"),
    Mutant("means-gaps-move", "pass/mean_residuals.cpp", "change[m] * seen.col(m).cwiseProduct(x)", "change[m] * x"),
    # Statistics.
    Mutant("vmf-series", VMF, "kappa / (2.0 * (nu + 1.0))", "kappa / (2.0 * nu + 1.0)"),
    Mutant(
        "vmf-shortfall",
        VMF,
        "nu * (s + kappa - nu) / ((s + kappa) * kappa)",
        "nu * (s + kappa) / ((s + kappa) * kappa)",
    ),
    Mutant("vmf-divergence", VMF, "0.5 * std::log1p(more / nu)", "0.4 * std::log1p(more / nu)"),
    # Learners.
    Mutant("atom-correlation", UPDATE, "D.col(n) * stats.x_xt(n, n)", "0.99 * D.col(n) * stats.x_xt(n, n)"),
    Mutant("atom-draw", UPDATE, "std::sqrt(s) * draws.normal()", "s * draws.normal()"),
    Mutant("gappy-rows", UPDATE, "q.mean.row(m).dot(G.col(n)) - q.mean(m, n) * G(n, n)", "q.mean.row(m).dot(G.col(n))"),
    Mutant("gappy-atom-direction", GAPPY_ATOM, "h * lacking.cwiseProduct(mu)", "0.9 * h * lacking.cwiseProduct(mu)"),
    Mutant("gappy-atom-range", GAPPY_ATOM, "2.0 * terms.c", "terms.c"),
    Mutant("gaps-sweeps", "learners/gaps.cpp", "(1.0 + missing) / (1.0 - missing)", "1.0 / (1.0 - missing)"),
    Mutant("joint-draw", UPDATE, "Dt += factor.matrixU().solve(E);", "Dt += factor.matrixL().solve(E);"),
    Mutant("atoms-entropy", UPDATE, "N * log_two_pi_e + log_det_cov", "N * log_two_pi_e - log_det_cov"),
    Mutant(
        "sphere-ratio",
        SPHERE,
        "m * (std::log(t0 + x0 * t) - log_at_x0)",
        "(m - 1.0) * (std::log(t0 + x0 * t) - log_at_x0)",
    ),
    Mutant(
        "beta-off",
        "learners/on_off_model.cpp",
        "draws.gamma(hyper.usage_off + sums.signals - sums.users[n])",
        "draws.gamma(hyper.usage_off + sums.signals)",
    ),
    Mutant(
        "slab-precision",
        "learners/on_off_model.cpp",
        "hyper.code_shape + 0.5 * sums.users.sum()",
        "hyper.code_shape + 0.5 * sums.signals",
    ),
    Mutant(
        "bpfa-atom",
        "learners/bpfa/atom_draw.cpp",
        "static_cast<double>(state.D.rows()) + precision * sums.q[m]",
        "1.0 + precision * sums.q[m]",
    ),
    Mutant(
        "best-chain", POOLING, "x->mean_log_joint() < y->mean_log_joint()", "x->mean_log_joint() > y->mean_log_joint()"
    ),
    Mutant("pooled-code-std", POOLING, "part->count * away * away", "0.0 * away"),
    Mutant("merged-atoms", AVERAGE, "2.0 * shift.cwiseProduct(sum)", "shift.cwiseProduct(sum)"),
    Mutant("noise-spread", AVERAGE, "noise_sq_sum_ / count_ - mean * mean", "noise_sq_sum_ / count_"),
    Mutant(
        "vb-atom-std",
        VB,
        "std::sqrt(dictionary_.entry_var(n, m)) / norms[n]",
        "std::sqrt(dictionary_.entry_var(n, m))",
    ),
    Mutant("vb-noise-std", VB, "std::sqrt(2.0 * pass_->values())", "std::sqrt(pass_->values())"),
    Mutant(
        "vb-bound",
        "learners/vb/bound.cpp",
        "(a + 0.5) * stats.objective.log_code_rate",
        "a * stats.objective.log_code_rate",
    ),
    Mutant(
        "on-off-vb-atom-std", "learners/vb/on_off_vb.cpp", "(along - across) * mu(m, n) * mu(m, n)", "0.0 * mu(m, n)"
    ),
    Mutant(
        "online-memory",
        "learners/online/online_learner.cpp",
        "A_.middleCols(first, count) *= memory;",
        "A_.middleCols(first, count) *= 1.0;",
    ),
    Mutant(
        "rls-gain",
        "learners/rls/rls_learner.cpp",
        "C_.noalias() -= (t * u_) * u_.transpose();",
        "C_.noalias() -= t * (t * u_) * u_.transpose();",
    ),
    # Diagnostics.
    Mutant("ess-last-even", CONVERGENCE, "last_even = std::max(even, 0.0);", "last_even = 0.0;"),
    Mutant("ess-monotone", CONVERGENCE, "sum += least_pair;", "sum += pair;"),
    Mutant("rank-offset", CONVERGENCE, "(rank - 0.375) / (S + 0.25)", "(rank - 0.5) / S"),
    Mutant("rhat-spread", CONVERGENCE, "std::fmax(rhat_of(scores), rhat_of(spread))", "rhat_of(scores)"),
    Mutant("tail-ess", CONVERGENCE, "std::fmin(ess_below(0.05), ess_below(0.95))", "ess_below(0.05)"),
    # Denoising.
    Mutant("second-pass-weights", PASSES, "1.0 / (1.0 + freedom)", "1.0"),
    Mutant("second-pass-mean", PASSES, "freedom / (freedom + mean_freedom)", "1.0"),
    Mutant("first-pass-weights", PASSES, "1.0 / (1.0 + static_cast<double>(out.atoms))", "1.0"),
    Mutant("blend-head-start", "denoise/blend.cpp", "-slope / curvature - head_start", "-slope / curvature"),
    Mutant("coarse-share", "denoise/half_size.cpp", "share * sum", "sum"),
    Mutant(
        "group-mean",
        "denoise/groups/group_filter.cpp",
        "patch[i] - mean[index(i)]",
        "patch[i] - 0.99 * mean[index(i)]",
    ),
    Mutant(
        "near-patches",
        "denoise/groups/similar_patches.cpp",
        "if (distance > limit_) return;",
        "if (distance >= limit_) return;",
    ),
    Mutant("grows-like-noise", "denoise/variance_fit.cpp", "!found || !like_noise", "!found"),
    Mutant("counts-of-zero", "denoise/variance_fit.cpp", "gain_of_counts * step", "gain_of_counts * 0.0"),
    Mutant("group-strip", "denoise/groups/group_pass.cpp", "reach(grid_.rows[end]).first", "grid_.rows[end]"),
    Mutant("patch-spread", "denoise/patch_average.cpp", "square_.row(row)[col] / total - off * off", "0.0 * off"),
    Mutant("noise-bands", "denoise/noise_estimate.cpp", "least < fine.power ? least : sum / weights", "fine.power"),
    Mutant(
        "resembling-half",
        RESEMBLING,
        "squares(row, col, best_row, best_col, 1)",
        "squares(row, col, best_row, best_col, 0)",
    ),
    Mutant("inpaint-holes", "inpaint/held_out.cpp", "has_holes(incomplete)", "false"),
    Mutant(
        "inpaint-own-hole",
        "inpaint/held_out.cpp",
        "quarter + step",
        "quarter + step - 1",
    ),
    Mutant("inpaint-deep", "inpaint/std_calibration.cpp", "likeliest(deep_, near)", "near"),
    Mutant("inpaint-as-observed", "inpaint/inpaint.cpp", "std::hypot(std, result_.noise_sd)", "std"),
    Mutant(
        "inpaint-noise-hides",
        "inpaint/std_calibration.cpp",
        "std::hypot(factor * error.sd, error.noise_sd)",
        "factor * error.sd",
    ),
    Mutant("resembling-constant", RESEMBLING, "distance >= nearest || !counts(y, x)", "distance >= nearest"),
    Mutant("unexplained-patch", PASSES, "setting.with_std && unexplained", "false"),
    Mutant(
        "resembling-light",
        RESEMBLING,
        "std::max(most, quartile(std::span(windows).subspan(first, last - first)))",
        "part > 0 ? most : quartile(std::span(windows).subspan(first, last - first))",
    ),
    Mutant(
        "white-noise-first-plane",
        "denoise/white_noise.cpp",
        "found.sd[0] > clearly_more * bounds[0]",
        "found.sd.back() > clearly_more * bounds.back()",
    ),
    Mutant("white-noise-growth", "denoise/denoise.cpp", "!some_region_flat_ && misled(model_)", "false"),
    Mutant("white-noise-shared", "denoise/denoise.cpp", "spectra.noise[p].reset();", "static_cast<void>(p);"),
    # Coders.
    Mutant("omp-tracked-error", OMP, "error2 - step * step", "error2 - 0.9 * step * step"),
    Mutant("omp-atom-norm", OMP, "s.values_[k] /= norm_[s.picked_[k]];", "s.values_[k] /= 1.0;"),
    Mutant("fista-momentum", "coders/fista.cpp", "(t - 1.0) / next", "0.0 * next"),
    Mutant(
        "fista-gap",
        "coders/fista.cpp",
        "0.5 * share * share * residual.col(i).squaredNorm()",
        "0.5 * share * residual.col(i).squaredNorm()",
    ),
    Mutant(
        "lasso-slope",
        "coders/lasso.cpp",
        "step_[i] = correlations[active_[i]] - lambda_ * sign_[i];",
        "step_[i] = correlations[active_[i]] - 0.99 * lambda_ * sign_[i];",
    ),
    # Missing pixels.
    Mutant("std-factor-two", "inpaint/std_calibration.cpp", "error.off <= levels[k].times * sd", "error.off <= sd"),
    Mutant(
        "fill-observed-variance",
        "inpaint/dictionary_fill.cpp",
        "(1.0 - share) * (1.0 - share) * (variance - left_variance()) + unknown",
        "(1.0 - share) * (variance - left_variance()) + unknown",
    ),
    # Applying a model.
    Mutant("encode-annealing", ENCODE, "way >= 1.0 ? gamma_ : gamma_ * std::pow(first, 1.0 - way)", "gamma_"),
    Mutant("encode-atom-var", ENCODE, "if (model.dictionary_std.empty()) return;", "return;"),
    Mutant("support-search", SUPPORT, "time == 0 || std::log(draws.uniform()) < found - best_log", "time == 0"),
    Mutant("support-aside", SUPPORT, "(1.0 - none_aside) / static_cast<double>(k + 1)", "1.0 - none_aside"),
    Mutant("support-start", SUPPORT, "0.5 * coding.signal_var", "0.05 * coding.signal_var"),
    Mutant("support-cooling", SUPPORT, "first_var_ * std::pow(noise_var_ / first_var_, way)", "noise_var_"),
    Mutant("encode-scale", ENCODE, "model.unit * norm", "model.unit"),
    Mutant("encode-sparse", ENCODE, "codes.probability.data()[i] < 0.5", "codes.probability.data()[i] < 0.4"),
    Mutant(
        "score-assigned",
        "apply/score.cpp",
        "score.assigned_distance[i] < threshold",
        "score.nearest_distance[i] < threshold",
    ),
]

# Mutants that no test can notice, and why.
EQUIVALENT: dict[str, str] = {}
