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

/// Codes some signals of a block, and subtracts the codes' approximation from them. The correlations are those of the
/// whole block: a matrix product may round a column by its place.
SparseCodes code_block(const BatchOmp& omp, const Mat& D, OmpBlock& block, const IndexRange& some, Mat& signals) {
    block.load(signals.data(), static_cast<std::size_t>(signals.cols()), omp.max_error() * omp.max_error());
    SparseCodes codes;
    codes.atoms = omp.atoms();
    for (std::size_t i = some.first; i < some.end(); ++i) {
        auto signal = signals.col(static_cast<Eigen::Index>(i));
        const BatchOmp::Code code = block.code(i);
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

IndexRange whole_pursuit_blocks(const IndexRange& some, std::size_t signals) {
    if (some.size == 0) return {};
    const std::size_t first = some.first / pursuit_block * pursuit_block;
    const std::size_t end = (some.end() + pursuit_block - 1) / pursuit_block * pursuit_block;
    return {0, first, std::min(end, signals) - first};
}

void code_signals(const SignalShare& signals, const Mat& D, const OmpOptions& options, int threads, SparsePass& pass) {
    code_signals(signals, {0, 0, signals.count()}, D, options, threads, pass);
}

void code_signals(const SignalShare& signals, const IndexRange& some, const Mat& D, const OmpOptions& options,
                  int threads, SparsePass& pass) {
    const std::size_t dim = static_cast<std::size_t>(signals.dim());
    const BatchOmp omp({D.data(), static_cast<std::size_t>(D.cols()), dim}, options);
    pass.codes.atoms = omp.atoms();
    pass.residual.resize(D.rows(), static_cast<Eigen::Index>(some.size));
    const int team = resolve_threads(threads);
    std::vector<std::optional<OmpBlock>> blocks(static_cast<std::size_t>(team));
    const IndexRange read = whole_pursuit_blocks(some, signals.count());
    const SignalShare around = signals.part(read.first, read.size);
    std::vector<SparseCodes> codes((read.size + pursuit_block - 1) / pursuit_block);
    around.each_block(pursuit_block, team, [&](std::size_t first, Mat& here, int thread) {
        std::optional<OmpBlock>& block = blocks[static_cast<std::size_t>(thread)];
        if (!block) block.emplace(omp, pursuit_block);
        const std::size_t begin = read.first + first, end = begin + static_cast<std::size_t>(here.cols());
        const std::size_t from = std::max(begin, some.first), to = std::min(end, some.end());
        codes[first / pursuit_block] = code_block(omp, D, *block, {0, from - begin, to - from}, here);
        const auto count = static_cast<Eigen::Index>(to - from);
        pass.residual.middleCols(static_cast<Eigen::Index>(from - some.first), count) =
            here.middleCols(static_cast<Eigen::Index>(from - begin), count);
    });
    join_codes(codes, pass.codes);
}

AtomUsers::AtomUsers(const SparseCodes& codes, const Partition& signals)
    : parts_(signals.number()), start_(codes.atoms * parts_ + 1, 0), uses_(codes.atom.size()) {
    const auto each_entry = [&](const auto& visit) {
        for (const IndexRange& part : signals)
            for (std::size_t l = part.first; l < part.end(); ++l)
                for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                    visit(codes.atom[k] * parts_ + part.number, l, k);
    };
    each_entry([&](std::size_t list, std::size_t, std::size_t) { ++start_[list + 1]; });
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    each_entry([&](std::size_t list, std::size_t l, std::size_t k) { uses_[next[list]++] = {l, k}; });
}

}  // namespace sbdl
