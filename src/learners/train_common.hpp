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

/// The second look takes the dictionary for exact, so what the atoms are off by counts as noise there. Widens
/// noise_sd_std by as much as the dictionary's own standard deviation could have added.
void add_dictionary_doubt(Model& model);

/// Throws NumericError naming the sweep when its noise precision or statistics are not finite.
void check_finite(int sweep, double noise_precision, const Mat& y_xt);

/// Throws InputError for a time limit that is none.
void check_context(const Context& context);

/// Trace, stop reason, time, program version.
void finish_result(const RunMonitor& monitor, TrainResult& result);

}  // namespace sbdl
