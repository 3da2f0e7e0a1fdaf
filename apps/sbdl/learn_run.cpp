// The work of `learn`, once its arguments are known. Everything that can be wrong is checked before the first sweep.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "base/printable.hpp"
#include "interrupt.hpp"
#include "learn.hpp"
#include "pipes.hpp"
#include "program_ranks.hpp"
#include "program_text.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/observers.hpp"
#include "sbdl/signals.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

void check_missing(const LearnArguments& arguments) {
    if (method_named(arguments.method).can.missing) return;
    for (const auto& [name, path] :
         {std::pair{"--mask", arguments.mask}, std::pair{"--reconstruct", arguments.reconstruction}})
        if (!path.empty())
            throw InputError(fmt::format("{} does not apply to method {}; missing values are accepted by {}", name,
                                         arguments.method,
                                         methods_that([](const Capabilities& can) { return can.missing; })));
}

/// Whether the first values of the signals are 0, 1, 2, ... or 1, 2, 3, ...
bool first_column_counts(const SignalSource& signals) {
    if (signals.count() < 3 || signals.dim() < 2) return false;
    constexpr std::size_t rows_at_once = 64;
    std::vector<double> values(rows_at_once * signals.dim());
    double start = 0.0;
    for (std::size_t row = 0; row < signals.count(); ++row) {
        const std::size_t in_block = row % rows_at_once;
        if (in_block == 0) signals.read(row, std::min(rows_at_once, signals.count() - row), values.data());
        const double value = values[in_block * signals.dim()];
        if (row == 0) start = value;
        if ((start != 0.0 && start != 1.0) || value != start + static_cast<double>(row)) return false;
    }
    return true;
}

void check_outputs(const LearnArguments& arguments) {
    const std::filesystem::path& checkpoint = arguments.context.checkpoint.path;
    check_output(arguments.model, {".h5", ".hdf5"}, {arguments.signals});
    if (!arguments.trace.empty())
        check_output(arguments.trace, {".jsonl", ".json", ".txt"}, {arguments.signals, arguments.model});
    if (!arguments.reconstruction.empty())
        check_output(arguments.reconstruction, {".npy"},
                     {arguments.signals, arguments.model, arguments.mask, arguments.trace});
    if (!checkpoint.empty())
        check_output(checkpoint, {checkpoint.extension().string()}, {arguments.signals, arguments.mask});
    check_apart({arguments.model, arguments.trace, arguments.reconstruction, checkpoint});
}

/// A run that is ended at once, as when another rank is lost, says how to resume it.
class LastLine {
public:
    explicit LastLine(const std::filesystem::path& checkpoint)
        : text_(fmt::format("sbdl: if a checkpoint was written, the run can go on: sbdl learn --resume {}\n",
                            checkpoint.string())) {
        if (checkpoint.empty()) return;
        say_at_the_end(text_.c_str(), program_ranks() != nullptr ? LastWords::on_sigterm : LastWords::at_the_end);
    }
    LastLine(const LastLine&) = delete;
    LastLine& operator=(const LastLine&) = delete;
    ~LastLine() { say_at_the_end(nullptr); }

private:
    std::string text_;
};

/// The first signal ends the run after a sweep. A sweep that takes longer than SIGTERM and SIGHUP wait is abandoned.
TrainResult train_gently(const SignalSource& signals, const AnyOptions& options, const Context& context,
                         const std::vector<Observer*>& observers, bool quiet) {
    const GentleStop gentle(quiet ? nullptr : "\nstopping after this sweep; press Ctrl-C again to quit now\n");
    const LastLine last(context.checkpoint.path);
    try {
        return train(signals, options, context, observers);
    } catch (const Stopped&) {
        const std::filesystem::path& checkpoint = context.checkpoint.path;
        std::error_code ignored;
        say_what_is_left(!checkpoint.empty() && std::filesystem::exists(checkpoint, ignored)
                             ? "the current sweep was abandoned; to resume: sbdl learn --resume " + checkpoint.string()
                             : "the current sweep was abandoned, and nothing is saved");
        throw;
    }
}

/// Of the memory that a run takes on all machines.
double share_of_machine() {
    return program_ranks() == nullptr ? 1.0 : double(ranks_on_this_machine()) / program_ranks()->count();
}

int chains_of(AnyOptions options) {
    for (const OptionRef& option : options.options())
        if (option.name == "chains") return *std::get<int*>(option.value);
    return 1;
}

}  // namespace

int learn(const LearnArguments& arguments, const AnyOptions& options) {
    check_missing(arguments);
    std::unique_ptr<SignalSource> signals = open_signals(arguments.signals, arguments.dataset);
    std::unique_ptr<SignalSource> whole, mask;
    if (!arguments.mask.empty()) {
        whole = std::move(signals);
        mask = open_signals(arguments.mask);
        signals = std::make_unique<MaskedSource>(*whole, *mask);
    }
    if (!arguments.memory.given())  // train() looks at what is given
        arguments.memory.require(
            double(sizeof(double)) * memory_needed(options, *signals, !arguments.reconstruction.empty()) *
                share_of_machine(),
            fmt::format("learning {} atoms from {} signals of length {}", options.atoms(), signals->count(),
                        signals->dim()),
            method_named(arguments.method).can.on_disk ? "; with --memory codes that do not fit are kept on disk" : "");
    validate(options);
    if (is_first_rank()) check_outputs(arguments);

    const bool quiet = arguments.output.quiet;
    if (is_first_rank() && !quiet && first_column_counts(*signals))
        std::cerr << "sbdl learn: note: " << printable(with_pipe_names(signals->name()))
                  << ": the first column counts the rows and is learned as data; if it is an index, remove it, or its "
                     "name in the header of a .csv file\n";
    InterruptObserver interrupt(learning_ends());
    ProgressObserver progress(std::cerr, progress_on_terminal());
    TraceObserver trace(arguments.trace);
    std::vector<Observer*> observers;
    if (is_first_rank()) observers.push_back(&interrupt);
    if (is_first_rank() && !quiet) observers.push_back(&progress);
    if (is_first_rank() && !arguments.trace.empty()) observers.push_back(&trace);

    Context context = arguments.context;
    context.execution.ranks = program_ranks();
    context.execution.memory_bytes = arguments.memory.given().value_or(0.0);
    if (std::error_code error;  // a device is in no folder for files
        context.execution.scratch.empty() && !std::filesystem::is_other(arguments.model, error))
        context.execution.scratch = std::filesystem::absolute(arguments.model).parent_path();
    if (context.execution.threads == 0) context.execution.threads = threads_of_rank();
    context.reconstruct = !arguments.reconstruction.empty();
    std::optional<Model> start;
    if (!arguments.start.empty()) context.start = &start.emplace(load_model(arguments.start));
    TrainResult result = train_gently(*signals, options, context, observers, quiet);
    if (!is_first_rank()) return done;
    result.model.program_version = program_text();
    result.model.command = arguments.command;
    Outputs outputs("the model");
    {
        const SavingResult saving;
        outputs.write("model", arguments.model, [&] { save_model(result.model, arguments.model); });
        if (!result.reconstruction.empty())
            outputs.write("reconstruction", arguments.reconstruction,
                          [&] { save_npy(arguments.reconstruction, result.reconstruction); });
        outputs.require_any();
        const bool ended = result.reason == StopReason::sweeps_done || result.reason == StopReason::converged;
        if (ended && !outputs.miss_data() && !context.checkpoint.path.empty())
            std::filesystem::remove(context.checkpoint.path);
    }
    report_result(arguments, result, chains_of(options), outputs);
    if (result.reason == StopReason::observer) return signal_status();
    const bool all = result.observer_errors.empty() && result.checkpoint_error.empty() && !outputs.miss_data();
    return all ? done : failed;
}

}  // namespace sbdl::app
