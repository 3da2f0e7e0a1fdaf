// sbdl encode: codes of signals under a learned dictionary, written as they become known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encode_coders.hpp"
#include "interrupt.hpp"
#include "sbdl/error.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

/// An option, and the coders it belongs to.
using CoderOption = std::pair<const CLI::Option*, std::vector<std::string>>;

std::string joined(const std::vector<std::string>& coders) {
    return fmt::format("{}", fmt::join(coders, " and "));
}

std::vector<CoderOption> add_options(CLI::App& app, EncodeRequest& request) {
    app.footer(
        "Example:\n  sbdl encode model.h5 signals.npy -o codes.npy --std codes_std.npy\n"
        "  sbdl encode model.h5 signals.npy -o codes.npy --coder omp --nonzeros 5\n"
        "  sbdl encode model.h5 signals.npy -o codes.npy --coder lasso --lambda 0.2");
    app.add_option("MODEL", request.model, "Model file that learn wrote")->required()->type_name("FILE");
    app.add_option("SIGNALS", request.signals, "File of signals, one per row")->required()->type_name("FILE");
    app.add_option("-o,--output", request.codes, "File for the codes (.npy)")->required()->type_name("CODES.npy");
    app.add_option(
           "--coder", request.coder,
           "How to code: the posterior mean, few atoms by matching pursuit, or the lasso, by an active set or by "
           "FISTA; auto: posterior for models of gibbs and vb, omp for others")
        ->capture_default_str()
        ->type_name("auto|posterior|omp|lasso|fista");
    app.add_option("--dataset", request.dataset, "Dataset (.h5) or variable (.mat) that holds the signals")
        ->type_name("NAME");
    add_threads(app, request.context.execution.threads);
    add_seed(app, request.context.seed);

    std::vector<CoderOption> options;
    const auto add = [&](const std::vector<std::string>& coders, const std::string& name, auto& value,
                         const std::string& help) {
        CLI::Option* option = app.add_option(name, value, help)->group("Coder " + joined(coders));
        options.emplace_back(option, coders);
        return option;
    };
    add({"posterior"}, "--std", request.std, "Also write the standard deviation of each code (.npy)")
        ->type_name("STD.npy");
    add({"posterior"}, "--burn-in", request.posterior.burn_in, "Gibbs models: sweeps thrown away")
        ->check(whole_number(0, 8000000))
        ->capture_default_str()
        ->type_name("N");
    add({"posterior"}, "--draws", request.posterior.draws, "Gibbs models: sweeps averaged; vb models: the most sweeps")
        ->check(whole_number(1, 8000000))
        ->capture_default_str()
        ->type_name("N");
    add({"omp"}, "--nonzeros", request.omp.max_nonzeros, "The most atoms in a signal")
        ->check(whole_number())
        ->type_name("K");
    add({"omp"}, "--error", request.omp.max_error,
        fmt::format(
            "Stop once the residual's norm is at most this. Without this and --nonzeros: as the model was learned, "
            "or else {} times its noise sd times the root of the signal's length",
            noise_gain))
        ->check(real_number())
        ->type_name("E");
    add({"omp"}, "--pursuit", request.pursuit,
        "omp takes the atom nearest the residual, ormp the one that leaves the least of it")
        ->capture_default_str()
        ->type_name("omp|ormp");
    add({"lasso", "fista"}, "--lambda", request.lambda, "Weight of the codes' sum of absolute values; must be given")
        ->check(real_number())
        ->type_name("X");
    add({"lasso", "fista"}, "--steps", request.max_steps,
        "The most steps made for a signal; one of lasso takes an atom in")
        ->check(whole_number(1, 100000000))
        ->capture_default_str()
        ->type_name("N");
    add({"fista"}, "--tolerance", request.tolerance,
        "A code is done this close to its minimum, as a part of the signal's energy; 0: after all steps")
        ->check(real_number(0.0, 1.0))
        ->capture_default_str()
        ->type_name("X");
    return options;
}

void check_words(const EncodeRequest& request) {
    constexpr std::array<std::string_view, 5> coders{"auto", "posterior", "omp", "lasso", "fista"};
    if (std::find(coders.begin(), coders.end(), request.coder) == coders.end())
        throw InputError(fmt::format("'{}' is not a coder; there are: {}", request.coder, fmt::join(coders, ", ")));
    if (request.pursuit != "omp" && request.pursuit != "ormp")
        throw InputError(fmt::format("--pursuit is '{}', must be omp or ormp", request.pursuit));
}

void check_options(const EncodeRequest& request, const std::vector<CoderOption>& options) {
    for (const auto& [option, coders] : options) {
        if (option->count() == 0) continue;
        const std::string name = option->get_name();
        if (std::find(coders.begin(), coders.end(), request.coder) == coders.end())
            throw InputError(
                fmt::format("{} is an option of coder {}, not of {}", name, joined(coders), request.coder));
        if (name == "--nonzeros" && request.omp.max_nonzeros == 0)
            throw InputError("--nonzeros is 0, must be at least 1");
        if (name == "--error" && !(std::isfinite(request.omp.max_error) && request.omp.max_error > 0.0))
            throw InputError(fmt::format("--error is {}, must be a number above 0", request.omp.max_error));
        if (name == "--lambda" && !(std::isfinite(request.lambda) && request.lambda > 0.0))
            throw InputError(fmt::format("--lambda is {}, must be a number above 0", request.lambda));
    }
    if ((request.coder == "lasso" || request.coder == "fista") && request.lambda == 0.0)
        throw InputError(
            fmt::format("--coder {} needs --lambda, the weight of the codes' sum of absolute values", request.coder));
}

Json code_with(const EncodeRequest& request, const Model& model, const SignalSource& signals, GrowingCodes& codes) {
    if (request.coder == "omp") return code_omp(request, model, signals, codes);
    if (request.coder == "lasso") return code_lasso(request, model, signals, codes);
    if (request.coder == "fista") return code_fista(request, model, signals, codes);
    return code_posterior(request, model, signals, codes);
}

void check_files(const EncodeRequest& request) {
    check_output(request.codes, {".npy"}, {request.model, request.signals});
    if (!request.std.empty()) check_output(request.std, {".npy"}, {request.model, request.signals});
    check_apart({request.codes, request.std});
}

}  // namespace

int run_encode(int count, char** arguments) {
    EncodeRequest request;
    CLI::App app("Code signals with a learned dictionary: one code a row, one column an atom.", "sbdl encode");
    const std::vector<CoderOption> options = add_options(app, request);
    request.output.add_to(app);
    if (!parse(app, count, arguments)) return done;
    check_words(request);
    if (request.coder != "auto") check_options(request, options);

    const Model model = load_model(request.model);
    request.coder = coder_for(request, model);
    check_options(request, options);
    const std::unique_ptr<SignalSource> signals = open_signals(request.signals, request.dataset);
    check_signals(*signals);
    check_files(request);

    catch_interrupts(nullptr);
    const WritingFiles writing;
    GrowingCodes codes(request, signals->count(), model.atom_count());
    const Json more = code_with(request, model, *signals, codes);
    codes.finish();
    const double seconds = codes.seconds();

    Json result = {{"codes", request.codes.string()}, {"coder", request.coder},       {"signals", signals->count()},
                   {"atoms", model.atom_count()},     {"seed", request.context.seed}, {"seconds", seconds}};
    result.update(more);
    request.output.print_json(result);
    std::string text = fmt::format("codes       {} of {} coefficients\n", signals->count(), model.atom_count());
    if (more.contains("mean_nonzeros"))
        text += fmt::format("non-zeros   {:.2f} a signal\n", more["mean_nonzeros"].get<double>());
    if (more.value("unsettled", 0) > 0)
        text += fmt::format("unsettled   {} signals, after {} steps\n", more["unsettled"].get<std::size_t>(),
                            request.max_steps);
    request.output.say(text + fmt::format("seconds     {:.2f}\nfile        {}\n", seconds, request.codes.string()));
    return done;
}

}  // namespace sbdl::app
