#include "learners/train_common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learners/second_look.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

RunPlan plan_for(const std::string& method, const BlockSweep& signals, int chains, int sweeps) {
    return {.method = method,
            .signal_count = signals.signal_count(),
            .signal_dim = signals.signal_dim(),
            .atom_count = signals.atom_count(),
            .chains = chains,
            .sweeps = sweeps};
}

namespace {

void add_dictionary_doubt(Model& model) {
    double variance = 0.0;  // an entry of (D^ - D) x has, on average
    for (std::size_t n = 0; n < model.dictionary_std.rows(); ++n) {
        double atom = 0.0;
        for (const double entry : model.dictionary_std.row(n)) atom += entry * entry;
        variance += model.atom_usage[n] * model.atom_usage[n] * atom / static_cast<double>(model.signal_dim());
    }
    const double quietest = std::sqrt(std::max(0.0, model.noise_sd * model.noise_sd - variance));
    model.noise_sd_std = std::hypot(model.noise_sd_std, model.noise_sd - quietest);
}

}  // namespace

void judge_noise_again(const BlockSweep& signals, const Mat& D, std::uint64_t seed, std::uint32_t chain, Model& model) {
    const SecondLook look = look_again_at_noise(signals, D, seed, chain);
    model.noise_sd = signals.unit() * look.noise_sd;
    model.noise_sd_std = signals.unit() * look.noise_sd_std;
    add_dictionary_doubt(model);
}

void check_finite(int sweep, double noise_precision, const Mat& y_xt) {
    if (std::isfinite(noise_precision) && noise_precision > 0.0 && y_xt.allFinite()) return;
    throw NumericError(
        fmt::format("sweep {}: noise precision {} and codes are out of the range of double precision; do priors and "
                    "signals have the "
                    "same units?",
                    sweep + 1, noise_precision));
}

void check_context(const Context& context) {
    if (!(context.time_limit_s >= 0.0))
        throw InputError(fmt::format("time_limit_s is {}, must be at least 0", context.time_limit_s));
}

void finish_result(const RunMonitor& monitor, TrainResult& result) {
    result.model.trace = monitor.trace();
    result.model.stop_reason = to_string(result.reason);
    result.model.program_version = version();
    result.sweeps = monitor.sweeps();
    result.seconds = monitor.seconds();
}

}  // namespace sbdl
