// SBDL-VB: variational Bayes, for the paper's model (docs/math.md, V) or for on/off codes (W). It infers what gibbs
// infers.
//
//     sbdl::VbOptions options = sbdl::VbOptions::preset(sbdl::Preset::standard, 50);
//     sbdl::TrainResult result = sbdl::train(source, options);
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "sbdl/options.hpp"

namespace sbdl {

/// SBDL-VB. The defaults are the standard preset.
struct VbOptions {
    static constexpr std::string_view method = "vb";
    static constexpr int least_closing_sweeps = 40;

    int atoms = 0;
    CodePrior prior = CodePrior::on_off;
    DictionaryUpdate update = DictionaryUpdate::sequential;
    int start_sweeps = 600;
    int most_start_sweeps = 3000;
    int sweeps = 200;
    double tolerance = 1e-5;
    int closing_sweeps = 400;
    int most_closing_sweeps = 4000;
    double code_shape = 0.5;
    double code_rate = 1e-6;
    double usage_on = 1.0;
    double usage_off = 1.0;
    double slab_shape = 0.5;
    double slab_rate = 0.5;
    double noise_shape = 0.5;
    double noise_rate = 1e-12;
    double atom_variance = 1e8;
    bool own_units = true;
    bool reestimate_noise = true;
    EmptySignals empty_signals = EmptySignals::refuse;
    bool keep_codes = false;

    static VbOptions preset(Preset which, int atoms);
    void check() const;

    static constexpr auto fields() {
        using O = VbOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            choice("prior", &O::prior,
                   "Prior of a code entry: the paper's heavy-tailed one (student-t), or exactly zero or Gaussian "
                   "(on-off)."),
            choice("update", &O::update,
                   "Update the atoms one at a time (sequential) or, with prior student-t, all at once (joint)."),
            at_least("start_sweeps", &O::start_sweeps, 0,
                     "Sweeps of annealed Gibbs sampling that find the start; 0: start from signals.", 1e7),
            at_least(
                "most_start_sweeps", &O::most_start_sweeps, 0,
                "With a share f of the entries missing, there are (1 + f) / (1 - f) times as many start sweeps, but at "
                "most this number; 0: never more.",
                1e7),
            at_least("sweeps", &O::sweeps, 1, "Maximum number of VB sweeps after the start.", 1e7),
            at_least("tolerance", &O::tolerance, 0, "Stop when the bound's relative change falls below this; 0: never.",
                     1),
            with_on_off(at_least(
                "closing_sweeps", &O::closing_sweeps, 0,
                "With prior on-off: sweeps of Gibbs sampling after VB, at least 40, whose second half gives the noise "
                "and all standard deviations; 0: those of VB, which are too small.",
                1e7)),
            with_on_off(at_least(
                "most_closing_sweeps", &O::most_closing_sweeps, 0,
                "With prior on-off: maximum number of closing sweeps. They continue until the effective sample size is "
                "at least 100 and R-hat at most 1.05; 0: never continue.",
                1e7)),
            with_student_t(above("code_shape", &O::code_shape, 0,
                                 "With prior student-t: shape a of the Gamma prior of code precisions.", 1e6)),
            with_student_t(above("code_rate", &O::code_rate, 0,
                                 "With prior student-t: rate b of the Gamma prior of code precisions.")),
            with_on_off(above(
                "usage_on", &O::usage_on, 0,
                "With prior on-off: Beta prior of an atom's probability, as a count of signals that use it.", 1e6)),
            with_on_off(above(
                "usage_off", &O::usage_off, 0,
                "With prior on-off: Beta prior of an atom's probability, as a count of signals that do not use it.",
                1e6)),
            with_on_off(above("slab_shape", &O::slab_shape, 0,
                              "With prior on-off: shape of the Gamma prior of the precision of codes that are on.",
                              1e6)),
            with_on_off(above("slab_rate", &O::slab_rate, 0,
                              "With prior on-off: rate of the Gamma prior of the precision of codes that are on.")),
            above("noise_shape", &O::noise_shape, 0, "Shape c of the Gamma prior of the noise precision."),
            above("noise_rate", &O::noise_rate, 0, "Rate d of the Gamma prior of the noise precision."),
            with_student_t(above("atom_variance", &O::atom_variance, 0,
                                 "With prior student-t: prior variance beta of an atom's entries.")),
            choice("own_units", &O::own_units,
                   "Scale the signals to unit root mean square internally, so that their units do not matter."),
            choice("reestimate_noise", &O::reestimate_noise,
                   "Re-estimate the noise with on/off codes, which do not absorb noise: with prior student-t to fix it "
                   "there, without closing sweeps at the end."),
            empty_signals_field<O>(),
            choice("keep_codes", &O::keep_codes,
                   "Also store posterior mean and standard deviation of the training codes in the model."),
        };
    }
};

}  // namespace sbdl
