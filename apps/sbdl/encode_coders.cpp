#include "encode_coders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "interrupt.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"

namespace sbdl::app {

using Json = nlohmann::ordered_json;

std::string coder_for(const EncodeRequest& request, const Model& model) {
    if (request.coder != "auto") return request.coder;
    return method_named(model.method).can.codes == CodePosterior::none ? "omp" : "posterior";
}

GrowingCodes::GrowingCodes(const EncodeRequest& request, std::size_t signals, std::size_t atoms)
    : writer_(request.codes, signals, atoms),
      progress_(std::cerr, progress_on_terminal()),
      signals_(signals),
      quiet_(request.output.quiet) {
    progress_.start(signals);
}

void GrowingCodes::append(MatrixView codes) {
    stop_if_interrupted();
    writer_.append(codes);
    written_ += codes.rows;
    if (!quiet_) progress_.show(written_, seconds(), fmt::format("signal {}/{}", written_, signals_));
}

void GrowingCodes::finish() {
    if (!quiet_) progress_.finish();
    writer_.finish();
}

double GrowingCodes::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Json code_posterior(const EncodeRequest& request, const Model& model, const SignalSource& signals,
                    GrowingCodes& codes) {
    std::optional<NpyWriter> stds;
    if (!request.std.empty()) stds.emplace(request.std, signals.count(), model.atom_count());
    encode_posterior(model, signals, request.posterior, request.context,
                     [&](std::size_t, MatrixView mean, MatrixView std) {
                         codes.append(mean);
                         if (stds) stds->append(std);
                     });
    if (stds) stds->finish();
    return stds ? Json{{"std", request.std.string()}} : Json::object();
}

namespace {

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

void append_dense(const SparseCodes& block, GrowingCodes& codes) {
    Matrix dense(block.count(), block.atoms);
    for (std::size_t i = 0; i < block.count(); ++i)
        for (std::size_t k = block.start[i]; k < block.start[i + 1]; ++k) dense(i, block.atom[k]) = block.value[k];
    codes.append(dense);
}

}  // namespace

Json code_omp(const EncodeRequest& request, const Model& model, const SignalSource& signals, GrowingCodes& codes) {
    const OmpOptions options = omp_options(request, model);
    std::size_t nonzeros = 0;
    encode_omp(model.dictionary, signals, options, request.context, [&](std::size_t, const SparseCodes& block) {
        append_dense(block, codes);
        nonzeros += block.atom.size();
    });
    return {{"pursuit", request.pursuit},
            {"max_nonzeros", options.max_nonzeros},
            {"max_error", options.max_error},
            {"mean_nonzeros", double(nonzeros) / double(signals.count())}};
}

Json code_lasso(const EncodeRequest& request, const Model& model, const SignalSource& signals, GrowingCodes& codes) {
    std::size_t nonzeros = 0;
    std::size_t open = 0;
    encode_lasso(model.dictionary, signals, {.lambda = request.lambda, .max_steps = request.max_steps}, request.context,
                 [&](std::size_t, const SparseCodes& block, std::size_t unsettled) {
                     append_dense(block, codes);
                     open += unsettled;
                     nonzeros += block.atom.size();
                 });
    return {{"lambda", request.lambda},
            {"steps", request.max_steps},
            {"unsettled", open},
            {"mean_nonzeros", double(nonzeros) / double(signals.count())}};
}

Json code_fista(const EncodeRequest& request, const Model& model, const SignalSource& signals, GrowingCodes& codes) {
    std::size_t nonzeros = 0;
    std::size_t open = 0;
    encode_fista(model.dictionary, signals,
                 {.lambda = request.lambda, .max_steps = request.max_steps, .tolerance = request.tolerance},
                 request.context, [&](std::size_t, MatrixView block, std::size_t unsettled) {
                     codes.append(block);
                     open += unsettled;
                     const std::size_t entries = block.rows * block.cols;
                     nonzeros += entries - static_cast<std::size_t>(std::count(block.data, block.data + entries, 0.0));
                 });
    return {{"lambda", request.lambda},
            {"steps", request.max_steps},
            {"tolerance", request.tolerance},
            {"unsettled", open},
            {"mean_nonzeros", double(nonzeros) / double(signals.count())}};
}

}  // namespace sbdl::app
