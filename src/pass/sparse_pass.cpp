#include "pass/sparse_pass.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/parallel.hpp"
#include "coders/batch_omp.hpp"
#include "coders/sparse_codes.hpp"

namespace sbdl {
namespace {

constexpr std::size_t pursuit_block = 128;

/// Codes a block of signals, and subtracts the codes' approximation from them.
SparseCodes code_block(const BatchOmp& omp, const Mat& D, OmpBlock& block, Mat& signals) {
    block.load(signals.data(), static_cast<std::size_t>(signals.cols()), omp.max_error() * omp.max_error());
    SparseCodes codes;
    codes.atoms = omp.atoms();
    for (Eigen::Index i = 0; i < signals.cols(); ++i) {
        auto signal = signals.col(i);
        const BatchOmp::Code code = block.code(static_cast<std::size_t>(i));
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
    clear_codes(all);
    for (const SparseCodes& block : blocks) append_codes(block, all);
}

OmpOptions pursuit_until(std::optional<int> sparsity, std::optional<double> max_error, double unit) {
    OmpOptions options;
    if (sparsity) options.max_nonzeros = static_cast<std::size_t>(*sparsity);
    if (max_error) options.max_error = *max_error / unit;
    return options;
}

void code_signals(const SignalShare& signals, const Mat& D, const OmpOptions& options, int threads, SparsePass& pass) {
    const std::size_t dim = static_cast<std::size_t>(signals.dim());
    const BatchOmp omp({D.data(), static_cast<std::size_t>(D.cols()), dim}, options);
    pass.codes.atoms = omp.atoms();
    pass.residual.resize(D.rows(), static_cast<Eigen::Index>(signals.count()));
    const int team = resolve_threads(threads);
    std::vector<std::optional<OmpBlock>> blocks(static_cast<std::size_t>(team));
    std::vector<SparseCodes> codes((signals.count() + pursuit_block - 1) / pursuit_block);
    signals.each_block(pursuit_block, team, [&](std::size_t first, Mat& here, int thread) {
        std::optional<OmpBlock>& block = blocks[static_cast<std::size_t>(thread)];
        if (!block) block.emplace(omp, pursuit_block);
        codes[first / pursuit_block] = code_block(omp, D, *block, here);
        pass.residual.middleCols(static_cast<Eigen::Index>(first), here.cols()) = here;
    });
    join_codes(codes, pass.codes);
}

AtomUsers::AtomUsers(const SparseCodes& codes) : start_(codes.atoms + 1, 0), uses_(codes.atom.size()) {
    for (const std::uint32_t atom : codes.atom) ++start_[atom + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t l = 0; l < codes.count(); ++l)
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) uses_[next[codes.atom[k]]++] = {l, k};
}

}  // namespace sbdl
