// The list of methods: what each one is called, needs and can do. Everything that offers a choice of methods reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/options.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// What a run is made of.
enum class RunKind {
    chain,   ///< sweeps of a sampler, kept after burn-in
    bound,   ///< sweeps that raise a bound
    rounds,  ///< rounds that lower an objective: all codes, then all atoms
    stream   ///< passes over the signals, batch by batch
};

/// How codes for a fixed dictionary are computed under the method's own model.
enum class CodePosterior { none, sampled, variational };

struct Capabilities {
    RunKind kind = RunKind::rounds;
    bool posterior = false;         ///< infers the noise, and the uncertainty of the noise and the atoms
    bool narrow_posterior = false;  ///< its standard deviations are too small
    CodePosterior codes = CodePosterior::none;
    bool missing = false;    ///< accepts signals with missing entries (NaN)
    bool streaming = false;  ///< continues from a model with new signals as if all had been seen together
    bool kernels = false;    ///< Execution::kernels applies
    bool ranks = false;      ///< can be shared by several processes (Execution::ranks)
    bool on_disk = false;    ///< codes can be on disk (Execution::memory_bytes)
    bool denoising = false;  ///< learns dictionaries of patches

    /// R-hat and effective sample size have a meaning.
    [[nodiscard]] bool chains() const { return kind == RunKind::chain; }
};

struct Method {
    std::string_view name;     ///< the name `--method` takes
    std::string_view title;    ///< for pages: "Gibbs sampling"
    std::string_view summary;  ///< what it needs and infers, in one line
    Capabilities can;
};

/// In the order in which they are listed to users.
std::vector<Method> methods();

/// Throws InputError that lists the known names.
Method method_named(std::string_view name);

/// No value if there is no such method: a model file may come from a newer program.
std::optional<Method> find_method(std::string_view name);

/// The options of a method. Throws InputError for a name that is not a method's.
AnyOptions method_options(std::string_view name, Preset preset, int atoms);

/// Estimate of how many doubles a run holds at once, so that a run that does not fit is rejected before it starts.
/// Context::reconstruct needs more.
double memory_needed(const AnyOptions& options, const SignalSource& signals, bool reconstruct = false);

}  // namespace sbdl
