// The truth against the intervals of a model: noise, atoms, codes, reconstructed signals.
#include <algorithm>
#include <cmath>
#include <functional>

#include "experiments/calibration/calibration.hpp"
#include "experiments/calibration/spike_slab.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/score.hpp"
#include "sbdl/settling.hpp"

namespace sbdl::calibration {
namespace {

/// A true atom and its learned counterpart, which has the opposite direction when `sign` is -1.
struct Match {
    std::size_t true_atom = 0, atom = 0;
    double sign = 1.0;
};

std::vector<Match> found_atoms(const RecoveryScore& recovery, const Matrix& truth, const Matrix& learned) {
    std::vector<Match> found;
    for (std::size_t n = 0; n < truth.rows(); ++n) {
        if (recovery.assigned_distance[n] >= table1::recovery_threshold) continue;
        const auto atom = static_cast<std::size_t>(recovery.assigned_to[n]);
        double product = 0.0;
        for (std::size_t m = 0; m < truth.cols(); ++m) product += truth(n, m) * learned(atom, m);
        found.push_back({n, atom, product < 0.0 ? -1.0 : 1.0});
    }
    return found;
}

/// How many draws the standard deviations come from; 0 when they are not those of draws.
int draws_of(const Model& model) {
    if (!method_named(model.method).can.chains()) return 0;
    return static_cast<int>(std::count(model.trace.kept.begin(), model.trace.kept.end(), 1));
}

/// The largest, or smallest, of the numbers that are known.
template <class Better>
double extreme_of(std::initializer_list<double> numbers, const Better& more_extreme) {
    double extreme = std::numeric_limits<double>::quiet_NaN();
    for (const double number : numbers)
        if (!std::isnan(number) && (std::isnan(extreme) || more_extreme(number, extreme))) extreme = number;
    return extreme;
}

void check_posterior(const Model& model) {
    if (std::isnan(model.noise_sd_std) || model.dictionary_std.empty() || model.codes_std.empty() ||
        model.codes_probability.empty())
        throw InputError(fmt::format(
            "calibration: the {} model lacks a standard deviation, or the probabilities of its codes", model.method));
}

}  // namespace

CalibrationScore measure(const SynthSet& truth, const Model& model, const ReconstructionDraws& draws) {
    check_posterior(model);
    const RecoveryScore recovery = score_dictionary(truth.dictionary, model.dictionary, table1::recovery_threshold);
    const int kept = draws.empty() ? draws_of(model) : draws.count();

    CoverageCount noise, atoms, codes, expected;
    noise.add_gaussian(truth.noise_sd, model.noise_sd, model.noise_sd_std);
    for (const auto& [true_atom, atom, sign] : found_atoms(recovery, truth.dictionary, model.dictionary)) {
        for (std::size_t m = 0; m < truth.dictionary.cols(); ++m)
            atoms.add_gaussian(sign * truth.dictionary(true_atom, m), model.dictionary(atom, m),
                               model.dictionary_std(atom, m));
        for (std::size_t l = 0; l < truth.codes.rows(); ++l) {
            const double probability = model.codes_probability(l, atom);
            if (probability < 0.5) continue;
            const SpikeSlab posterior = spike_slab(model.codes(l, atom), model.codes_std(l, atom), probability, kept);
            std::array<Interval, Coverage::levels.size()> intervals;
            for (std::size_t i = 0; i < intervals.size(); ++i) intervals[i] = posterior.interval(share_of(i));
            const double code = sign * truth.codes(l, true_atom);
            codes.add([&](std::size_t i) { return intervals[i].contains(code) ? 1.0 : 0.0; });
            expected.add([&](std::size_t i) { return posterior.mass(intervals[i]); });
        }
    }

    Coverage reconstruction;
    if (!draws.empty())
        reconstruction = draws.coverage(truth);
    else if (kept == 0)
        reconstruction = reconstruction_coverage(truth, model);

    const Diagnostics& d = model.diagnostics;
    return {.nearest_percent = 100.0 * recovery.nearest_rate(),
            .noise_ratio = model.noise_sd / truth.noise_sd,
            .settled = judge_settling(model).settled == Settled::yes,
            .rhat = extreme_of({d.noise_rhat, d.objective_rhat, d.atoms_rhat, d.codes_rhat}, std::greater<>()),
            .ess = extreme_of({d.noise_ess, d.objective_ess, d.atoms_ess, d.codes_ess}, std::less<>()),
            .noise = noise.coverage(),
            .atoms = atoms.coverage(),
            .codes = codes.coverage(),
            .codes_expected = expected.coverage(),
            .reconstruction = reconstruction};
}

}  // namespace sbdl::calibration
