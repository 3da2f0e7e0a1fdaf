// What a run leaves behind: the dictionary, how sure it is, the noise, the priors it used and the trace of its sweeps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// One entry a sweep of one chain; what SweepReport said, kept.
struct Trace {
    std::vector<int> chain;
    std::vector<int> sweep;
    std::vector<int> kept;  ///< 0 in burn-in (VB: while annealing), 1 after
    std::vector<double> objective;
    std::vector<double> noise_sd;
};

/// Split R-hat and effective sample size over the kept sweeps of all chains; NaN where there are too few.
struct Diagnostics {
    double noise_rhat = 0.0;
    double noise_ess = 0.0;
    double objective_rhat = 0.0;
    double objective_ess = 0.0;
};

/// What the entries of an atom are when the signals were patches of an image: `planes` planes, one after the other,
/// of height x width pixels by rows, the mean of each plane taken away before learning. All 0: signals of any kind.
struct PatchShape {
    std::uint64_t height = 0;
    std::uint64_t width = 0;
    std::uint64_t planes = 0;
};

/// What a method that takes signals as a stream needs to go on with more of them, in the learner's own units. A model
/// of any other method has none: nothing was seen.
struct StreamState {
    std::uint64_t signals_seen = 0;  ///< by all runs, one going on from the other
    Matrix code_products;            ///< atoms x atoms. online: sum of x x^T; rls: its inverse; sgd: empty
    Matrix signal_products;          ///< atoms x dim. online: sum of x y^T; others: empty
    /// How many signals have used each atom since stale ones were last replaced, when a run ended before the stream did
    /// (stream_signals); empty otherwise.
    std::vector<int> users{};  // the braces: initializers may leave it out
};

/// Learned by `method`. Atoms have unit norm and codes carry the units of the signals: y ~ sum_n code_n atom_n + noise.
struct Model {
    std::string method;  ///< as `sbdl learn --method` names it
    std::string preset;  ///< "standard", "paper" or "custom"
    std::string options_json;
    std::string program_version;
    std::string command;       ///< of the program that made it, as it can be typed again; empty: unknown
    std::string denoise_json;  ///< learned from an image: every option of the denoising; empty: unknown, or none
    std::string stop_reason;
    std::uint64_t seed = 0;
    std::uint64_t signal_count = 0;

    Matrix dictionary;               ///< atoms x dim, rows of unit norm; zero for an atom that VB switched off
    Matrix dictionary_std;           ///< posterior standard deviation of the unit-norm atoms' entries; empty: unknown
    std::vector<double> atom_usage;  ///< root mean square code of each atom over the training signals
    /// Posterior mean of the probability that a signal uses the atom; empty: unknown (only bpfa knows it).
    std::vector<double> atom_probability;

    double noise_sd = 0.0;      ///< estimate of the noise standard deviation, in the signals' units; or residual rms
    double noise_sd_std = 0.0;  ///< its posterior standard deviation; 0: unknown

    /// The learner's own scale: it saw signals / unit, and atom n with norm atom_norm[n]. The priors below are on that
    /// scale.
    double unit = 1.0;
    std::vector<double> atom_norm;
    double code_shape = 0.5, code_rate = 1e-6;
    double noise_shape = 0.5, noise_rate = 1e-6;
    double atom_variance = 1.0;

    PatchShape patch;
    /// Entry k: how many signals (patches) were coded with k atoms; empty when they were not counted.
    std::vector<int> code_sizes;

    StreamState stream;

    Matrix codes;  ///< signals x atoms, only when the codes were asked for
    Matrix codes_std;

    Diagnostics diagnostics;
    Trace trace;

    [[nodiscard]] std::size_t atom_count() const { return dictionary.rows(); }
    [[nodiscard]] std::size_t signal_dim() const { return dictionary.cols(); }
};

/// HDF5, described in docs/formats.md. The file appears whole or not at all. Throws FileError.
void save_model(const Model& model, const std::filesystem::path& path);

/// Throws FileError for a file that is not a model, is damaged, or comes from a newer format version.
Model load_model(const std::filesystem::path& path);

}  // namespace sbdl
