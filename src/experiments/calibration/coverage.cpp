// The truth against the intervals of a model: noise, atoms, codes.
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

/// Adds up the share of each value at each level: 1 when it is inside, 0 when not, or what is expected of it.
class CoverageCount {
public:
    template <class ShareAt>
    void add(const ShareAt& share_at) {
        ++values_;
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += share_at(i);
    }
    [[nodiscard]] Coverage coverage() const {
        Coverage result{values_, {}};
        if (values_ > 0)
            for (std::size_t i = 0; i < sums_.size(); ++i) result.percent[i] = 100.0 * sums_[i] / values_;
        return result;
    }

private:
    int values_ = 0;
    std::array<double, Coverage::levels.size()> sums_{};
};

double share_of(std::size_t level) {
    return Coverage::levels[level] / 100.0;
}

/// The value is in mean +- z sd.
void count_gaussian(CoverageCount& count, double value, double mean, double sd) {
    static const std::array half_widths = [] {
        std::array<double, Coverage::levels.size()> made{};
        for (std::size_t i = 0; i < made.size(); ++i) made[i] = gaussian_half_width(share_of(i));
        return made;
    }();
    count.add([&](std::size_t i) { return std::abs(value - mean) <= half_widths[i] * sd ? 1.0 : 0.0; });
}

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

CalibrationScore measure(const SynthSet& truth, const Model& model) {
    check_posterior(model);
    const RecoveryScore recovery = score_dictionary(truth.dictionary, model.dictionary, table1::recovery_threshold);
    const int draws = draws_of(model);

    CoverageCount noise, atoms, codes, expected;
    count_gaussian(noise, truth.noise_sd, model.noise_sd, model.noise_sd_std);
    for (const auto& [true_atom, atom, sign] : found_atoms(recovery, truth.dictionary, model.dictionary)) {
        for (std::size_t m = 0; m < truth.dictionary.cols(); ++m)
            count_gaussian(atoms, sign * truth.dictionary(true_atom, m), model.dictionary(atom, m),
                           model.dictionary_std(atom, m));
        for (std::size_t l = 0; l < truth.codes.rows(); ++l) {
            const double probability = model.codes_probability(l, atom);
            if (probability < 0.5) continue;
            const SpikeSlab posterior = spike_slab(model.codes(l, atom), model.codes_std(l, atom), probability, draws);
            std::array<Interval, Coverage::levels.size()> intervals;
            for (std::size_t i = 0; i < intervals.size(); ++i) intervals[i] = posterior.interval(share_of(i));
            const double code = sign * truth.codes(l, true_atom);
            codes.add([&](std::size_t i) { return intervals[i].contains(code) ? 1.0 : 0.0; });
            expected.add([&](std::size_t i) { return posterior.mass(intervals[i]); });
        }
    }

    const Diagnostics& d = model.diagnostics;
    return {.nearest_percent = 100.0 * recovery.nearest_rate(),
            .noise_ratio = model.noise_sd / truth.noise_sd,
            .settled = judge_settling(model).settled == Settled::yes,
            .rhat = extreme_of({d.noise_rhat, d.objective_rhat, d.atoms_rhat, d.codes_rhat}, std::greater<>()),
            .ess = extreme_of({d.noise_ess, d.objective_ess, d.atoms_ess, d.codes_ess}, std::less<>()),
            .noise = noise.coverage(),
            .atoms = atoms.coverage(),
            .codes = codes.coverage(),
            .codes_expected = expected.coverage()};
}

}  // namespace sbdl::calibration
