// Codes of signals with a fixed dictionary, written directly into the array that is returned.
#include "sbdl/encode.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "context.hpp"
#include "python_observer.hpp"
#include "sbdl/error.hpp"
#include "sbdl/lasso.hpp"
#include "sbdl/omp.hpp"
#include "sbdl/score.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

// Ctrl-C ends a long pass over many signals between two blocks. There is no useful partial result, so it raises.
void raise_if_interrupted() {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void copy_rows(MatrixView from, std::size_t first, Matrix& to) {
    std::copy(from.data, from.data + from.rows * from.cols, to.row(first).data());
}

void spread(const SparseCodes& from, std::size_t first, Matrix& to) {
    for (std::size_t i = 0; i < from.count(); ++i)
        for (std::size_t k = from.start[i]; k < from.start[i + 1]; ++k) to(first + i, from.atom[k]) = from.value[k];
}

nb::object encode_with_model(const Model& model, const Rows& signals, int burn_in, int draws, std::uint64_t seed,
                             int threads, bool return_std) {
    Matrix codes, deviations;
    {
        const nb::gil_scoped_release others_may_run;
        const MemorySource source(view_of(signals));
        codes = Matrix(source.count(), model.atom_count());
        if (return_std) deviations = Matrix(source.count(), model.atom_count());
        encode_posterior(model, source, {.burn_in = burn_in, .draws = draws}, context_for(seed, threads),
                         [&](std::size_t first, MatrixView mean, MatrixView std) {
                             raise_if_interrupted();
                             copy_rows(mean, first, codes);
                             if (return_std) copy_rows(std, first, deviations);
                         });
    }
    if (!return_std) return nb::cast(to_numpy(std::move(codes)));
    return nb::make_tuple(to_numpy(std::move(codes)), to_numpy(std::move(deviations)));
}

NumpyRows pursue(const Rows& dictionary, const Rows& signals, std::size_t max_nonzeros, double max_error,
                 const std::string& pursuit, int threads) {
    if (pursuit != "omp" && pursuit != "ormp") throw InputError("pursuit is '" + pursuit + "', must be omp or ormp");
    const OmpOptions options{.max_nonzeros = max_nonzeros,
                             .max_error = max_error,
                             .pursuit = pursuit == "ormp" ? Pursuit::ormp : Pursuit::omp};
    Matrix codes;
    {
        const nb::gil_scoped_release others_may_run;
        const MemorySource source(view_of(signals));
        codes = Matrix(source.count(), dictionary.shape(0));
        encode_omp(view_of(dictionary), source, options, context_for(0, threads),
                   [&](std::size_t first, const SparseCodes& block) {
                       raise_if_interrupted();
                       spread(block, first, codes);
                   });
    }
    return to_numpy(std::move(codes));
}

std::pair<NumpyRows, std::size_t> minimise_lasso(const Rows& dictionary, const Rows& signals, double alpha, int steps,
                                                 int threads) {
    Matrix codes;
    std::size_t unsettled = 0;
    {
        const nb::gil_scoped_release others_may_run;
        const MemorySource source(view_of(signals));
        codes = Matrix(source.count(), dictionary.shape(0));
        encode_lasso(view_of(dictionary), source, {.lambda = alpha, .max_steps = steps}, context_for(0, threads),
                     [&](std::size_t first, const SparseCodes& block, std::size_t open) {
                         raise_if_interrupted();
                         spread(block, first, codes);
                         unsettled += open;
                     });
    }
    return {to_numpy(std::move(codes)), unsettled};
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
    module.def("encode_posterior", &encode_with_model, "model"_a, "signals"_a.noconvert(), nb::kw_only(), "burn_in"_a,
               "draws"_a, "seed"_a, "threads"_a, "return_std"_a,
               "Posterior mean of the codes; with return_std, also their standard deviations.");
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
