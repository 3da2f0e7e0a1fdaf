// The result of a run: the dictionary and the noise, their uncertainty, the priors, and the trace of the sweeps.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sbdl/detail/fields.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// One entry per sweep of each chain, from its SweepReport.
struct Trace {
    std::vector<int> chain;
    std::vector<int> sweep;
    std::vector<int> kept;  ///< 0 in burn-in (VB: until start and noise have settled), 1 after
    std::vector<double> objective;
    std::vector<double> noise_sd;

    static constexpr auto fields() {
        using P = Trace;
        return std::tuple{
            PartArray{"chain", &P::chain, "chain of each entry, counted from 0"},
            PartArray{"sweep", &P::sweep, "sweep of each entry, counted from 1 in its chain"},
            PartArray{"kept", &P::kept, "0 in burn-in (VB: until start and noise have settled), 1 after"},
            PartArray{"objective", &P::objective,
                      "VB: bound on the log evidence; Gibbs: log joint density; in the learner's own units"},
            PartArray{"noise_sd", &P::noise_sd, "noise standard deviation of the sweep, in the units of the signals"}};
    }
};

/// Rank-normalised split R-hat and effective sample sizes over the kept sweeps of all chains (docs/math.md, C2). NaN
/// where there are too few, where there is no chain, and in files of older programs. sbdl/settling.hpp judges them.
struct Diagnostics {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    double noise_rhat = unknown, noise_ess = unknown, noise_ess_tail = unknown;
    double objective_rhat = unknown, objective_ess = unknown, objective_ess_tail = unknown;
    double atoms_rhat = unknown, atoms_ess = unknown, atoms_ess_tail = unknown;
    double codes_rhat = unknown, codes_ess = unknown, codes_ess_tail = unknown;
    double pooled_chains = unknown;

    static constexpr auto fields() {
        using P = Diagnostics;
        constexpr Range range = Range::diagnostic;
        return std::array{
            PartNumber<P>{"noise_rhat", &P::noise_rhat, range, "R-hat of the noise"},
            PartNumber<P>{"noise_ess", &P::noise_ess, range, "effective sample size of the noise"},
            PartNumber<P>{"noise_ess_tail", &P::noise_ess_tail, range, "the same for its 5 % and 95 % quantiles"},
            PartNumber<P>{"objective_rhat", &P::objective_rhat, range, "R-hat of the log density"},
            PartNumber<P>{"objective_ess", &P::objective_ess, range, "effective sample size of the log density"},
            PartNumber<P>{"objective_ess_tail", &P::objective_ess_tail, range, "the same for its quantiles"},
            PartNumber<P>{"atoms_rhat", &P::atoms_rhat, range, "the largest R-hat of a few atoms' directions"},
            PartNumber<P>{"atoms_ess", &P::atoms_ess, range, "their smallest effective sample size"},
            PartNumber<P>{"atoms_ess_tail", &P::atoms_ess_tail, range, "the same for their quantiles"},
            PartNumber<P>{"codes_rhat", &P::codes_rhat, range, "the larger R-hat of the codes' size and number"},
            PartNumber<P>{"codes_ess", &P::codes_ess, range, "their smaller effective sample size"},
            PartNumber<P>{"codes_ess_tail", &P::codes_ess_tail, range, "the same for their quantiles"},
            PartNumber<P>{"pooled_chains", &P::pooled_chains, range,
                          "number of chains over which the estimate is averaged"}};
    }
};

/// What gibbs and vb with the prior student-t add: the priors of the paper's model, on the learner's own scale.
struct SbdlPrior {
    double code_shape = 0.5, code_rate = 1e-6;
    double noise_shape = 0.5, noise_rate = 1e-6;
    double atom_variance = 1.0;

    static constexpr auto fields() {
        using P = SbdlPrior;
        return std::array{
            PartNumber<P>{"code_shape", &P::code_shape, Range::positive,
                          "shape a of the Gamma prior of code precisions"},
            PartNumber<P>{"code_rate", &P::code_rate, Range::positive, "rate b of that prior"},
            PartNumber<P>{"noise_shape", &P::noise_shape, Range::positive, "shape c of the noise precision's prior"},
            PartNumber<P>{"noise_rate", &P::noise_rate, Range::positive, "rate d of that prior"},
            PartNumber<P>{"atom_variance", &P::atom_variance, Range::positive, "prior variance of an atom's entries"}};
    }
};

/// What models with on/off codes add (gibbs, vb, svb, bpfa): the priors, on the learner's own scale, and what was
/// inferred.
struct OnOffPrior {
    double usage_on = 1.0, usage_off = 1.0;
    double code_shape = 1e-6, code_rate = 1e-6;
    double noise_shape = 1e-6, noise_rate = 1e-6;
    double code_precision = 0.0;  ///< posterior mean of the precision of codes that are on; 0: unknown
    /// Posterior mean of the probability that a signal uses the atom.
    std::vector<double> atom_probability{};

    static constexpr auto fields() {
        using P = OnOffPrior;
        return std::array{
            PartNumber<P>{"usage_on", &P::usage_on, Range::positive, "Beta prior of an atom's probability: signals on"},
            PartNumber<P>{"usage_off", &P::usage_off, Range::positive, "the same: signals off"},
            PartNumber<P>{"code_shape", &P::code_shape, Range::positive,
                          "shape of the Gamma prior of the codes' precision"},
            PartNumber<P>{"code_rate", &P::code_rate, Range::positive, "rate of that prior"},
            PartNumber<P>{"noise_shape", &P::noise_shape, Range::positive, "shape of the noise precision's prior"},
            PartNumber<P>{"noise_rate", &P::noise_rate, Range::positive, "rate of that prior"},
            PartNumber<P>{"code_precision", &P::code_precision, Range::not_negative,
                          "precision of codes that are on; 0: unknown"}};
    }
};

/// What the entries of an atom are when the signals were patches of an image: `planes` planes, one after the other, of
/// height x width pixels by rows, the mean of each plane subtracted before learning. All 0: signals of any kind.
struct PatchShape {
    std::uint64_t height = 0;
    std::uint64_t width = 0;
    std::uint64_t planes = 0;

    static constexpr auto fields() {
        using P = PatchShape;
        return std::array{PartCount<P>{"height", &P::height, "height of a patch in pixels"},
                          PartCount<P>{"width", &P::width, "width of a patch in pixels"},
                          PartCount<P>{"planes", &P::planes, "planes of the image"}};
    }
};

/// What a streaming method needs to continue with more signals, in the learner's own units. Empty in models of other
/// methods.
struct StreamState {
    std::uint64_t signals_seen = 0;  ///< over all runs that continued one another
    Matrix code_products;            ///< atoms x atoms. online, svb: sum of x x^T; rls: its inverse; sgd: empty
    Matrix signal_products;          ///< atoms x dim. online, svb: sum of x y^T; others: empty
    /// How many signals have used each atom since stale ones were last replaced, when a run ended before the stream did
    /// (stream_signals); empty otherwise.
    std::vector<int> users{};  // the braces: initializers may leave it out

    static constexpr auto fields() {
        using P = StreamState;
        return std::array{
            PartCount<P>{"signals_seen", &P::signals_seen, "signals of all runs that continued one another"}};
    }
};

/// What svb needs to continue, besides StreamState, on the learner's own scale (docs/math.md, X1).
struct SvbState {
    double steps = 0.0;                   ///< made; an incomplete batch counts as a part of one
    double remembered = 0.0;              ///< how many signals the sums are worth
    double signals = 0.0;                 ///< different ones of all runs that continued one another
    double residual_sq = 0.0;             ///< expected squared residual of `remembered` signals
    std::vector<double> users{};          ///< how many of these signals use each atom, expected
    std::vector<double> concentration{};  ///< of the von Mises-Fisher distribution of each atom

    static constexpr auto fields() {
        using P = SvbState;
        return std::array{
            PartNumber<P>{"steps", &P::steps, Range::positive, "steps made; an incomplete batch counts as a part"},
            PartNumber<P>{"remembered", &P::remembered, Range::positive, "how many signals the sums are worth"},
            PartNumber<P>{"signals", &P::signals, Range::positive, "different signals of all runs"},
            PartNumber<P>{"residual_sq", &P::residual_sq, Range::not_negative,
                          "expected squared residual of the remembered signals"}};
    }
};

/// Learned by `method`. Atoms have unit norm and codes carry the units of the signals: y ~ sum_n code_n atom_n + noise.
/// Members that every model has come first, then those that only some methods set.
struct Model {
    std::string method;  ///< the name `--method` takes
    std::string preset;  ///< "standard", "paper" or "custom"
    std::string options_json;
    std::string program_version;
    std::string command;       ///< command line that made it, in a form that can be run again; empty: unknown
    std::string denoise_json;  ///< learned from an image: every option of the denoising; empty: unknown, or none
    std::string stop_reason;
    std::uint64_t seed = 0;
    std::uint64_t signal_count = 0;

    /// atoms x dim, rows of unit norm; zero for an atom that VB switched off, which no signal uses
    Matrix dictionary;
    std::vector<double> atom_usage;  ///< root mean square code of each atom over the training signals
    double noise_sd = 0.0;  ///< estimate of the noise standard deviation, in the signals' units; or residual rms

    /// The learner's own scale: it saw signals / unit, and atom n with norm atom_norm[n].
    double unit = 1.0;
    std::vector<double> atom_norm;

    PatchShape patch;
    /// Entry k: how many signals (patches) were coded with k atoms; empty when they were not counted.
    std::vector<int> code_sizes;
    Matrix codes;  ///< signals x atoms, only if requested (keep_codes)
    Trace trace;

    // Of methods with a posterior. The standard deviations are unknown when a run was stopped before it had kept two
    // sweeps.
    Matrix dictionary_std;  ///< posterior standard deviation of the unit-norm atoms' entries; empty: unknown
    double noise_sd_std = std::numeric_limits<double>::quiet_NaN();  ///< of noise_sd; NaN: unknown
    Matrix codes_std;                                                ///< of codes; empty: unknown
    Matrix codes_probability;  ///< probability that a code is not zero; empty: unknown
    Diagnostics diagnostics;   ///< of chains
    std::string estimate;      ///< describes which chains the estimate comes from; empty: there was one

    // Each method's own.
    std::optional<SbdlPrior> sbdl;
    std::optional<OnOffPrior> on_off;
    std::optional<SvbState> svb;
    StreamState stream;

    [[nodiscard]] std::size_t atom_count() const { return dictionary.rows(); }
    [[nodiscard]] std::size_t signal_dim() const { return dictionary.cols(); }
};

/// Writes HDF5; docs/formats.md describes the format and what a valid model has to satisfy. The file is written whole
/// or not at all. Throws FileError, also for a model that could not be loaded again.
void save_model(const Model& model, const std::filesystem::path& path);

/// Throws FileError for a file that is not a model, is damaged, has values that no model has, or comes from a newer
/// format version.
Model load_model(const std::filesystem::path& path);

}  // namespace sbdl
