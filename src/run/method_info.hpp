// What a method's folder tells the rest of the library: its entry in the list of methods (methods/registry.cpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pass/signal_scan.hpp"
#include "run/run.hpp"
#include "sbdl/methods.hpp"

namespace sbdl {

/// What a run begins with. The references outlive it.
struct RunInput {
    const SignalSource& source;
    const AnyOptions& options;
    const Context& context;
    std::vector<std::string>& warnings;
};

/// A run, and what it learned of the signals on the way: nothing of a stream that is read once.
struct BegunRun {
    std::unique_ptr<Run> run;
    std::optional<SignalFacts> facts;
    double unit = 1.0;  ///< that the signals are divided by
};

/// Patches of an image to learn from, in units in which their noise is 1.
struct PatchTask {
    int atoms = 0;
    int sweeps = 0;  ///< 0: as many as the method needs
    std::size_t patches = 0;
    std::size_t dim = 0;
    bool windows = false;                    ///< the patches are windows of a signal
    bool paper = false;                      ///< for the paper's recipe
    double chain_noise = 1.0;                ///< where a chain's noise is fixed
    std::optional<double> lambda, lambda_s;  ///< weights of l1 norms, where they are given
};

/// The doubles that Context::reconstruct takes for each entry of the signals: the sum over the draws, one draw, and the
/// mean.
constexpr double reconstruction_doubles = 3.0;

struct MethodInfo {
    Method method;
    AnyOptions (*options)(Preset preset, int atoms);
    double (*memory)(const AnyOptions& options, const SignalSource& signals);
    /// Checks the signals and makes ready for the first sweep. The options have been validated.
    BegunRun (*begin)(const RunInput& input);
    /// Options to learn from patches; null: not offered.
    AnyOptions (*for_patches)(const PatchTask& task) = nullptr;
    /// What synthetic_options() returns; null: the standard preset, with `sparsity` where that must be given.
    AnyOptions (*for_synthetic)(int atoms, int sparsity) = nullptr;
    /// Options of the denoising that for_patches() uses, besides the number of atoms.
    std::vector<std::string_view> patch_options = {"sweeps"};
    /// Learning from patches starts at a dictionary learned by l1.
    bool patches_from_l1 = false;
    /// Its noise was fixed at PatchTask::chain_noise, which stands for the noise of the patches.
    bool noise_as_patches = false;
};

/// All entries, in order.
const std::vector<const MethodInfo*>& method_list();

/// Throws InputError with the names there are.
const MethodInfo& method_info(std::string_view name);

/// Adds a method, which must outlive its use. For extensions; not while another thread uses the list.
void register_method(const MethodInfo& info);

/// The function for MethodInfo::options.
template <MethodOptions Options>
AnyOptions options_of(Preset preset, int atoms) {
    return Options::preset(preset, atoms);
}

}  // namespace sbdl
