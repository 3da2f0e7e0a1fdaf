// sbdl learn: signals in, model file out.
#include "learn.hpp"

#include <fmt/format.h>

#include <string>

#include "field_options.hpp"
#include "options/option_values.hpp"
#include "options/split_sweeps.hpp"
#include "pipes.hpp"
#include "program_ranks.hpp"
#include "resume.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

std::string method_list() {
    std::string text;
    for (const Method& method : methods()) text += fmt::format("  {:<13} {}\n", method.name, method.summary);
    return text;
}

void describe_methods(FieldOptions& fields) {
    for (const Method& method : methods()) {
        AnyOptions defaults = method_options(method.name, Preset::standard, 0);
        fields.describe(std::string(method.name), defaults.options());
        if (const auto parts = chain_sweeps(defaults))
            fields.describe_extra(std::string(method.name), "sweeps",
                                  "Sweeps made, burn-in and draws together; in short runs at least half is burn-in.",
                                  fmt::to_string(*parts.burn_in + *parts.draws));
    }
}

/// The options of the method as the command line has them.
AnyOptions options_from(const LearnArguments& arguments, const FieldOptions& fields) {
    const Preset preset = arguments.preset == "paper" ? Preset::paper : Preset::standard;
    AnyOptions options = method_options(arguments.method, preset, fields.integer("atoms"));
    fields.read_into(options.options());
    const auto sweeps = fields.given("sweeps") ? std::optional(fields.integer("sweeps")) : std::nullopt;
    apply_sweeps(options, sweeps, [&](const char* name) { return fields.given(name); });
    reject_ignored(
        options.options(), [&](std::string_view name) { return fields.given(name); }, FieldOptions::flag);
    return options;
}

int run_learn(const std::vector<std::string>& words, const LearnArguments* resumed) {
    LearnArguments arguments;
    arguments.command = command_line(words);
    ResumeOptions resume;
    CLI::App app("Learn a dictionary from signals, one signal per row (.npy, .csv, .h5, .mat).", "sbdl learn");
    app.footer(
        "Methods:\n" + method_list() +
        "\nCtrl-C stops after the sweep and saves what was learned so far; pressed again, it ends the run within a "
        "second.\nSIGTERM and SIGHUP do the same, but do not wait for a sweep that takes longer than a third of a "
        "second: "
        "then only the checkpoint is left.\n\n"
        "Example:\n  sbdl learn signals.npy -o model.h5 --atoms 50\n"
        "  sbdl learn signals.csv -o model.h5 --method vb --atoms 50 --preset paper --json\n"
        "  sbdl learn signals.npy -o model.h5 --method ksvd --atoms 50 --sparsity 3\n"
        "  sbdl learn signals.npy -o model.h5 --atoms 50 --checkpoint run.checkpoint\n"
        "  sbdl learn --resume run.checkpoint\n"
        "  sbdl synth -o - | sbdl learn - -o model.h5 --atoms 50\n"
        "  mpirun -n 16 sbdl learn huge.npy -o model.h5 --atoms 512\n"
        "  sbdl learn huge.npy -o model.h5 --atoms 512 --memory 8G");
    app.add_option("SIGNALS", arguments.signals, "File of signals, or - for standard input; required unless --resume")
        ->type_name("FILE");
    app.add_option("-o,--output", arguments.model,
                   "Model file to write (.h5), or - for standard output; required unless --resume")
        ->type_name("MODEL.h5");

    FieldOptions fields;
    describe_methods(fields);
    fields.add_to(app);
    app.get_option("--atoms")->description("Number of atoms to learn; required unless --resume")->group("Options");
    fields.feature({"sweeps", "chains", "sparsity", "max_error", "lambda"});
    set_brief(*app.get_option("--sweeps"),
              "Sweeps or passes over all signals; of chains, burn-in and draws together. The default depends on the "
              "method");
    set_brief(*app.get_option("--sparsity"), "Maximum number of atoms in a signal");
    set_brief(*app.get_option("--max-error"), "Add atoms to a signal until the norm of the residual is at most this");
    set_brief(*app.get_option("--lambda"), "Weight of the codes' absolute values");

    app.add_option("--method", arguments.method, "How to learn; what each method needs is listed below")
        ->capture_default_str()
        ->type_name("NAME");
    app.add_option("--preset", arguments.preset, "Default options: recommended (standard), or as in the paper (paper)")
        ->check(one_of({"standard", "paper"}))
        ->capture_default_str()
        ->type_name("standard|paper");
    app.add_option("--dataset", arguments.dataset, "Dataset (.h5) or variable (.mat) that holds the signals")
        ->type_name("NAME");
    app.add_option("--time-limit", arguments.context.time_limit_s, "Stop after this many seconds; 0: no limit")
        ->check(real_number(0.0, 1e12))
        ->capture_default_str()
        ->type_name("SECONDS");
    resume.add_to(app);
    app.add_option("--trace", arguments.trace, "Write one JSON object per sweep to this file")->type_name("FILE.jsonl");
    const CLI::Option* kernels =
        app.add_option("--kernels", arguments.context.execution.kernels,
                       methods_that([](const Capabilities& can) { return can.kernels; }) +
                           ": optimised kernels (cpu), or slow ones written like the equations (reference)")
            ->check(one_of({"cpu", "reference"}))
            ->capture_default_str()
            ->type_name("cpu|reference");
    app.add_option("--start", arguments.start,
                   "Warm start: begin a new run with the dictionary and the noise of this model")
        ->type_name("MODEL.h5");
    const std::string missing = methods_that([](const Capabilities& can) { return can.missing; });
    app.add_option(
           "--mask", arguments.mask,
           missing + ": 1 where an entry of the signals was observed, 0 where it is missing; NaN is missing too")
        ->type_name("FILE");
    app.add_option("--reconstruct", arguments.reconstruction,
                   missing + ": write the posterior mean of every signal, without noise and gaps")
        ->type_name("FILE.npy");
    arguments.memory.add_to(app);
    app.add_option("--scratch", arguments.context.execution.scratch,
                   methods_that([](const Capabilities& can) { return can.on_disk; }) +
                       ": the folder for codes that do not fit into --memory; default: that of the model")
        ->type_name("FOLDER");
    app.get_option("--resume")
        ->description(
            "Resume the run of this checkpoint, to the same result as if it had never stopped; only options that "
            "cannot "
            "change it, such as --threads, may be combined with it");
    add_threads(app, arguments.context.execution.threads);
    add_seed(app, arguments.context.seed);
    arguments.output.add_to(app);
    set_apart(app, {"--checkpoint-every", "--dataset", "--kernels", "--memory", "--scratch"});
    if (const auto status = begin_or_resume(app, resume, words, {"SIGNALS", "--output", "--atoms"}, arguments, resumed,
                                            run_learn, {"--memory", "--scratch"}))
        return *status;
    const Method method = method_named(arguments.method);
    fields.reject_foreign(arguments.method);
    if (kernels->count() > 0 && !method.can.kernels)
        throw InputError(fmt::format("--kernels does not apply to method {}", method.name));
    if (!arguments.context.execution.scratch.empty() && !method.can.on_disk)
        throw InputError(fmt::format("--scratch does not apply to method {}", method.name));
    if (resumed != nullptr) {
        if (resumed->memory.given()) arguments.memory = resumed->memory;
        if (const auto& scratch = resumed->context.execution.scratch; !scratch.empty())
            arguments.context.execution.scratch = scratch;
    }
    if (!arguments.context.execution.scratch.empty() && !arguments.memory.given())
        throw InputError("--scratch has no effect without --memory");
    const AnyOptions options = options_from(arguments, fields);
    reject_shared_input({arguments.signals, arguments.mask});
    Pipes pipes;
    pipes.take_input(arguments.signals);
    pipes.take_input(arguments.mask);
    pipes.take_output(arguments.model, ".h5", arguments.output);
    pipes.take_output(arguments.reconstruction, ".npy", arguments.output);
    pipes.take_output(arguments.trace, ".jsonl", arguments.output);
    pipes.check_checkpoint(arguments.context.checkpoint.path);
    const int status = learn(arguments, options);
    pipes.finish();
    return status;
}

}  // namespace

int run_learn(int count, char** argument_list) {
    return run_learn(std::vector<std::string>(argument_list, argument_list + count), nullptr);
}

}  // namespace sbdl::app
