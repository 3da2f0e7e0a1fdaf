// What the train() functions of all learners do alike.
#pragma once

#include <string>
#include <vector>

#include "sbdl/train.hpp"
#include "train/block_sweep.hpp"
#include "train/run_monitor.hpp"

namespace sbdl {

inline std::vector<double> to_vector(const Vec& v) {
    return {v.data(), v.data() + v.size()};
}

RunPlan plan_for(const std::string& method, const BlockSweep& signals, int chains, int sweeps);

/// Sets what is known before learning. The preset is named when the options are exactly those of one.
template <class Options>
void start_model(const std::string& method, const Options& options, const BlockSweep& signals, const Context& context,
                 Model& model) {
    model.method = method;
    model.options_json = to_json(options);
    model.preset = "custom";
    for (const Preset preset : {Preset::standard, Preset::paper})
        if (model.options_json == to_json(Options::preset(preset, options.atoms))) model.preset = to_string(preset);
    model.seed = context.seed;
    model.signal_count = signals.signal_count();
    model.unit = signals.unit();
}

/// Sets the noise by a second look (learners/second_look.hpp), which takes the dictionary for exact, so that what the
/// atoms are off by counts as noise there: noise_sd_std is widened by as much as the dictionary's own deviation could
/// have added. To be called once the model has its dictionary, deviations and usage.
void judge_noise_again(const BlockSweep& signals, const Mat& D, std::uint64_t seed, std::uint32_t chain, Model& model);

/// Priors as the options have them; the code rate may have been found on the way.
template <class Options>
void set_priors(const Options& options, double code_rate, Model& model) {
    model.code_shape = options.code_shape;
    model.code_rate = code_rate;
    model.noise_shape = options.noise_shape;
    model.noise_rate = options.noise_rate;
    model.atom_variance = options.atom_variance;
}

/// Throws NumericError naming the sweep when its noise precision or statistics are not finite.
void check_finite(int sweep, double noise_precision, const Mat& y_xt);

/// Throws InputError for a time limit that is none.
void check_context(const Context& context);

/// Trace, stop reason, time, program version.
void finish_result(const RunMonitor& monitor, TrainResult& result);

}  // namespace sbdl
