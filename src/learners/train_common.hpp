// What the train() functions of all learners do alike.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "options/describe.hpp"
#include "sbdl/train.hpp"
#include "train/block_sweep.hpp"
#include "train/run_monitor.hpp"

namespace sbdl {

inline std::vector<double> to_vector(const Vec& v) {
    return {v.data(), v.data() + v.size()};
}

/// Nothing is known of how well a run mixed: it was no chain.
inline constexpr Diagnostics no_diagnostics{
    std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(),
    std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

RunPlan plan_for(const std::string& method, const BlockSweep& signals, int chains, int sweeps);

/// "standard" or "paper" when the options are exactly those of that preset, but for what no preset sets; or "custom".
template <class Options>
std::string preset_of(const Options& options) {
    for (const Preset preset : {Preset::standard, Preset::paper}) {
        Options like = Options::preset(preset, options.atoms);
        for_each_field(like, [&](const auto& field, auto& value) {
            if (field.needed) value = options.*(field.member);
        });
        if (to_json(options) == to_json(like)) return std::string(to_string(preset));
    }
    return "custom";
}

/// Sets what is known before learning from signals / unit.
template <class Options>
void start_model(const std::string& method, const Options& options, const SignalSource& signals, double unit,
                 const Context& context, Model& model) {
    model.method = method;
    model.options_json = to_json(options);
    model.preset = preset_of(options);
    model.seed = context.seed;
    model.signal_count = signals.count();
    model.unit = unit;
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
