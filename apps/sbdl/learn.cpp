// sbdl learn: signals in, model file out. Everything that can be wrong is looked for before the first sweep.
#include "learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "field_options.hpp"
#include "interrupt.hpp"
#include "options/split_sweeps.hpp"
#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/observers.hpp"
#include "sbdl/signals.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

// `--sweeps n` of Gibbs is burn-in and draws together.
void split_sweeps(const FieldOptions& fields, GibbsOptions& options) {
    if (fields.given("sweeps"))
        sbdl::split_sweeps(fields.integer("sweeps"), fields.given("burn_in"), fields.given("draws"), options);
}
template <class Options>
void split_sweeps(const FieldOptions&, Options&) {}

template <class Options>
int chains_of(const Options& options) {
    if constexpr (requires { options.chains; })
        return options.chains;
    else
        return 1;
}

// What a run of gibbs or vb holds at once, in doubles: a variance for each atom of each signal, as much again for the
// statistics of the threads, and at least four sets of these.
template <class Options>
double memory_of(const Options& options, const SignalSource& signals) {
    const double atoms = options.atoms;
    const double codes = atoms * double(signals.count());
    return codes * (options.keep_codes ? 4.0 : 2.0) + 5.0 * atoms * (atoms + double(signals.dim()));
}
// Of ksvd: the residuals, the products of the atoms, and codes of which little is known beforehand.
double memory_of(const KsvdOptions& options, const SignalSource& signals) {
    const double atoms = options.atoms;
    const double most = std::min(atoms, double(signals.dim()));
    const double codes = options.keep_codes ? atoms : 4.0 * std::min(double(options.sparsity.value_or(1)), most);
    return double(signals.count()) * (double(signals.dim()) + codes) + atoms * (atoms + double(signals.dim()));
}

void check_outputs(const LearnArguments& arguments) {
    check_output(arguments.model, {".h5", ".hdf5"}, {arguments.signals});
    if (!arguments.trace.empty()) {
        check_output(arguments.trace, {".jsonl", ".json", ".txt"}, {arguments.signals, arguments.model});
    }
}

template <class Options>
int learn_with(const LearnArguments& arguments, const FieldOptions& fields) {
    const Preset preset = arguments.preset == "paper" ? Preset::paper : Preset::standard;
    Options options = Options::preset(preset, fields.integer("atoms"));
    fields.read_into(options);
    split_sweeps(fields, options);

    const std::unique_ptr<SignalSource> signals = open_signals(arguments.signals, arguments.dataset);
    require_memory(memory_of(options, *signals), fmt::format("learning {} atoms from {} signals of length {}",
                                                             options.atoms, signals->count(), signals->dim()));
    validate(options);
    check_outputs(arguments);

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
    const TrainResult result = train(*signals, options, context, observers);
    {
        const WritingFiles writing;
        save_model(result.model, arguments.model);
    }
    tell_result(arguments, result, chains_of(options));
    return result.reason == StopReason::observer ? interrupted : done;
}

struct Method {
    std::string_view name;
    int (*learn)(const LearnArguments& arguments, const FieldOptions& fields);
    bool kernels;              ///< whether it has a choice of them
    std::string_view summary;  ///< what it needs and what it finds out, for the help
};

constexpr std::array methods{
    Method{"gibbs", learn_with<GibbsOptions>, true,
           "needs --atoms; infers the noise, how sparse the codes are, and how sure it is of all of it"},
    Method{"vb", learn_with<VbOptions>, true, "needs and infers the same; variational Bayes, from a short Gibbs chain"},
    Method{"ksvd", learn_with<KsvdOptions>, false,
           "needs --atoms and either --sparsity or --max-error; infers neither noise nor sparsity; quick"},
};

std::string method_list() {
    std::string text;
    for (const Method& method : methods) text += fmt::format("  {:<7} {}\n", method.name, method.summary);
    return text;
}

const Method& find_method(const std::string& name) {
    std::vector<std::string_view> known;
    for (const Method& method : methods) {
        if (method.name == name) return method;
        known.push_back(method.name);
    }
    throw InputError(fmt::format("'{}' is not a method; there are: {}", name, fmt::join(known, ", ")));
}

}  // namespace

int run_learn(int count, char** argument_list) {
    LearnArguments arguments;
    CLI::App app("Learn a dictionary from signals, one signal a row (.npy, .csv, .h5, .mat).", "sbdl learn");
    app.footer("Methods:\n" + method_list() +
               "\nCtrl-C stops after the sweep and saves what was learnt so far; --start goes on from there.\n\n"
               "Example:\n  sbdl learn signals.npy -o model.h5 --atoms 50\n"
               "  sbdl learn signals.csv -o model.h5 --method vb --atoms 50 --preset paper --json\n"
               "  sbdl learn signals.npy -o model.h5 --method ksvd --atoms 50 --sparsity 3");
    app.add_option("SIGNALS", arguments.signals, "File of signals")->required()->type_name("FILE");
    app.add_option("-o,--output", arguments.model, "Model file to write (.h5)")->required()->type_name("MODEL.h5");

    FieldOptions fields;
    const GibbsOptions gibbs = GibbsOptions::preset(Preset::standard, 0);
    fields.describe("gibbs", gibbs);
    fields.describe_extra("gibbs", "sweeps", "The most sweeps made; of gibbs, burn-in and draws together.",
                          fmt::to_string(gibbs.burn_in + gibbs.draws));
    fields.describe("vb", VbOptions::preset(Preset::standard, 0));
    fields.describe("ksvd", KsvdOptions::preset(Preset::standard, 0));
    fields.add_to(app);
    app.get_option("--atoms")->required()->description("Number of atoms to learn")->group("Options");

    app.add_option("--method", arguments.method, "How to learn; what each method needs is told at the end")
        ->capture_default_str()
        ->type_name("NAME");
    app.add_option("--preset", arguments.preset, "Where options start from: the best known, or the method as printed")
        ->check(CLI::IsMember({"standard", "default", "paper"}).description(""))
        ->capture_default_str()
        ->type_name("standard|paper");
    app.add_option("--dataset", arguments.dataset, "Dataset (.h5) or variable (.mat) that holds the signals")
        ->type_name("NAME");
    app.add_option("--time-limit", arguments.context.time_limit_s, "Stop after so many seconds; 0: no limit")
        ->check(CLI::Range(0.0, 1e12).description(""))
        ->capture_default_str()
        ->type_name("SECONDS");
    app.add_option("--trace", arguments.trace, "Write one JSON object a sweep to this file")->type_name("FILE.jsonl");
    const CLI::Option* kernels =
        app.add_option("--kernels", arguments.context.kernels,
                       "gibbs and vb: fast code, or the slow one that reads like the equations")
            ->check(CLI::IsMember({"cpu", "reference"}).description(""))
            ->capture_default_str()
            ->type_name("cpu|reference");
    app.add_option("--start", arguments.start, "Go on from the dictionary and the noise of this model")
        ->type_name("MODEL.h5");
    add_threads(app, arguments.context.threads);
    add_seed(app, arguments.context.seed);
    arguments.output.add_to(app);
    if (!parse(app, count, argument_list)) return done;

    const Method& method = find_method(arguments.method);
    fields.refuse_foreign(arguments.method);
    if (kernels->count() > 0 && !method.kernels)
        throw InputError(fmt::format("--kernels is no option of method {}, which has one way to compute", method.name));
    return method.learn(arguments, fields);
}

}  // namespace sbdl::app
