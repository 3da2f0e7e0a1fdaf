// What can be set for each learner. A plain struct per learner; fields() says each option once (name, bound, help), and
// the command line, JSON, the model file and validation all read it from there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace sbdl {

/// One described option: where it lives, what it is called, the least and greatest value it takes.
template <class Options, class Value>
struct Field {
    std::string_view name;  ///< as in JSON and the model file; the command line has dashes for underscores
    Value Options::*member;
    double least;
    bool least_allowed;  ///< false: the value must be above `least`
    double most;
    std::string_view help;
    bool needed = false;  ///< an optional that the user gives, or another in its place; no preset and no learner does

    /// What an optional without a value is called.
    [[nodiscard]] constexpr std::string_view unset() const { return needed ? "none" : "auto"; }
};

constexpr double unbounded = 1e300;

template <class Options, class Value>
constexpr auto at_least(std::string_view name, Value Options::*member, double least, std::string_view help,
                        double most = unbounded) {
    return Field<Options, Value>{name, member, least, true, most, help};
}
template <class Options, class Value>
constexpr auto above(std::string_view name, Value Options::*member, double least, std::string_view help,
                     double most = unbounded) {
    return Field<Options, Value>{name, member, least, false, most, help};
}
/// For options that have no order: switches and choices.
template <class Options, class Value>
constexpr auto choice(std::string_view name, Value Options::*member, std::string_view help) {
    return Field<Options, Value>{name, member, 0.0, true, unbounded, help};
}
template <class Options, class Value>
constexpr auto needed(Field<Options, std::optional<Value>> field) {
    field.needed = true;
    return field;
}

/// How the dictionary is updated in a sweep.
enum class DictionaryUpdate {
    sequential,  ///< one atom at a time
    joint        ///< the whole dictionary at once
};
/// The words of a choice, in the order of its values. Every enum that is an option has such a function.
constexpr std::array<std::string_view, 2> words_of(DictionaryUpdate) {
    return {"sequential", "joint"};
}

/// `paper` is the method as printed; `standard` is the best we know and asks for nothing but the data and the number of
/// atoms.
enum class Preset { standard, paper };

/// SBDL-Gibbs. The defaults are the standard preset.
struct GibbsOptions {
    int atoms = 0;
    DictionaryUpdate update = DictionaryUpdate::sequential;
    int burn_in = 500;
    int draws = 300;
    int thin = 1;
    int chains = 1;
    double code_shape = 0.5;
    std::optional<double> code_rate;  // none: tied to the noise, see core_to_noise
    double core_to_noise = 0.2;
    double noise_shape = 0.5;
    double noise_rate = 1e-12;
    double atom_variance = 1.0;
    bool own_units = true;
    double anneal_growth = 0.0125;
    int refresh_every = 3;
    bool average = true;
    bool second_look = true;
    bool keep_codes = false;

    static GibbsOptions preset(Preset which, int atoms);

    static constexpr auto fields() {
        using O = GibbsOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            choice("update", &O::update, "Draw the atoms one at a time (sequential) or all at once (joint)."),
            at_least("burn_in", &O::burn_in, 0, "Sweeps made before anything is kept.", 8e6),
            at_least("draws", &O::draws, 1, "Sweeps made after burn-in.", 8e6),
            at_least("thin", &O::thin, 1, "Keep every thin-th sweep after burn-in.", 1e7),
            at_least("chains", &O::chains, 1, "Independent chains; two or more give R-hat across chains.", 1e4),
            above("code_shape", &O::code_shape, 0, "Shape a of the Gamma prior of code precisions.", 1e6),
            above("code_rate", &O::code_rate, 0, "Rate b of that prior; 'auto' ties it to the noise in burn-in."),
            above("core_to_noise", &O::core_to_noise, 0,
                  "With code_rate auto: scale of the code prior's core over the noise standard deviation.", 1e6),
            above("noise_shape", &O::noise_shape, 0, "Shape c of the Gamma prior of the noise precision."),
            above("noise_rate", &O::noise_rate, 0, "Rate d of that prior."),
            above("atom_variance", &O::atom_variance, 0, "Prior variance beta of an atom's entries."),
            choice("own_units", &O::own_units,
                   "Scale the signals to unit root mean square inside, so that their units do not matter."),
            at_least("anneal_growth", &O::anneal_growth, 0,
                     "Relative rise a sweep of the cap on the noise precision in burn-in (more in a short one); 0: no "
                     "annealing.",
                     1),
            at_least("refresh_every", &O::refresh_every, 0,
                     "In burn-in, replace duplicate and unused atoms every so many sweeps; 0: never.", 1e7),
            choice("average", &O::average,
                   "Estimate the dictionary by its mean over the kept sweeps, not by the last one."),
            choice("second_look", &O::second_look,
                   "Judge the noise with on/off codes, which do not take noise for signal: gibbs in the end, vb to "
                   "hold it there."),
            choice("keep_codes", &O::keep_codes,
                   "Also return posterior mean and standard deviation of the training codes."),
        };
    }
};

/// SBDL-VB. The defaults are the standard preset.
struct VbOptions {
    int atoms = 0;
    DictionaryUpdate update = DictionaryUpdate::sequential;
    int start_sweeps = 600;
    int sweeps = 200;
    double tolerance = 1e-5;
    double code_shape = 0.5;
    double code_rate = 1e-6;
    double noise_shape = 0.5;
    double noise_rate = 1e-12;
    double atom_variance = 1e8;
    bool own_units = true;
    bool second_look = true;
    bool keep_codes = false;

    static VbOptions preset(Preset which, int atoms);

    static constexpr auto fields() {
        using O = VbOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms to learn.", 1e6),
            choice("update", &O::update, "Update the atoms one at a time (sequential) or all at once (joint)."),
            at_least("start_sweeps", &O::start_sweeps, 0,
                     "Sweeps of annealed Gibbs sampling that find the start; 0: start from signals.", 1e7),
            at_least("sweeps", &O::sweeps, 1, "The most VB sweeps made after the start.", 1e7),
            at_least("tolerance", &O::tolerance, 0, "Stop when the bound's relative change falls below this; 0: never.",
                     1),
            above("code_shape", &O::code_shape, 0, "Shape a of the Gamma prior of code precisions.", 1e6),
            above("code_rate", &O::code_rate, 0, "Rate b of that prior."),
            above("noise_shape", &O::noise_shape, 0, "Shape c of the Gamma prior of the noise precision."),
            above("noise_rate", &O::noise_rate, 0, "Rate d of that prior."),
            above("atom_variance", &O::atom_variance, 0, "Prior variance beta of an atom's entries."),
            choice("own_units", &O::own_units,
                   "Scale the signals to unit root mean square inside, so that their units do not matter."),
            choice("second_look", &O::second_look,
                   "Judge the noise with on/off codes, which do not take noise for signal, and hold it there."),
            choice("keep_codes", &O::keep_codes,
                   "Also return posterior mean and standard deviation of the training codes."),
        };
    }
};

/// Throws InputError naming the first option that is out of its bounds, with its value and the bound.
void validate(const GibbsOptions& options);
void validate(const VbOptions& options);

/// All options as a JSON object, in the order of fields().
std::string to_json(const GibbsOptions& options);
std::string to_json(const VbOptions& options);

std::string_view to_string(DictionaryUpdate update);
std::string_view to_string(Preset preset);

}  // namespace sbdl
