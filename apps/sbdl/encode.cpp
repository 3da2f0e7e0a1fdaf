// sbdl encode: codes of signals under a learned dictionary, written as they become known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest_word.hpp"
#include "common.hpp"
#include "pipes.hpp"
#include "program_ranks.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/observers.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

using Json = nlohmann::ordered_json;

/// What the command line requests.
struct EncodeRequest {
    std::filesystem::path model;
    std::filesystem::path signals;
    std::filesystem::path codes;
    std::filesystem::path std;
    std::filesystem::path probability;
    std::filesystem::path reconstruction;
    std::string coder = "auto";
    std::string pursuit = "omp";
    std::string empty_signals = "refuse";
    std::string dataset;
    PosteriorCoderOptions posterior;
    OmpOptions omp;
    FistaOptions fista;  // the lasso has its weight and its steps from here
    Context context;
    Output output;
};

/// An option, and the coders it belongs to.
using CoderOption = std::pair<const CLI::Option*, std::vector<std::string>>;

std::string joined(const std::vector<std::string>& coders) {
    return fmt::format("{}", fmt::join(coders, " and "));
}

std::vector<CoderOption> add_options(CLI::App& app, EncodeRequest& request) {
    app.footer(
        "Example:\n  sbdl encode model.h5 signals.npy -o codes.npy --std codes_std.npy\n"
        "  sbdl encode model.h5 signals.npy -o codes.npy --probability used.npy --sparse\n"
        "  sbdl encode model.h5 incomplete.npy -o codes.npy --reconstruct full.npy\n"
        "  sbdl encode model.h5 signals.npy -o codes.npy --coder omp --nonzeros 5\n"
        "  sbdl encode model.h5 signals.npy -o codes.npy --coder lasso --lambda 0.2\n"
        "  mpirun -n 16 sbdl encode model.h5 huge.npy -o codes.npy");
    app.add_option("MODEL", request.model, "Model file written by learn or denoise, or -")
        ->required()
        ->type_name("FILE");
    app.add_option("SIGNALS", request.signals, "File of signals, one per row, or - for standard input")
        ->required()
        ->type_name("FILE");
    app.add_option("-o,--output", request.codes, "File for the codes (.npy), or - for standard output")
        ->required()
        ->type_name("CODES.npy");
    app.add_option(
           "--coder", request.coder,
           fmt::format("How to code: the posterior mean, few atoms by matching pursuit, or the lasso, by an active set "
                       "or by FISTA; auto: posterior for models of {}, omp for others",
                       methods_that([](const Capabilities& can) { return can.codes != CodePosterior::none; })))
        ->capture_default_str()
        ->type_name("auto|posterior|omp|lasso|fista");
    app.add_option("--dataset", request.dataset, "Dataset (.h5) or variable (.mat) that holds the signals")
        ->type_name("NAME");
    app.add_option("--reconstruct", request.reconstruction,
                   "Also write what the codes make of the signals (.npy): less noise, and missing entries (NaN) filled")
        ->type_name("FULL.npy");
    add_threads(app, request.context.execution.threads);
    add_seed(app, request.context.seed);

    std::vector<CoderOption> options;
    const auto add = [&](const std::vector<std::string>& coders, const std::string& name, auto& value,
                         const std::string& help) {
        CLI::Option* option =
            app.add_option(name, value, help)->group((coders.size() > 1 ? "Coders " : "Coder ") + joined(coders));
        options.emplace_back(option, coders);
        return option;
    };
    add({"posterior"}, "--std", request.std, "Also write the standard deviation of each code (.npy)")
        ->type_name("STD.npy");
    add({"posterior"}, "--probability", request.probability,
        "Also write the probability that each code is not zero (.npy), averaged over --draws; between 0.1 and 0.5 it "
        "is "
        "a few points too high; for models with on/off codes")
        ->type_name("P.npy");
    options.emplace_back(app.add_flag("--sparse", request.posterior.sparse,
                                      "Set codes that are more likely zero than not to exactly zero; for models with "
                                      "on/off codes")
                             ->group("Coder posterior"),
                         std::vector<std::string>{"posterior"});
    add({"posterior"}, "--burn-in", request.posterior.burn_in, "Sweeps discarded")
        ->check(whole_number(0, 8000000))
        ->capture_default_str()
        ->type_name("N");
    add({"posterior"}, "--draws", request.posterior.draws,
        "Sweeps averaged; vb models with the prior student-t: maximum number of sweeps")
        ->check(whole_number(1, 8000000))
        ->capture_default_str()
        ->type_name("N");
    add({"posterior", "omp"}, "--empty-signals", request.empty_signals,
        "Signals without any observed entry: an error (refuse), or their codes are zero (ignore)")
        ->check(one_of({"refuse", "ignore"}))
        ->capture_default_str()
        ->type_name("refuse|ignore");
    add({"omp"}, "--nonzeros", request.omp.max_nonzeros, "Maximum number of atoms in a signal")
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
        "omp picks the atom most correlated with the residual, ormp the one that leaves the smallest residual")
        ->check(one_of({"omp", "ormp"}))
        ->capture_default_str()
        ->type_name("omp|ormp");
    add({"lasso", "fista"}, "--lambda", request.fista.lambda, "Weight of the l1 norm of the codes; required")
        ->check(real_number())
        ->type_name("X");
    add({"lasso", "fista"}, "--steps", request.fista.max_steps,
        "Maximum number of steps per signal; each step of lasso adds an atom")
        ->check(whole_number(1, 100000000))
        ->capture_default_str()
        ->type_name("N");
    add({"fista"}, "--tolerance", request.fista.tolerance,
        "Stop this close to the minimum, as a fraction of the signal's energy; 0: make all steps")
        ->check(real_number(0.0, 1.0))
        ->capture_default_str()
        ->type_name("X");
    return options;
}

void check_words(const EncodeRequest& request) {
    constexpr std::array<std::string_view, 5> coders{"auto", "posterior", "omp", "lasso", "fista"};
    if (std::find(coders.begin(), coders.end(), request.coder) == coders.end())
        throw InputError(fmt::format("'{}' is not a coder; there are: {}{}", request.coder, fmt::join(coders, ", "),
                                     did_you_mean(request.coder, coders)));
}

void check_options(const EncodeRequest& request, const std::vector<CoderOption>& options) {
    for (const auto& [option, coders] : options) {
        if (option->count() == 0) continue;
        const std::string name = option->get_name();
        if (std::find(coders.begin(), coders.end(), request.coder) == coders.end())
            throw InputError(fmt::format("{} does not apply to coder {}; it is an option of {}", name, request.coder,
                                         joined(coders)));
        if (name == "--nonzeros" && request.omp.max_nonzeros == 0)
            throw InputError("--nonzeros is 0, must be at least 1");
        if (name == "--error" && !(std::isfinite(request.omp.max_error) && request.omp.max_error > 0.0))
            throw InputError(fmt::format("--error is {}, must be a number above 0", request.omp.max_error));
        if (name == "--lambda" && !(std::isfinite(request.fista.lambda) && request.fista.lambda > 0.0))
            throw InputError(fmt::format("--lambda is {}, must be a number above 0", request.fista.lambda));
    }
    if ((request.coder == "lasso" || request.coder == "fista") && request.fista.lambda == 0.0)
        throw InputError(
            fmt::format("--coder {} needs --lambda, the weight of the codes' sum of absolute values", request.coder));
}

/// The requested coder; for auto, the posterior mean if the model has one, and matching pursuit otherwise.
std::string coder_for(const EncodeRequest& request, const Model& model) {
    if (request.coder != "auto") return request.coder;
    return has_code_posterior(model) ? "posterior" : "omp";
}

/// The files of codes, standard deviations and probabilities, while they grow; shows progress. Other ranks than the
/// first have no files.
class GrowingCodes {
public:
    GrowingCodes(const EncodeRequest& request, std::size_t signals, const Model& model)
        : dictionary_(model.dictionary),
          progress_(std::cerr, progress_on_terminal()),
          signals_(signals),
          quiet_(request.output.quiet) {
        if (!is_first_rank()) return;
        const std::size_t atoms = model.atom_count();
        writer_.emplace(request.codes, signals, atoms);
        if (!request.std.empty()) stds_.emplace(request.std, signals, atoms);
        if (!request.probability.empty()) probabilities_.emplace(request.probability, signals, atoms);
        if (!request.reconstruction.empty())
            reconstructions_.emplace(request.reconstruction, signals, model.signal_dim());
        progress_.start(signals);
    }

    void append(const Codes& block) {
        const Matrix codes = block.as_matrix();
        writer_->append(codes);
        if (stds_) stds_->append(block.std);
        if (probabilities_) probabilities_->append(block.probability);
        if (reconstructions_) reconstructions_->append(signals_of(codes));
        written_ += codes.rows();
        unsettled_ += block.unsettled;
        empty_ += block.empty;
        nonzeros_ +=
            codes.size() - static_cast<std::size_t>(std::count(codes.data(), codes.data() + codes.size(), 0.0));
        if (!quiet_) progress_.show(written_, seconds(), fmt::format("signal {}/{}", written_, signals_));
    }

    void finish() {
        if (stds_) stds_->finish();
        if (probabilities_) probabilities_->finish();
        if (reconstructions_) reconstructions_->finish();
        if (!quiet_) progress_.finish();
        if (writer_) writer_->finish();
    }

    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    [[nodiscard]] std::size_t unsettled() const { return unsettled_; }
    [[nodiscard]] std::size_t empty() const { return empty_; }
    [[nodiscard]] double mean_nonzeros() const { return double(nonzeros_) / double(signals_); }

private:
    [[nodiscard]] Matrix signals_of(const Matrix& codes) const {
        Matrix signals(codes.rows(), dictionary_.cols());
        for (std::size_t l = 0; l < codes.rows(); ++l)
            for (std::size_t n = 0; n < codes.cols(); ++n) {
                if (codes(l, n) == 0.0) continue;
                for (std::size_t m = 0; m < signals.cols(); ++m) signals(l, m) += codes(l, n) * dictionary_(n, m);
            }
        return signals;
    }

    const Matrix& dictionary_;
    std::optional<NpyWriter> writer_, stds_, probabilities_, reconstructions_;
    ProgressMeter progress_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::size_t signals_;
    std::size_t written_ = 0, unsettled_ = 0, empty_ = 0, nonzeros_ = 0;
    bool quiet_;
};

OmpOptions omp_options(const EncodeRequest& request, const Model& model) {
    OmpOptions options = request.omp;
    options.pursuit = request.pursuit == "ormp" ? Pursuit::ormp : Pursuit::omp;
    if (options.max_nonzeros > 0 || options.max_error > 0.0) return options;
    // As the training signals were coded; words stand for what was not given.
    const Json trained = Json::parse(model.options_json, nullptr, /*allow_exceptions=*/false);
    if (trained.is_object()) {
        const Json sparsity = trained.value("sparsity", Json());
        const Json max_error = trained.value("max_error", Json());
        if (sparsity.is_number_unsigned()) options.max_nonzeros = sparsity.get<std::size_t>();
        if (max_error.is_number()) options.max_error = std::max(0.0, max_error.get<double>());
    }
    if (options.max_nonzeros > 0 || options.max_error > 0.0) return options;
    if (!(model.noise_sd > 0.0))
        throw InputError(fmt::format("--coder omp needs --nonzeros or --error: the noise of {} is {}",
                                     request.model.string(), model.noise_sd));
    options.max_error = noise_gain * model.noise_sd * std::sqrt(double(model.signal_dim()));
    return options;
}

/// Writes all codes to the file and returns the facts to report about them.
Json code_with(const EncodeRequest& request, const Model& model, const SignalSource& signals, GrowingCodes& codes) {
    const CodeSink sink = [&](const Codes& block) { codes.append(block); };
    if (request.coder == "posterior") {
        if (!request.probability.empty() && !model.on_off)
            throw InputError(
                fmt::format("--probability needs a model with on/off codes; {} has none", request.model.string()));
        encode(model, signals, request.posterior, request.context, sink);
        Json more = Json::object();
        if (!request.std.empty()) more["std"] = request.std.string();
        if (!request.probability.empty()) more["probability"] = request.probability.string();
        if (request.posterior.sparse) more["mean_nonzeros"] = codes.mean_nonzeros();
        return more;
    }
    if (request.coder == "omp") {
        const OmpOptions options = omp_options(request, model);
        encode(model.dictionary, signals, options, request.context, sink);
        return {{"pursuit", request.pursuit},
                {"max_nonzeros", options.max_nonzeros},
                {"max_error", options.max_error},
                {"mean_nonzeros", codes.mean_nonzeros()}};
    }
    const FistaOptions& options = request.fista;
    Json more{{"lambda", options.lambda}, {"steps", options.max_steps}};
    if (request.coder == "lasso") {
        const LassoOptions lasso{.lambda = options.lambda, .max_steps = options.max_steps};
        encode(model.dictionary, signals, lasso, request.context, sink);
    } else {
        more["tolerance"] = options.tolerance;
        encode(model.dictionary, signals, options, request.context, sink);
    }
    more["unsettled"] = codes.unsettled();
    more["mean_nonzeros"] = codes.mean_nonzeros();
    return more;
}

void check_files(const EncodeRequest& request) {
    check_output(request.codes, {".npy"}, {request.model, request.signals});
    if (!request.std.empty()) check_output(request.std, {".npy"}, {request.model, request.signals});
    if (!request.probability.empty()) check_output(request.probability, {".npy"}, {request.model, request.signals});
    if (!request.reconstruction.empty())
        check_output(request.reconstruction, {".npy"}, {request.model, request.signals});
    check_apart({request.codes, request.std, request.probability, request.reconstruction});
}

}  // namespace

int run_encode(int count, char** arguments) {
    EncodeRequest request;
    CLI::App app("Code signals with a learned dictionary: one code per row, one column per atom.", "sbdl encode");
    const std::vector<CoderOption> options = add_options(app, request);
    request.output.add_to(app);
    if (!parse(app, count, arguments)) return done;
    check_words(request);
    if (request.coder != "auto") check_options(request, options);
    reject_shared_input({request.model, request.signals});
    Pipes pipes;
    pipes.take_input(request.model);
    pipes.take_input(request.signals);
    for (std::filesystem::path* path : {&request.codes, &request.std, &request.probability, &request.reconstruction})
        pipes.take_output(*path, ".npy", request.output);

    const Model model = load_model(request.model);
    request.coder = coder_for(request, model);
    check_options(request, options);
    const std::unique_ptr<SignalSource> signals = open_signals(request.signals, request.dataset);
    // A bad value late in the file should be found before coding. The posterior coder itself looks for it.
    request.context.execution.ranks = program_ranks();
    if (request.context.execution.threads == 0) request.context.execution.threads = threads_of_rank();
    if (request.empty_signals == "ignore")
        request.omp.empty_signals = request.posterior.empty_signals = EmptySignals::ignore;
    if (request.coder != "posterior")
        check_signals(*signals, MissingValues::allowed, program_ranks(), request.omp.empty_signals);
    if (is_first_rank()) check_files(request);

    GrowingCodes codes(request, signals->count(), model);
    const Json more = code_with(request, model, *signals, codes);
    codes.finish();
    pipes.finish();
    const double seconds = codes.seconds();

    Json result = {{"codes", request.codes.string()}, {"coder", request.coder},       {"signals", signals->count()},
                   {"atoms", model.atom_count()},     {"seed", request.context.seed}, {"seconds", seconds}};
    result.update(more);
    if (request.empty_signals == "ignore") result["empty_signals"] = codes.empty();
    if (!request.reconstruction.empty()) result["reconstruction"] = request.reconstruction.string();
    request.output.print_json(result);
    std::string text =
        fmt::format("codes       {} signals, {} coefficients each\n", signals->count(), model.atom_count());
    if (more.contains("mean_nonzeros"))
        text += fmt::format("non-zeros   {:.2f} a signal\n", more["mean_nonzeros"].get<double>());
    if (codes.empty() > 0)
        text += fmt::format("empty       {} signals without any observed entry, with codes of zeros\n", codes.empty());
    if (more.value("unsettled", 0) > 0)
        text += fmt::format("unsettled   {} signals, after {} steps\n", more["unsettled"].get<std::size_t>(),
                            request.fista.max_steps);
    request.output.say(text + fmt::format("seconds     {:.2f}\nfile        {}\n", seconds, name_text(request.codes)));
    return done;
}

}  // namespace sbdl::app
