#include "learners/gibbs/on_off_stage.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "learners/gibbs/missing_atom.hpp"
#include "learners/model_parts.hpp"
#include "learners/sphere_draw.hpp"

namespace sbdl {
namespace {

// Chosen on synthetic sets (docs/results/how-recipes-were-chosen.md).
constexpr double cooling_share = 0.40;  // of this stage's burn-in
constexpr double held_share = 0.45;
constexpr double last_replacement = 0.80;  // of atoms; they need the rest to settle
constexpr int restarts = 20;
constexpr int restart_sweeps = 30;
constexpr int slow_sweeps = 120;         // of a restart of crowded codes, where the noise is beyond most_contrast
constexpr double restart_share = 0.125;  // of the signals
constexpr double deep_step = 1.6;        // by which the noise precision rises while an atom is fitted: 2 dB
constexpr int most_deep_sweeps = 100;
constexpr int most_tries = 3;            // to fit a missing atom, each from another direction
constexpr double least_users = 0.25;     // of an atom that was fitted well, in units of the mean atom's
constexpr double atoms_in_signal = 3.0;  // where the chain starts

/// Of the uniform density on the unit sphere in M dimensions, 1 / (2 pi^(M/2) / Gamma(M/2)).
double log_sphere_density(double M) {
    return std::lgamma(0.5 * M) - std::numbers::ln2 - 0.5 * M * std::log(std::numbers::pi);
}

/// The random numbers of restart `which` of those at one time. None is used twice.
OnOffNumbers restart_numbers(OnOffNumbers draw, std::uint32_t time, std::uint32_t which) {
    draw.sweep += (time * (1 + most_tries) + which) * (restart_sweeps + 1);
    return draw;
}

/// The same of restarts that take more sweeps: far from those above, in the 24 bits that a sweep's number has.
OnOffNumbers long_restart_numbers(OnOffNumbers draw, std::uint32_t time, std::uint32_t which) {
    constexpr std::uint32_t far = 1u << 23, sweeps = 256;
    static_assert(sweeps > std::max(restart_sweeps, slow_sweeps) + most_deep_sweeps);
    draw.sweep = (draw.sweep + far + (time * (2 + most_tries) + which) * sweeps) & 0xFFFFFFu;
    return draw;
}

/// In which the noise precision rises from one contrast to another; 0 when it is there.
int sweeps_beyond(double from, double to) {
    return std::clamp(static_cast<int>(std::ceil(std::log(to / from) / std::log(deep_step))), 0, most_deep_sweeps);
}

}  // namespace

OnOffStage::OnOffStage(CodePass& pass, const OnOffHyper& hyper, const Mat& atoms, double noise_precision, int burn_in)
    : pass_(pass),
      hyper_(hyper),
      cooling_(pass.signal_precision(), noise_precision, cooling_share, burn_in),
      burn_in_(burn_in),
      replaced_(Vec::Zero(atoms.cols())) {
    const auto M = static_cast<double>(atoms.rows());
    const auto N = static_cast<double>(atoms.cols());
    const auto L = static_cast<double>(pass.signal_count());
    state_.D = unit_columns(atoms);
    state_.noise_precision = noise_precision;
    // As if a signal were made up of this many atoms.
    state_.probability = Vec::Constant(atoms.cols(), std::min(0.5, atoms_in_signal / N));
    state_.code_precision = atoms_in_signal * pass.signal_precision() / M;
    sums_ = {.users = Vec::Zero(atoms.cols()),
             .code_energy = Vec::Zero(atoms.cols()),
             .signals = L,
             .values = pass.values()};
}

void OnOffStage::repair(int sweep, const OnOffNumbers& draw) {
    const int first = std::max(1, static_cast<int>(held_share * burn_in_));  // there are codes
    const int every = std::max(1, (burn_in_ - first) / restarts);
    if (sweep < first || sweep >= burn_in_ || (sweep - first) % every != 0) return;
    const auto time = static_cast<std::uint32_t>((sweep - first) / every);
    const OnOffRestart plain{.state = &state_,
                             .draw = draw,
                             .signal_precision = pass_.signal_precision(),
                             .sweeps = restart_sweeps,
                             .share = restart_share};
    OnOffRestart slow = plain;
    slow.sweeps = slow_sweeps;
    slow.deep_sweeps = sweeps_beyond(most_contrast, state_.noise_precision / pass_.signal_precision());
    slow.crowded_only = true;
    slow.draw = long_restart_numbers(draw, time, 0);
    if (slow.deep_sweeps > 0) pass_.restart(slow);

    OnOffRestart restart = plain;
    restart.draw = restart_numbers(draw, time, 0);
    restart.show_unexplained = true;
    const OnOffRestarted restarted = pass_.restart(restart);
    if (sweep >= static_cast<int>(last_replacement * burn_in_)) return;
    const auto missing = find_missing_atom(restarted.unexplained, restarted.energy_of_others, state_.D);
    if (!missing) return;

    const Eigen::Index n = missing->least_needed;
    state_.probability[n] = state_.probability.mean();
    restart.show_unexplained = false;
    restart.fitted_atom = n;
    restart.deep_sweeps = slow.deep_sweeps;
    const auto numbers = restart.deep_sweeps > 0 ? long_restart_numbers : restart_numbers;
    // Most signals that need the atom begin anew, but no more than begin anew can use it.
    const double enough_users = least_users * std::min(sums_.users.mean(), restart_share * sums_.signals);
    const Eigen::Index tries = std::min<Eigen::Index>(most_tries, missing->directions.cols());
    OnOffRestarted best;
    for (Eigen::Index i = 0; i < tries && (i == 0 || static_cast<double>(best.users) < enough_users); ++i) {
        restart.draw = numbers(draw, time, 1 + static_cast<std::uint32_t>(i));
        state_.D.col(n) = missing->directions.col(i);
        OnOffRestarted fitted = pass_.restart(restart);
        if (i == 0 || fitted.users > best.users) best = std::move(fitted);
    }
    state_.D.col(n) = best.fitted_atom;
    replaced_[n] = 1.0;
    // Crowded codes would turn the new atom away again.
    slow.draw = long_restart_numbers(draw, time, 1 + most_tries);
    if (slow.deep_sweeps > 0) pass_.restart(slow);
}

ChainSweep OnOffStage::sweep(int sweep, const OnOffNumbers& draw, const Vec* scale) {
    repair(sweep, draw);
    if (cooling_.active(sweep)) state_.noise_precision = cooling_.precision(sweep);
    const SufficientStats& stats = pass_.sweep(OnOffSweep{.state = &state_, .draw = draw}, scale);
    sums_.users = stats.users;
    sums_.code_energy = stats.x_xt.diagonal();
    sums_.residual_sq = stats.residual_sq;

    DrawStream shared(draw.seed, {Purpose::on_off_shared, draw.sweep, draw.chain, 0});
    draw_probabilities(hyper_, sums_, shared, state_.probability);
    state_.code_precision = draw_code_precision(hyper_, sums_, shared);
    state_.noise_precision = draw_noise_precision(hyper_, sums_, shared);
    check_finite(static_cast<int>(draw.sweep), state_.noise_precision, stats.y_xt);

    const ChainSweep result{
        .log_joint = on_off_log_density(hyper_, sums_, state_) +
                     static_cast<double>(state_.D.cols()) * log_sphere_density(static_cast<double>(state_.D.rows())),
        .gamma = state_.noise_precision,
        .mean_nonzeros = sums_.users.sum() / sums_.signals};
    if (sweep >= static_cast<int>(held_share * burn_in_)) {
        DrawStream atoms(draw.seed, {Purpose::dictionary, draw.sweep, draw.chain, 0});
        if (pass_.gaps())
            draw_atoms_on_sphere(pass_, state_.noise_precision, atoms, state_.D);
        else
            draw_atoms_on_sphere(stats, state_.noise_precision, atoms, state_.D);
    }
    return result;
}

void OnOffStage::archive(StateArchive& archive) {
    archive("D", state_.D);
    archive("probability", state_.probability);
    archive("code_precision", state_.code_precision);
    archive("noise_precision", state_.noise_precision);
    archive("users", sums_.users);
    archive("code_energy", sums_.code_energy);
    archive("replaced", replaced_);
    archive("cooling", cooling_);
}

}  // namespace sbdl
