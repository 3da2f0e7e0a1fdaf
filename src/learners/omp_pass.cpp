#include "learners/omp_pass.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/parallel.hpp"
#include "coders/omp_block.hpp"
#include "coders/sparse_codes.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_in_block = 128;

/// What a thread works with.
struct Bench {
    explicit Bench(const BatchOmp& omp) : block(omp, signals_in_block), signals(signals_in_block * omp.dim()) {}
    OmpBlock block;
    std::vector<double> signals;
};

/// Codes a block whose signals stand in the bench, and takes the codes' approximation away from them there.
SparseCodes code_block(const BatchOmp& omp, const Mat& D, std::size_t count, Bench& bench) {
    bench.block.load(bench.signals.data(), count, omp.max_error() * omp.max_error());
    SparseCodes codes;
    codes.atoms = omp.atoms();
    for (std::size_t i = 0; i < count; ++i) {
        Eigen::Map<Vec> signal(bench.signals.data() + i * omp.dim(), D.rows());
        const BatchOmp::Code code = bench.block.code(i);
        for (std::size_t k = 0; k < code.atoms.size(); ++k) signal -= code.values[k] * D.col(code.atoms[k]);
        codes.atom.insert(codes.atom.end(), code.atoms.begin(), code.atoms.end());
        codes.value.insert(codes.value.end(), code.values.begin(), code.values.end());
        codes.start.push_back(codes.atom.size());
        codes.residual_norm.push_back(signal.norm());
    }
    return codes;
}

}  // namespace

void join_codes(const std::vector<SparseCodes>& blocks, SparseCodes& all) {
    all.start.assign(1, 0);
    all.atom.clear();
    all.value.clear();
    all.residual_norm.clear();
    for (const SparseCodes& block : blocks) append_codes(block, all);
}

OmpOptions pursuit_until(std::optional<int> sparsity, std::optional<double> max_error, double unit) {
    OmpOptions options;
    if (sparsity) options.max_nonzeros = static_cast<std::size_t>(*sparsity);
    if (max_error) options.max_error = *max_error / unit;
    return options;
}

void code_signals(const SignalSource& signals, double unit, const Mat& D, const OmpOptions& options, int threads,
                  OmpPass& pass) {
    const std::size_t dim = signals.dim();
    const BatchOmp omp({D.data(), static_cast<std::size_t>(D.cols()), dim}, options);
    pass.codes.atoms = omp.atoms();
    pass.residual.resize(D.rows(), static_cast<Eigen::Index>(signals.count()));
    const int team = resolve_threads(threads);
    std::vector<std::optional<Bench>> benches(static_cast<std::size_t>(team));
    std::vector<SparseCodes> blocks((signals.count() + signals_in_block - 1) / signals_in_block);
    parallel_for(blocks.size(), team, [&](std::size_t item, int thread) {
        std::optional<Bench>& bench = benches[static_cast<std::size_t>(thread)];
        if (!bench) bench.emplace(omp);
        const std::size_t first = item * signals_in_block;
        const std::size_t count = std::min(signals_in_block, signals.count() - first);
        signals.read(first, count, bench->signals.data());
        for (double& entry : std::span(bench->signals).first(count * dim)) entry /= unit;
        blocks[item] = code_block(omp, D, count, *bench);
        std::copy_n(bench->signals.data(), count * dim, pass.residual.data() + first * dim);
    });
    join_codes(blocks, pass.codes);
}

AtomUsers::AtomUsers(const SparseCodes& codes) : start_(codes.atoms + 1, 0), uses_(codes.atom.size()) {
    for (const std::uint32_t atom : codes.atom) ++start_[atom + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t l = 0; l < codes.count(); ++l)
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) uses_[next[codes.atom[k]]++] = {l, k};
}

}  // namespace sbdl
