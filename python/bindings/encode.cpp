// Codes of signals with a fixed dictionary, written directly into the array that is returned.
#include "sbdl/encode.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "context.hpp"
#include "python_stop.hpp"
#include "sbdl/error.hpp"
#include "sbdl/score.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

/// The result of a coder, with dense codes in the place of sparse ones, and with the other matrices that are wanted.
/// Ctrl-C raises: there is no useful partial result.
template <class ModelOrDictionary, class Options>
Codes encode_rows(const ModelOrDictionary& with, std::size_t atoms, const Rows& signals, const Options& options,
                  Context context, const std::vector<Matrix Codes::*>& wanted = {}) {
    PythonStop stop;
    stop.watch(context.execution);
    const MemorySource source(view_of(signals));
    Codes all{.dense = Matrix(source.count(), atoms)};
    for (const auto part : wanted) all.*part = Matrix(source.count(), atoms);
    const auto place = [&](const Codes& block) {
        const Matrix rows = block.as_matrix();
        std::copy_n(rows.data(), rows.size(), all.dense.row(block.first).data());
        for (const auto part : wanted)
            std::copy_n((block.*part).data(), (block.*part).size(), (all.*part).row(block.first).data());
        all.unsettled += block.unsettled;
    };
    stop.run([&] { encode(with, source, options, context, place); });
    return all;
}

nb::tuple encode_with_model(const Model& model, const Rows& signals, int burn_in, int draws, bool sparse,
                            std::uint64_t seed, int threads, bool with_std, bool with_probability, std::size_t first) {
    if (with_probability && !model.on_off)
        throw InputError("probabilities of codes need a model with on/off codes; this one, of method " + model.method +
                         ", has none");
    const PosteriorCoderOptions options{.burn_in = burn_in, .draws = draws, .sparse = sparse, .first = first};
    std::vector<Matrix Codes::*> wanted;
    if (with_std) wanted.push_back(&Codes::std);
    if (with_probability) wanted.push_back(&Codes::probability);
    Codes codes = encode_rows(model, model.atom_count(), signals, options, context_for(seed, threads), wanted);
    nb::list found;
    found.append(to_numpy(std::move(codes.dense)));
    for (const auto part : wanted) found.append(to_numpy(std::move(codes.*part)));
    return nb::tuple(found);
}

NumpyRows pursue(const Rows& dictionary, const Rows& signals, std::size_t max_nonzeros, double max_error,
                 const std::string& pursuit, int threads) {
    if (pursuit != "omp" && pursuit != "ormp") throw InputError("pursuit is '" + pursuit + "', must be omp or ormp");
    const OmpOptions options{.max_nonzeros = max_nonzeros,
                             .max_error = max_error,
                             .pursuit = pursuit == "ormp" ? Pursuit::ormp : Pursuit::omp};
    Codes codes = encode_rows(view_of(dictionary), dictionary.shape(0), signals, options, context_for(0, threads));
    return to_numpy(std::move(codes.dense));
}

std::pair<NumpyRows, std::size_t> minimise_lasso(const Rows& dictionary, const Rows& signals, double alpha, int steps,
                                                 int threads) {
    const LassoOptions options{.lambda = alpha, .max_steps = steps};
    Codes codes = encode_rows(view_of(dictionary), dictionary.shape(0), signals, options, context_for(0, threads));
    return {to_numpy(std::move(codes.dense)), codes.unsettled};
}

double error_of_noise(double noise_sd, std::size_t dim) {
    return noise_gain * noise_sd * std::sqrt(double(dim));
}

nb::dict score(const Rows& truth, const Rows& learned, double threshold) {
    RecoveryScore found = score_dictionary(view_of(truth), view_of(learned), threshold);
    nb::dict result;
    result["nearest_distance"] = to_numpy(std::move(found.nearest_distance));
    result["assigned_distance"] = to_numpy(std::move(found.assigned_distance));
    result["assigned_to"] = to_numpy(std::move(found.assigned_to));
    result["nearest_recovered"] = found.nearest_recovered;
    result["assigned_recovered"] = found.assigned_recovered;
    return result;
}

}  // namespace

void bind_encode(nb::module_& module) {
    module.def("has_code_posterior", &has_code_posterior, "model"_a, "Whether encode_posterior applies to the model.");
    module.def("encode_posterior", &encode_with_model, "model"_a, "signals"_a.noconvert(), nb::kw_only(), "burn_in"_a,
               "draws"_a, "sparse"_a, "seed"_a, "threads"_a, "std"_a, "probability"_a, "first"_a = 0,
               "Posterior mean of the codes, then what else is wanted: standard deviations, probabilities of not being "
               "zero. `first` is the number of the first signal, on which its draws depend.");
    module.def("encode_omp", &pursue, "dictionary"_a.noconvert(), "signals"_a.noconvert(), nb::kw_only(),
               "max_nonzeros"_a, "max_error"_a, "pursuit"_a, "threads"_a,
               "Codes by orthogonal matching pursuit; 0 switches a limit off.");
    module.def("encode_lasso", &minimise_lasso, "dictionary"_a.noconvert(), "signals"_a.noconvert(), nb::kw_only(),
               "alpha"_a, "steps"_a, "threads"_a,
               "Codes at the minimum of the lasso, and how many of them did not reach it in all steps.");
    module.def("omp_error_of_noise", &error_of_noise, "noise_sd"_a, "dim"_a,
               "The norm of the residual at which a pursuit should stop, for noise of this size.");
    module.def("score_dictionary", &score, "truth"_a.noconvert(), "learned"_a.noconvert(), "threshold"_a,
               "How well learned atoms match true ones.");
}

}  // namespace sbdl::python
