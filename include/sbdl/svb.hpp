// Stochastic variational Bayes: the model of vb with on/off codes (docs/math.md, X), learned from a stream, batch by
// batch, in one pass. It infers what vb infers, in memory that does not grow with the number of signals.
//
//     sbdl::SvbOptions options;
//     options.atoms = 512;
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"
#include "sbdl/stream.hpp"

namespace sbdl {

/// A run that starts from a model of this method continues its stream: the model holds the posterior. Same seed, same
/// result, whatever the number of threads. The standard deviations of the atoms are those of the approximation, which
/// are too small (docs/methods/svb.md).
struct SvbOptions {
    static constexpr std::string_view method = "svb";

    int atoms = 0;
    int sweeps = 1;
    int batch = 512;
    int start_sweeps = 600;
    int start_signals = 2000;
    int code_sweeps = 12;
    double delay = 2.0;
    double decay = 1.0;
    double usage_on = 1.0;
    double usage_off = 1.0;
    double slab_shape = 0.5;
    double slab_rate = 0.5;
    double noise_shape = 0.5;
    double noise_rate = 1e-12;
    double duplicate_correlation = 0.95;
    StreamOrder order = StreamOrder::stored;
    bool reestimate_noise = true;
    bool keep_codes = false;

    static SvbOptions preset(Preset which, int atoms);
    void check() const {}

    static constexpr auto fields() {
        using O = SvbOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            at_least("sweeps", &O::sweeps, 1, "Passes over all signals.", 1e7),
            at_least("batch", &O::batch, 1, "Signals coded between two updates of everything else.", 1e7),
            at_least("start_sweeps", &O::start_sweeps, 0,
                     "Sweeps of annealed Gibbs sampling over some of the signals, which find the start; 0: start from "
                     "signals.",
                     1e7),
            at_least("start_signals", &O::start_signals, 1,
                     "Number of signals used by the start sweeps, spread evenly; raised to 20 per atom if necessary.",
                     1e9),
            at_least("code_sweeps", &O::code_sweeps, 2,
                     "Sweeps over the codes of a batch; in most of them the noise falls.", 1e6),
            above("delay", &O::delay, 0,
                  "Batches before steps become smaller: step t, from 0, has length (1 + t / delay)^-decay.", 1e9),
            at_least("decay", &O::decay, 0.5,
                     "Exponent of that decrease. 1: all batches count equally in the end; smaller values forget old "
                     "batches, for streams that change. Below 0.5 the steps would not settle.",
                     1),
            above("usage_on", &O::usage_on, 0,
                  "Beta prior of an atom's probability, as a count of signals that use it.", 1e6),
            above("usage_off", &O::usage_off, 0,
                  "Beta prior of an atom's probability, as a count of signals that do not use it.", 1e6),
            above("slab_shape", &O::slab_shape, 0, "Shape of the Gamma prior of the precision of codes that are on.",
                  1e6),
            above("slab_rate", &O::slab_rate, 0, "Rate of the Gamma prior of the precision of codes that are on."),
            above("noise_shape", &O::noise_shape, 0, "Shape of the Gamma prior of the noise precision."),
            above("noise_rate", &O::noise_rate, 0, "Rate of the Gamma prior of the noise precision."),
            above("duplicate_correlation", &O::duplicate_correlation, 0,
                  "Replace atoms whose |correlation| with a more used one is above this, and those that hardly any "
                  "signal uses; 1: replace none.",
                  1),
            choice("order", &O::order, "Take signals as they are stored, for huge files, or at random (shuffled)."),
            choice("reestimate_noise", &O::reestimate_noise,
                   "Re-estimate the noise at the end by sampling: that of the approximation is too large."),
            choice("keep_codes", &O::keep_codes,
                   "Also store mean, standard deviation and probability of the training codes in the model."),
        };
    }
};

}  // namespace sbdl
