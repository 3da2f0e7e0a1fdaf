#include "denoise/patch_dictionary.hpp"

#include <chrono>
#include <cmath>

#include "denoise/stage_clock.hpp"
#include "learners/online/online_dictionary.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/train.hpp"
#include "sbdl/version.hpp"

namespace sbdl {
namespace {

// The heavy-tailed prior's core, in units of the noise, is sqrt(2 b) = 0.0014 times an atom's norm, which is about 8:
// small enough that codes do not explain noise.
constexpr double code_rate = 1e-6;
// A Gamma prior worth so many observations holds the noise at 1: left to itself the chain's noise ends up 5 % below to
// 7 % above the truth, and the bound's far below.
constexpr double certain = 1e9;
// The chain sees somewhat more noise than there is: what a pursuit to 1.1 or 1.15 of the noise will leave in the
// residual should not shape atoms either.
constexpr double chain_noise = 1.1;
constexpr int online_passes = 15;
constexpr int gibbs_sweeps = 32;
constexpr int paper_gibbs_sweeps = 120;  // one pursuit forgives less: atoms have to be better
constexpr int vb_sweeps = 8;
constexpr int ksvd_rounds = 20;
constexpr double ksvd_tolerance = 1.15;  // of the noise, as the pursuit that follows

GibbsOptions gibbs_options(const DenoiseOptions& options) {
    GibbsOptions gibbs = GibbsOptions::preset(Preset::standard, options.atoms);
    gibbs.own_units = false;  // the patches already come with noise near 1
    gibbs.code_rate = code_rate;
    gibbs.noise_shape = certain;
    gibbs.noise_rate = certain * chain_noise * chain_noise;
    gibbs.second_look = false;
    gibbs.anneal_growth = 0.0;  // it starts close to where it ends
    gibbs.refresh_every = 0;
    const int usual = options.recipe == Recipe::paper ? paper_gibbs_sweeps : gibbs_sweeps;
    const int all = options.sweeps > 0 ? options.sweeps : usual;
    gibbs.burn_in = all * 3 / 8;
    gibbs.draws = all - gibbs.burn_in;
    return gibbs;
}

VbOptions vb_options(int atoms, int sweeps) {
    VbOptions vb = VbOptions::preset(Preset::standard, atoms);
    vb.own_units = false;
    vb.code_rate = code_rate;
    vb.noise_shape = vb.noise_rate = certain;
    vb.second_look = false;
    vb.start_sweeps = 0;
    vb.sweeps = sweeps > 0 ? sweeps : vb_sweeps;
    return vb;
}

KsvdOptions ksvd_options(int atoms, int sweeps, std::size_t dim) {
    KsvdOptions ksvd = KsvdOptions::preset(Preset::standard, atoms);
    ksvd.sweeps = sweeps > 0 ? sweeps : ksvd_rounds;
    ksvd.max_error = ksvd_tolerance * std::sqrt(static_cast<double>(dim));
    return ksvd;
}

bool stopped(const DenoiseHooks& hooks) {
    return hooks.stop != nullptr && hooks.stop->load();
}

// The l1 dictionary as a model: what a chain starts from, or all there is for method "online".
Model online_model(const SignalSource& patches, const DenoiseOptions& options, const Context& context,
                   const DenoiseHooks& hooks) {
    OnlinePlan plan;
    plan.atoms = static_cast<std::size_t>(options.atoms);
    plan.passes = online_passes;
    // Somewhat below what the largest of so many correlations with pure noise comes to, sqrt(2 ln atoms).
    plan.lambda = std::sqrt(std::log(static_cast<double>(std::max(options.atoms, 3))));
    Model model;
    model.dictionary = online_dictionary(patches, plan, context, [&](int passes) {
        if (hooks.progress) hooks.progress("start", static_cast<double>(passes) / plan.passes);
        return !stopped(hooks);
    });
    model.method = "online";
    model.preset = "standard";
    model.options_json = "{}";
    model.program_version = SBDL_VERSION;
    model.stop_reason = stopped(hooks) ? "observer" : "sweeps_done";
    model.seed = context.seed;
    model.signal_count = patches.count();
    model.noise_sd = 1.0;
    model.atom_usage.assign(plan.atoms, 0.0);
    model.atom_norm.assign(plan.atoms, std::sqrt(static_cast<double>(patches.dim())));
    return model;
}

}  // namespace

Model learn_patch_dictionary(const SignalSource& patches, const DenoiseOptions& options, const Context& context,
                             const DenoiseHooks& hooks, std::vector<StageTime>& stages) {
    if (options.method == "ksvd") {
        const StageClock clock("learn", stages);
        return train(patches, ksvd_options(options.atoms, options.sweeps, patches.dim()), context, hooks.observers)
            .model;
    }
    Model start;
    {
        const StageClock clock("start", stages);
        start = online_model(patches, options, context, hooks);
    }
    if (options.method == "online" || stopped(hooks)) return start;
    Context learning = context;
    learning.start = &start;
    const StageClock clock("learn", stages);
    if (options.method == "vb")
        return train(patches, vb_options(options.atoms, options.sweeps), learning, hooks.observers).model;
    Model model = train(patches, gibbs_options(options), learning, hooks.observers).model;
    model.noise_sd /= chain_noise;
    model.noise_sd_std /= chain_noise;
    for (double& sd : model.trace.noise_sd) sd /= chain_noise;
    return model;
}

}  // namespace sbdl
