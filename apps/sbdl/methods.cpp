#include "methods.hpp"

#include <fmt/format.h>

#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "interrupt.hpp"
#include "memory_needs.hpp"
#include "options/split_sweeps.hpp"
#include "program_text.hpp"
#include "sbdl/apru.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/majorization.hpp"
#include "sbdl/mod.hpp"
#include "sbdl/observers.hpp"
#include "sbdl/signals.hpp"
#include "sbdl/simco.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

// `--sweeps n` of a chain is burn-in and draws together.
template <ChainOptions Options>
void split_sweeps(const FieldOptions& fields, Options& options) {
    if (fields.given("sweeps"))
        sbdl::split_sweeps(fields.integer("sweeps"), fields.given("burn_in"), fields.given("draws"), options.burn_in,
                           options.draws);
}
template <class Options>
void split_sweeps(const FieldOptions&, Options&) {}

/// One that can do with missing entries and makes them up.
template <class Options>
concept FillsGaps = requires(Options options) {
    options.reconstruct;
};

template <class Options>
void refuse_gaps(const LearnArguments& arguments) {
    if constexpr (!FillsGaps<Options>)
        for (const auto& [name, path] :
             {std::pair{"--mask", arguments.mask}, std::pair{"--reconstruct", arguments.reconstruction}})
            if (!path.empty())
                throw InputError(
                    fmt::format("{} is no option of method {}; bpfa takes missing values", name, arguments.method));
}

template <class Options>
int chains_of(const Options& options) {
    if constexpr (requires { options.chains; })
        return options.chains;
    else
        return 1;
}

void check_outputs(const LearnArguments& arguments) {
    check_output(arguments.model, {".h5", ".hdf5"}, {arguments.signals});
    if (!arguments.trace.empty()) {
        check_output(arguments.trace, {".jsonl", ".json", ".txt"}, {arguments.signals, arguments.model});
    }
    if (!arguments.reconstruction.empty()) {
        check_output(arguments.reconstruction, {".npy"},
                     {arguments.signals, arguments.model, arguments.mask, arguments.trace});
    }
}

template <class Options>
int learn_with(const LearnArguments& arguments, const FieldOptions& fields) {
    const Preset preset = arguments.preset == "paper" ? Preset::paper : Preset::standard;
    Options options = Options::preset(preset, fields.integer("atoms"));
    fields.read_into(options);
    split_sweeps(fields, options);
    refuse_gaps<Options>(arguments);
    if constexpr (FillsGaps<Options>) options.reconstruct = !arguments.reconstruction.empty();

    std::unique_ptr<SignalSource> signals = open_signals(arguments.signals, arguments.dataset);
    require_memory(memory_of(options, *signals), fmt::format("learning {} atoms from {} signals of length {}",
                                                             options.atoms, signals->count(), signals->dim()));
    validate(options);
    check_outputs(arguments);
    std::unique_ptr<SignalSource> whole, mask;
    if (!arguments.mask.empty()) {
        whole = std::move(signals);
        mask = open_signals(arguments.mask);
        signals = std::make_unique<MaskedSource>(*whole, *mask);
    }

    const bool quiet = arguments.output.quiet;
    InterruptObserver interrupt(catch_interrupts(quiet ? nullptr : "\nstopping after this sweep; again to end now\n"));
    ProgressObserver progress(std::cerr, progress_on_terminal());
    TraceObserver trace(arguments.trace);
    std::vector<Observer*> observers{&interrupt};
    if (!quiet) observers.push_back(&progress);
    if (!arguments.trace.empty()) observers.push_back(&trace);

    Context context = arguments.context;
    std::optional<Model> start;
    if (!arguments.start.empty()) context.start = &start.emplace(load_model(arguments.start));
    TrainResult result = train(*signals, options, context, observers);
    result.model.program_version = program_text();
    result.model.command = arguments.command;
    {
        const WritingFiles writing;
        save_model(result.model, arguments.model);
        if (!arguments.reconstruction.empty()) save_npy(arguments.reconstruction, result.reconstruction);
    }
    tell_result(arguments, result, chains_of(options));
    return result.reason == StopReason::observer ? interrupted : done;
}

template <class Options>
void describe(const std::string& name, FieldOptions& fields) {
    fields.describe(name, Options::preset(Preset::standard, 0));
}

template <ChainOptions Options>
void describe_chain(const std::string& name, FieldOptions& fields) {
    const Options chain = Options::preset(Preset::standard, 0);
    fields.describe(name, chain);
    fields.describe_extra(name, "sweeps", "Sweeps made, burn-in and draws together.",
                          fmt::to_string(chain.burn_in + chain.draws));
}

constexpr std::array methods{
    Method{"gibbs", describe_chain<GibbsOptions>, learn_with<GibbsOptions>, true,
           "needs --atoms; infers the noise, how sparse the codes are, and how sure it is of all of it"},
    Method{"vb", describe<VbOptions>, learn_with<VbOptions>, true,
           "needs and infers the same; variational Bayes, from a short Gibbs chain"},
    Method{"ksvd", describe<KsvdOptions>, learn_with<KsvdOptions>, false,
           "needs --atoms and either --sparsity or --max-error; infers neither noise nor sparsity; quick"},
    Method{"mod", describe<ModOptions>, learn_with<ModOptions>, false,
           "needs the same as ksvd; all atoms at once by least squares"},
    Method{"simco", describe<SimcoOptions>, learn_with<SimcoOptions>, false,
           "needs the same as ksvd; all atoms and codes together, by steps downhill"},
    Method{"majorization", describe<MajorizationOptions>, learn_with<MajorizationOptions>, false,
           "needs --atoms and --lambda, the weight of the codes; infers neither noise nor weight"},
    Method{"apru", describe<ApruOptions>, learn_with<ApruOptions>, false,
           "needs --atoms, --lambda and --lambda-s, or --parameters; infers neither noise nor weights"},
    Method{
        "online", describe<OnlineOptions>, learn_with<OnlineOptions>, false,
        "needs --atoms and one of --sparsity, --max-error, --lambda; for many signals, also more than fit in memory"},
    Method{"rls", describe<RlsOptions>, learn_with<RlsOptions>, false,
           "needs --atoms and either --sparsity or --max-error; recursive least squares, also for huge files"},
    Method{"sgd", describe<SgdOptions>, learn_with<SgdOptions>, false,
           "needs --atoms and either --sparsity or --max-error; small steps after each signal, also for huge files"},
    Method{"dct", describe<DctOptions>, learn_with<DctOptions>, false,
           "needs --atoms and either --sparsity or --max-error, --patch for patches; learns nothing: a set of cosines"},
    Method{"bpfa", describe_chain<BpfaOptions>, learn_with<BpfaOptions>, false,
           "needs --atoms; infers the noise, the sparsity and how many atoms are used; takes missing values"},
};

}  // namespace

std::span<const Method> all_methods() {
    return methods;
}

const Method& find_method(const std::string& name) {
    std::vector<std::string_view> known;
    for (const Method& method : methods) {
        if (method.name == name) return method;
        known.push_back(method.name);
    }
    throw InputError(fmt::format("'{}' is not a method; there are: {}", name, fmt::join(known, ", ")));
}

}  // namespace sbdl::app
