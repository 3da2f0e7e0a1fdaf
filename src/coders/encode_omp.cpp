// Codes of any number of signals, a block at a time: blocks run on the threads and are handed on in their order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "coders/omp_block.hpp"
#include "coders/scale.hpp"
#include "sbdl/error.hpp"
#include "sbdl/omp.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_in_block = 128;
constexpr std::size_t blocks_a_thread = 32;  // in a round, so that threads seldom wait for each other

/// What a thread works with.
struct Bench {
    explicit Bench(const BatchOmp& omp) : block(omp, signals_in_block), signals(signals_in_block * omp.dim()) {}
    OmpBlock block;
    std::vector<double> signals;
    std::vector<int> exponent;
    std::vector<double> max_error2;
};

SparseCodes code_block(const BatchOmp& omp, const SignalSource& source, std::size_t first, Bench& bench) {
    const std::size_t count = std::min(signals_in_block, source.count() - first);
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
            if (!std::isfinite(codes.value.back()))
                throw NumericError(
                    fmt::format("{}: the codes of row {} (counted from 0) are out of the range of double precision",
                                source.name(), first + i));
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
    if (signals.dim() != omp.dim())
        throw InputError(
            fmt::format("{}: signals have {} entries, the atoms {}", signals.name(), signals.dim(), omp.dim()));
    check_shape(signals);  // its values are checked as they come: a pass of its own would take a tenth of the time

    const auto threads = static_cast<std::size_t>(resolve_threads(context.threads));
    std::vector<std::optional<Bench>> benches(threads);
    const std::size_t blocks = (signals.count() + signals_in_block - 1) / signals_in_block;
    std::vector<SparseCodes> done(std::min(blocks, threads * blocks_a_thread));
    for (std::size_t round = 0; round < blocks; round += done.size()) {
        const std::size_t in_round = std::min(done.size(), blocks - round);
        parallel_for(in_round, static_cast<int>(threads), [&](std::size_t i, int thread) {
            auto& bench = benches[static_cast<std::size_t>(thread)];
            if (!bench) bench.emplace(omp);
            done[i] = code_block(omp, signals, (round + i) * signals_in_block, *bench);
        });
        for (std::size_t i = 0; i < in_round; ++i) sink((round + i) * signals_in_block, done[i]);
    }
}

SparseCodes encode_omp(MatrixView dictionary, MatrixView signals, const OmpOptions& options, const Context& context) {
    SparseCodes all;
    all.atoms = dictionary.rows;
    all.start.reserve(signals.rows + 1);
    all.residual_norm.reserve(signals.rows);
    encode_omp(dictionary, MemorySource{signals}, options, context, [&](std::size_t, const SparseCodes& block) {
        const std::size_t before = all.atom.size();
        for (std::size_t i = 1; i < block.start.size(); ++i) all.start.push_back(before + block.start[i]);
        all.atom.insert(all.atom.end(), block.atom.begin(), block.atom.end());
        all.value.insert(all.value.end(), block.value.begin(), block.value.end());
        all.residual_norm.insert(all.residual_norm.end(), block.residual_norm.begin(), block.residual_norm.end());
    });
    return all;
}

}  // namespace sbdl
