#include "experiments/calibration/reconstruction.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl::calibration {
namespace {

double noise_free(const SynthSet& truth, std::size_t signal, std::size_t entry) {
    double sum = 0.0;
    for (std::size_t n = 0; n < truth.dictionary.rows(); ++n)
        sum += truth.codes(signal, n) * truth.dictionary(n, entry);
    return sum;
}

/// The length of the mean of each atom. The model has the mean at unit norm, and an atom's squared length is 1.
std::vector<double> mean_lengths(const Model& model) {
    std::vector<double> lengths;
    for (std::size_t n = 0; n < model.atom_count(); ++n) {
        double spread = 0.0;
        for (const double std : model.dictionary_std.row(n)) spread += std * std;
        lengths.push_back(std::sqrt(std::max(0.0, 1.0 - spread)));
    }
    return lengths;
}

}  // namespace

std::vector<std::size_t> watched_signals(std::size_t count) {
    const std::size_t watched = std::min(count, most_watched_signals);
    std::vector<std::size_t> signals;
    for (std::size_t i = 0; i < watched; ++i) signals.push_back(i * count / watched);
    return signals;
}

Interval interval_of_draws(const std::vector<double>& sorted, double share) {
    const auto draws = static_cast<double>(sorted.size());
    const auto quantile = [&](double below) {
        const double place = std::clamp(below * (draws + 1.0) - 1.0, 0.0, draws - 1.0);  // counted from 0
        const auto left = static_cast<std::size_t>(place);
        const std::size_t right = std::min(left + 1, sorted.size() - 1);
        return std::lerp(sorted[left], sorted[right], place - static_cast<double>(left));
    };
    return {quantile(0.5 * (1.0 - share)), quantile(0.5 * (1.0 + share))};
}

Flow ReconstructionDraws::on_sweep(const SweepReport& report) {
    if (report.phase != Phase::kept) return Flow::go_on;
    const Matrix draw = report.reconstruct(signals_);
    if (draw.empty()) return Flow::go_on;  // a sweep of VB, which draws nothing
    draws_.resize(draw.size());
    for (std::size_t i = 0; i < draw.size(); ++i) draws_[i].push_back(draw.data()[i]);
    return Flow::go_on;
}

Coverage ReconstructionDraws::coverage(const SynthSet& truth) const {
    CoverageCount count;
    const std::size_t dim = truth.dictionary.cols();
    for (std::size_t i = 0; i < draws_.size(); ++i) {
        std::vector<double> sorted = draws_[i];
        std::sort(sorted.begin(), sorted.end());
        const double value = noise_free(truth, signals_[i / dim], i % dim);
        count.add(
            [&](std::size_t level) { return interval_of_draws(sorted, share_of(level)).contains(value) ? 1.0 : 0.0; });
    }
    return count.coverage();
}

Coverage reconstruction_coverage(const SynthSet& truth, const Model& model) {
    const std::vector<double> lengths = mean_lengths(model);
    CoverageCount count;
    for (const std::size_t l : watched_signals(truth.codes.rows()))
        for (std::size_t m = 0; m < model.signal_dim(); ++m) {
            double mean = 0.0, variance = 0.0;
            for (std::size_t n = 0; n < model.atom_count(); ++n) {
                const double atom = lengths[n] * model.dictionary(n, m), atom_std = model.dictionary_std(n, m);
                const double code = model.codes(l, n), code_std = model.codes_std(l, n);
                mean += atom * code;
                variance +=
                    atom_std * atom_std * (code_std * code_std + code * code) + atom * atom * code_std * code_std;
            }
            count.add_gaussian(noise_free(truth, l, m), mean, std::sqrt(variance));
        }
    return count.coverage();
}

}  // namespace sbdl::calibration
