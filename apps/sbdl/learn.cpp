// sbdl learn: signals in, model file out. Everything that can be wrong is looked for before the first sweep.
#include "learn.hpp"

#include <fmt/format.h>

#include <string>

#include "field_options.hpp"
#include "methods.hpp"
#include "sbdl/error.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

std::string method_list() {
    std::string text;
    for (const Method& method : all_methods()) text += fmt::format("  {:<12} {}\n", method.name, method.summary);
    return text;
}

}  // namespace

int run_learn(int count, char** argument_list) {
    LearnArguments arguments;
    arguments.command = command_line(count, argument_list);
    CLI::App app("Learn a dictionary from signals, one signal a row (.npy, .csv, .h5, .mat).", "sbdl learn");
    app.footer("Methods:\n" + method_list() +
               "\nCtrl-C stops after the sweep and saves what was learnt so far; --start goes on from there.\n\n"
               "Example:\n  sbdl learn signals.npy -o model.h5 --atoms 50\n"
               "  sbdl learn signals.csv -o model.h5 --method vb --atoms 50 --preset paper --json\n"
               "  sbdl learn signals.npy -o model.h5 --method ksvd --atoms 50 --sparsity 3");
    app.add_option("SIGNALS", arguments.signals, "File of signals")->required()->type_name("FILE");
    app.add_option("-o,--output", arguments.model, "Model file to write (.h5)")->required()->type_name("MODEL.h5");

    FieldOptions fields;
    for (const Method& method : all_methods()) method.describe(std::string(method.name), fields);
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
        ->check(real_number(0.0, 1e12))
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
    app.add_option("--mask", arguments.mask,
                   "bpfa: 1 where an entry of the signals was observed, 0 where it is missing; NaN is missing too")
        ->type_name("FILE");
    app.add_option("--reconstruct", arguments.reconstruction,
                   "bpfa: write the posterior mean of every signal, without noise and gaps")
        ->type_name("FILE.npy");
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
