// sbdl encode: codes of signals under a learned dictionary, written as they become known.
#include "sbdl/encode.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common.hpp"
#include "interrupt.hpp"
#include "sbdl/error.hpp"
#include "sbdl/observers.hpp"
#include "sbdl/signals.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int run_encode(int count, char** arguments) {
    fs::path model_path;
    fs::path signals_path;
    fs::path codes_path;
    fs::path std_path;
    std::string coder = "posterior";
    std::string dataset;
    PosteriorCoderOptions options;
    Context context;
    Output output;
    CLI::App app("Code signals with a learned dictionary: one code a row, one column an atom.", "sbdl encode");
    app.footer("Example:\n  sbdl encode model.h5 signals.npy -o codes.npy --coder posterior --std codes_std.npy");
    app.add_option("MODEL", model_path, "Model file that learn wrote")->required()->type_name("FILE");
    app.add_option("SIGNALS", signals_path, "File of signals, one a row")->required()->type_name("FILE");
    app.add_option("-o,--output", codes_path, "File for the codes (.npy)")->required()->type_name("CODES.npy");
    app.add_option("--coder", coder, "How to code")->capture_default_str()->type_name("posterior");
    app.add_option("--std", std_path, "Also write the standard deviation of each code (.npy)")->type_name("STD.npy");
    app.add_option("--burn-in", options.burn_in, "Gibbs models: sweeps thrown away")
        ->check(CLI::Range(0, 8000000).description(""))
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--draws", options.draws, "Gibbs models: sweeps averaged; vb models: the most sweeps")
        ->check(CLI::Range(1, 8000000).description(""))
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--dataset", dataset, "Dataset (.h5) or variable (.mat) that holds the signals")->type_name("NAME");
    add_threads(app, context.threads);
    add_seed(app, context.seed);
    output.add_to(app);
    if (!parse(app, count, arguments)) return done;
    if (coder != "posterior") throw InputError(fmt::format("'{}' is not a coder; there is: posterior", coder));

    const Model model = load_model(model_path);
    const std::unique_ptr<SignalSource> signals = open_signals(signals_path, dataset);
    check_signals(*signals);
    check_output(codes_path, {".npy"}, {model_path, signals_path});
    if (!std_path.empty()) {
        check_output(std_path, {".npy"}, {model_path, signals_path});
        if (fs::weakly_canonical(fs::absolute(std_path)) == fs::weakly_canonical(fs::absolute(codes_path))) {
            throw InputError(fmt::format("{}: codes and standard deviations need two files", std_path.string()));
        }
    }

    catch_interrupts(nullptr);
    const auto start = std::chrono::steady_clock::now();
    ProgressMeter progress(std::cerr, progress_on_terminal());
    progress.start(signals->count());
    const WritingFiles writing;
    NpyWriter codes(codes_path, signals->count(), model.atom_count());
    std::optional<NpyWriter> deviations;
    if (!std_path.empty()) deviations.emplace(std_path, signals->count(), model.atom_count());
    encode_posterior(model, *signals, options, context, [&](std::size_t first, MatrixView mean, MatrixView std) {
        stop_if_interrupted();
        codes.append(mean);
        if (deviations) deviations->append(std);
        const std::size_t coded = first + mean.rows;
        if (!output.quiet) {
            progress.show(coded, seconds_since(start), fmt::format("signal {}/{}", coded, signals->count()));
        }
    });
    if (!output.quiet) progress.finish();
    if (deviations) deviations->finish();
    codes.finish();
    const double seconds = seconds_since(start);

    nlohmann::ordered_json told = {{"codes", codes_path.string()}, {"coder", coder},
                                   {"signals", signals->count()},  {"atoms", model.atom_count()},
                                   {"seed", context.seed},         {"seconds", seconds}};
    if (deviations) told["std"] = std_path.string();
    output.print_json(told);
    output.say(fmt::format("codes       {} of {} coefficients\nseconds     {:.2f}\nfile        {}\n", signals->count(),
                           model.atom_count(), seconds, codes_path.string()));
    return done;
}

}  // namespace sbdl::app
