#include "denoise/patch_dictionary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "denoise/stage_clock.hpp"
#include "sbdl/apru.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/dct.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/majorization.hpp"
#include "sbdl/mod.hpp"
#include "sbdl/online.hpp"
#include "sbdl/rls.hpp"
#include "sbdl/sgd.hpp"
#include "sbdl/simco.hpp"
#include "sbdl/train.hpp"

namespace sbdl {
namespace {

// The heavy-tailed prior's core, in units of the noise, is sqrt(2 b) = 0.0014 times an atom's norm, which is about 8:
// small enough that codes do not explain noise.
constexpr double code_rate = 1e-6;
// A Gamma prior worth so many observations holds the noise at 1: left to itself the chain's noise ends up 5 % below to
// 7 % above the truth, and the bound's far below.
constexpr double certain = 1e9;
constexpr std::size_t least_pixels = 80 * 80;         // fewer teach the atoms their noise, and the DCT does better
constexpr std::size_t enough_patches_apart = 10'000;  // by two pixels; of fewer there are none to spare
constexpr int online_passes = 10, most_online_passes = 40;
constexpr std::size_t online_patches = 160'000;  // to be learned from, counting each as often as it is
constexpr std::size_t too_few_to_repeat = 2000;
constexpr int online_batch = 512;
constexpr int gibbs_sweeps = 32;
constexpr int paper_gibbs_sweeps = 300;  // one pursuit forgives less: atoms have to be better
constexpr int vb_sweeps = 8;
constexpr int bpfa_sweeps = 60;
constexpr int pursuit_rounds = 20;
constexpr int l1_rounds = 20;
constexpr double pursuit_tolerance = 1.15;  // of the noise, as K-SVD's authors have it; a smaller one learns less well

/// A weight of l1 norms somewhat below what the largest of so many correlations with pure noise comes to, sqrt(2 ln
/// atoms).
double noise_lambda(int atoms) {
    return std::sqrt(std::log(static_cast<double>(std::max(atoms, 3))));
}

GibbsOptions gibbs_options(const DenoiseOptions& options, double held_noise) {
    GibbsOptions gibbs = GibbsOptions::preset(Preset::standard, options.atoms);
    gibbs.own_units = false;  // the patches already come with noise near 1
    gibbs.code_rate = code_rate;
    gibbs.noise_shape = certain;
    gibbs.noise_rate = certain * held_noise * held_noise;
    gibbs.second_look = false;
    gibbs.anneal_growth = 0.0;  // it starts close to where it ends
    gibbs.refresh_every = 0;
    const int usual = options.recipe == Recipe::paper ? paper_gibbs_sweeps : gibbs_sweeps;
    const int all = options.sweeps > 0 ? options.sweeps : usual;
    gibbs.burn_in = all * 3 / 8;
    gibbs.draws = all - gibbs.burn_in;
    return gibbs;
}

VbOptions vb_options(const DenoiseOptions& options) {
    VbOptions vb = VbOptions::preset(Preset::standard, options.atoms);
    vb.own_units = false;
    vb.code_rate = code_rate;
    vb.noise_shape = vb.noise_rate = certain;
    vb.second_look = false;
    vb.start_sweeps = 0;
    vb.sweeps = options.sweeps > 0 ? options.sweeps : vb_sweeps;
    return vb;
}

BpfaOptions bpfa_options(const DenoiseOptions& options) {
    BpfaOptions bpfa = BpfaOptions::preset(Preset::standard, options.atoms);
    bpfa.anneal_growth = 0.0;  // it starts close to where it ends
    bpfa.refresh_every = 0;
    const int all = options.sweeps > 0 ? options.sweeps : bpfa_sweeps;
    bpfa.burn_in = all * 2 / 3;
    bpfa.draws = all - bpfa.burn_in;
    return bpfa;
}

/// K-SVD and its kin.
template <class Options>
Options pursuit_options(int atoms, int sweeps, const SignalSource& patches) {
    Options options = Options::preset(Preset::standard, atoms);
    options.sweeps = sweeps > 0 ? sweeps : pursuit_rounds;
    options.max_error = pursuit_tolerance * std::sqrt(static_cast<double>(patches.dim()));
    options.duplicate_correlation = 0.99;  // some atoms of an image are rightly rare, and some alike
    options.least_share = 0.0;
    return options;
}

/// Those that follow signal after signal: the same pursuit.
template <class Options>
Options stream_options(int atoms, int sweeps, const SignalSource& patches) {
    Options options = Options::preset(Preset::standard, atoms);
    options.sweeps = sweeps > 0 ? sweeps : online_passes;
    options.max_error = pursuit_tolerance * std::sqrt(static_cast<double>(patches.dim()));
    return options;
}

/// Those with l1 norms: the weight that was told, or one in proportion to the noise (docs/methods/apru.md).
template <class Options>
Options l1_options(const DenoiseOptions& told, double unit) {
    Options options = Options::preset(Preset::standard, told.atoms);
    options.sweeps = told.sweeps > 0 ? told.sweeps : l1_rounds;
    const double usual = noise_lambda(told.atoms);
    options.lambda = told.lambda ? *told.lambda / unit : usual;
    if constexpr (requires { options.lambda_s; }) options.lambda_s = told.lambda_s ? *told.lambda_s / unit : usual;
    return options;
}

DctOptions dct_options(int atoms, int, const SignalSource& patches) {
    const auto dim = static_cast<double>(patches.dim());
    DctOptions dct = DctOptions::preset(Preset::standard, atoms);
    dct.patch = static_cast<int>(std::lround(std::sqrt(dim)));
    dct.max_error = pursuit_tolerance * std::sqrt(dim);
    return dct;
}

bool stopped(const DenoiseHooks& hooks) {
    return hooks.stop != nullptr && hooks.stop->load();
}

/// Of few patches each is looked at more often; of very few that would teach the atoms their noise.
int passes_over(std::size_t patches) {
    if (patches < too_few_to_repeat) return online_passes;
    return std::clamp(static_cast<int>(online_patches / patches), online_passes, most_online_passes);
}

OnlineOptions online_options(int atoms, int sweeps, const SignalSource& patches) {
    OnlineOptions online = OnlineOptions::preset(Preset::standard, atoms);
    online.sweeps = sweeps > 0 ? sweeps : passes_over(patches.count());
    online.batch = online_batch;
    online.forget = 1.0;
    online.lambda = noise_lambda(atoms);
    return online;
}

/// Passes the wish to stop on to a learner; of a start, also how far it is to whoever follows the denoising.
class HooksObserver final : public Observer {
public:
    HooksObserver(const DenoiseHooks& hooks, bool tells_start) : hooks_(hooks), tells_start_(tells_start) {}
    Flow on_sweep(const SweepReport& report) override {
        if (tells_start_ && hooks_.progress)
            hooks_.progress("start", static_cast<double>(report.sweep) / report.sweeps_planned);
        return stopped(hooks_) ? Flow::stop : Flow::go_on;
    }

private:
    const DenoiseHooks& hooks_;
    bool tells_start_;
};

/// What a learner of patches is given.
struct PatchJob {
    const SignalSource& patches;
    double unit;  ///< of the patches, in units of the pixels
    const DenoiseOptions& options;
    const Context& context;
    const DenoiseHooks& hooks;
    std::vector<StageTime>& stages;
};

/// The l1 dictionary that a chain starts from.
Model online_start(const PatchJob& job) {
    const StageClock clock("start", job.stages);
    HooksObserver observer(job.hooks, /*tells_start=*/true);
    const std::array<Observer*, 1> observers{&observer};
    return train(job.patches, online_options(job.options.atoms, 0, job.patches), job.context, observers).model;
}

/// As the options have it, heard and stopped by whoever follows the denoising.
template <class Options>
Model learn_with(const PatchJob& job, const Options& options, const Context& context) {
    HooksObserver stop(job.hooks, /*tells_start=*/false);
    std::vector<Observer*> observers(job.hooks.observers.begin(), job.hooks.observers.end());
    observers.push_back(&stop);
    const StageClock clock("learn", job.stages);
    return train(job.patches, options, context, observers).model;
}

/// From the l1 dictionary: the chain and the bound start close to where they end.
template <class Options>
Model learn_from_online(const PatchJob& job, const Options& options) {
    Model start = online_start(job);
    if (stopped(job.hooks)) return start;
    // Patches have noise 1. Atoms are as long as the chain's prior has them, and its sweeps are counted anew.
    start.noise_sd = 1.0;
    start.trace = {};
    start.atom_norm.assign(start.atom_count(), std::sqrt(static_cast<double>(start.signal_dim())));
    Context learning = job.context;
    learning.start = &start;
    return learn_with(job, options, learning);
}

/// The chain; its model tells the noise of the patches, not what it was held at.
Model learn_gibbs(const PatchJob& job) {
    const double held_noise = chain_noise(job.patches);
    Model model = learn_from_online(job, gibbs_options(job.options, held_noise));
    if (model.method != "gibbs") return model;  // stopped in the start
    model.noise_sd /= held_noise;
    model.noise_sd_std /= held_noise;
    for (double& sd : model.trace.noise_sd) sd /= held_noise;
    return model;
}

Model learn_vb(const PatchJob& job) {
    return learn_from_online(job, vb_options(job.options));
}

Model learn_bpfa(const PatchJob& job) {
    return learn_from_online(job, bpfa_options(job.options));
}

/// From patches, with what the learner has to be told: make_options(atoms, sweeps, patches).
template <auto make_options>
Model learn_told(const PatchJob& job) {
    return learn_with(job, make_options(job.options.atoms, job.options.sweeps, job.patches), job.context);
}

template <class Options>
Model learn_l1(const PatchJob& job) {
    return learn_with(job, l1_options<Options>(job.options, job.unit), job.context);
}

struct PatchLearner {
    std::string_view name;
    Model (*learn)(const PatchJob& job);
};

constexpr std::array learners{
    PatchLearner{"online", learn_told<online_options>},
    PatchLearner{"vb", learn_vb},
    PatchLearner{"gibbs", learn_gibbs},
    PatchLearner{"bpfa", learn_bpfa},
    PatchLearner{"rls", learn_told<stream_options<RlsOptions>>},
    PatchLearner{"sgd", learn_told<stream_options<SgdOptions>>},
    PatchLearner{"dct", learn_told<dct_options>},
    PatchLearner{"ksvd", learn_told<pursuit_options<KsvdOptions>>},
    PatchLearner{"mod", learn_told<pursuit_options<ModOptions>>},
    PatchLearner{"simco", learn_told<pursuit_options<SimcoOptions>>},
    PatchLearner{"majorization", learn_l1<MajorizationOptions>},
    PatchLearner{"apru", learn_l1<ApruOptions>},
};

constexpr auto method_names = [] {
    std::array<std::string_view, 1 + learners.size()> names{"auto"};
    std::transform(learners.begin(), learners.end(), names.begin() + 1,
                   [](const PatchLearner& one) { return one.name; });
    return names;
}();

}  // namespace

double chain_noise(const SignalSource& patches) {
    constexpr std::size_t at_once = 256;
    std::vector<double> values(at_once * patches.dim());
    double squares = 0.0;
    for (std::size_t first = 0; first < patches.count(); first += at_once) {
        const std::size_t here = std::min(at_once, patches.count() - first);
        patches.read(first, here, values.data());
        for (std::size_t i = 0; i < here * patches.dim(); ++i) squares += values[i] * values[i];
    }
    const double entries = static_cast<double>(patches.count()) * static_cast<double>(patches.dim());
    const double strength = std::max(squares / entries - 1.0, 1e-3);  // variance of the image over that of the noise
    return std::clamp(0.85 - 0.12 * std::log(strength), 0.6, 1.1);
}

DenoiseOptions settled(const DenoiseOptions& options, std::size_t height, std::size_t width) {
    DenoiseOptions result = options;
    if (result.method == "auto") {
        // Who says how many sweeps wants to learn.
        const bool small = height * width < least_pixels && options.sweeps == 0;
        result.method = small ? "dct" : "online";
        if (small) {  // which has a square number of atoms, and a whole basis of them
            const int side = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(options.atoms))));
            result.atoms = std::max(side * side, options.patch * options.patch);
        }
    }
    if (result.stride == 0) {
        const auto patch = static_cast<std::size_t>(options.patch);
        const std::size_t patches = ((height - patch) / 2 + 1) * ((width - patch) / 2 + 1);
        result.stride = patches < enough_patches_apart ? 1 : 2;
    }
    return result;
}

std::span<const std::string_view> denoise_methods() {
    return method_names;
}

Model learn_patch_dictionary(const SignalSource& patches, double unit, const DenoiseOptions& options,
                             const Context& context, const DenoiseHooks& hooks, std::vector<StageTime>& stages) {
    const auto* const learner = std::find_if(learners.begin(), learners.end(),
                                             [&](const PatchLearner& one) { return one.name == options.method; });
    return learner->learn({patches, unit, options, context, hooks, stages});  // the options were checked
}

}  // namespace sbdl
