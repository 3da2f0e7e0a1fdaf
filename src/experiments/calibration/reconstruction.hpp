// The noise-free signals D x against the posterior of their reconstruction: the draws of a chain, or the moments of a
// variational posterior. A few signals of each trial are looked at: the draws of all would take gigabytes.
#pragma once

#include <vector>

#include "experiments/calibration/coverage_count.hpp"
#include "experiments/calibration/spike_slab.hpp"
#include "sbdl/observer.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::calibration {

constexpr std::size_t most_watched_signals = 50;

/// Evenly spread, at most `most_watched_signals`.
std::vector<std::size_t> watched_signals(std::size_t count);

/// The equal-tailed interval of draws, of which there is at least one. The truth is below the k-th smallest of S
/// independent draws from its own distribution with probability k / (S + 1); between two draws the ends are
/// interpolated.
Interval interval_of_draws(const std::vector<double>& sorted, double share);

/// Collects draws of the watched signals from the kept sweeps of a run. 50 signals of 20 entries take 8 kB a sweep.
class ReconstructionDraws final : public Observer {
public:
    void on_start(const RunPlan& plan) override { signals_ = watched_signals(plan.signal_count); }
    Flow on_sweep(const SweepReport& report) override;

    [[nodiscard]] bool empty() const { return draws_.empty(); }
    /// How many draws there are of each entry.
    [[nodiscard]] int count() const { return draws_.empty() ? 0 : static_cast<int>(draws_.front().size()); }
    /// How many of the entries of the noise-free signals are in the intervals of their draws.
    [[nodiscard]] Coverage coverage(const SynthSet& truth) const;

private:
    std::vector<std::size_t> signals_;
    std::vector<std::vector<double>> draws_;  // of each entry of each signal, by rows
};

/// The same for a model of vb with on/off codes and no closing chain. Under its posterior the entries of a code and the
/// atoms are independent, so that with E|d_n|^2 = 1
///
///     Var (D x)_m = sum_n  Var d_mn (Var x_n + <x_n>^2) + <d_mn>^2 Var x_n
///
/// and the interval is that of a Gaussian.
Coverage reconstruction_coverage(const SynthSet& truth, const Model& model);

}  // namespace sbdl::calibration
