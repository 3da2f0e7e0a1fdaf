// Codes of any number of signals by Batch-OMP, whatever the units of the signals.
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "coders/block_rounds.hpp"
#include "coders/check_coding.hpp"
#include "coders/omp_block.hpp"
#include "coders/scale.hpp"
#include "coders/sparse_codes.hpp"
#include "sbdl/error.hpp"
#include "sbdl/omp.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_in_block = 128;
constexpr std::size_t blocks_a_thread = 32;

/// What a thread works with.
struct Bench {
    explicit Bench(const BatchOmp& omp) : block(omp, signals_in_block), signals(signals_in_block * omp.dim()) {}
    OmpBlock block;
    std::vector<double> signals;
    std::vector<int> exponent;
    std::vector<double> max_error2;
};

SparseCodes code_block(const BatchOmp& omp, const SignalSource& source, std::size_t first, std::size_t count,
                       Bench& bench) {
    const auto signal = [&](std::size_t i) { return std::span(bench.signals).subspan(i * omp.dim(), omp.dim()); };
    source.read(first, count, bench.signals.data());
    check_values(source, first, std::span(bench.signals).first(count * omp.dim()));
    bench.exponent.resize(count);
    bench.max_error2.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        bench.exponent[i] = take_out_scale(signal(i));
        const double max_error = std::ldexp(omp.max_error(), -bench.exponent[i]);
        bench.max_error2[i] = max_error * max_error;
    }
    bench.block.load(bench.signals.data(), bench.max_error2);

    SparseCodes codes;
    codes.atoms = omp.atoms();
    for (std::size_t i = 0; i < count; ++i) {
        const BatchOmp::Code code = bench.block.code(i);
        codes.atom.insert(codes.atom.end(), code.atoms.begin(), code.atoms.end());
        for (const double value : code.values) {
            codes.value.push_back(std::ldexp(value, bench.exponent[i]));
            check_code(codes.value.back(), source, first + i);
        }
        codes.start.push_back(codes.atom.size());
        codes.residual_norm.push_back(std::ldexp(std::sqrt(code.residual2), bench.exponent[i]));
    }
    return codes;
}

}  // namespace

void encode_omp(MatrixView dictionary, const SignalSource& signals, const OmpOptions& options, const Context& context,
                const SparseCodeSink& sink) {
    if (options.max_nonzeros == 0 && options.max_error == 0.0)
        throw InputError("omp: neither max_nonzeros nor max_error is set; a pursuit needs one to know when to stop");
    const BatchOmp omp(dictionary, options);
    check_lengths(dictionary, signals);
    check_shape(signals);  // its values are checked as they come: a pass of its own would take a tenth of the time

    const int threads = resolve_threads(context.threads);
    std::vector<std::optional<Bench>> benches(static_cast<std::size_t>(threads));
    code_in_rounds(
        {signals.count(), signals_in_block, blocks_a_thread, threads},
        [&](std::size_t first, std::size_t count, int thread) {
            auto& bench = benches[static_cast<std::size_t>(thread)];
            if (!bench) bench.emplace(omp);
            return code_block(omp, signals, first, count, *bench);
        },
        sink);
}

SparseCodes encode_omp(MatrixView dictionary, MatrixView signals, const OmpOptions& options, const Context& context) {
    SparseCodes all;
    all.atoms = dictionary.rows;
    all.start.reserve(signals.rows + 1);
    all.residual_norm.reserve(signals.rows);
    encode_omp(dictionary, MemorySource{signals}, options, context,
               [&](std::size_t, const SparseCodes& block) { append_codes(block, all); });
    return all;
}

}  // namespace sbdl
