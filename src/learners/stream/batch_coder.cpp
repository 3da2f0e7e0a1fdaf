#include "learners/stream/batch_coder.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "base/products.hpp"
#include "coders/omp_block.hpp"
#include "kernels/instruction_set.hpp"
#include "learners/omp_pass.hpp"

namespace sbdl {
namespace {

constexpr Eigen::Index part_signals = 64;

double residual_norm(const Mat& D, const Eigen::Ref<const Vec>& y, const SparseCodes& codes, std::size_t first) {
    Vec left = y;
    for (std::size_t k = first; k < codes.atom.size(); ++k) left -= codes.value[k] * D.col(codes.atom[k]);
    return left.norm();
}

void end_signal(const Mat& D, const Eigen::Ref<const Vec>& y, SparseCodes& codes) {
    codes.residual_norm.push_back(residual_norm(D, y, codes, codes.start.back()));
    codes.start.push_back(codes.atom.size());
}

}  // namespace

BatchCoder::BatchCoder(const Rule& rule, int threads)
    : rule_(rule), threads_(threads), benches_(static_cast<std::size_t>(threads)) {
    instruction_set();  // as SBDL_CPU wants it
}

void BatchCoder::each_part(Eigen::Index signals, const std::function<void(const Part&)>& work) {
    parts_.resize(static_cast<std::size_t>((signals + part_signals - 1) / part_signals));
    parallel_for(parts_.size(), threads_, [&](std::size_t item, int thread) {
        parts_[item] = {};
        const auto first = static_cast<Eigen::Index>(item) * part_signals;
        work({first, std::min(part_signals, signals - first), parts_[item], static_cast<std::size_t>(thread)});
    });
}

const SparseCodes& BatchCoder::code(const Mat& D, const Mat& Y) {
    if (rule_.lambda)
        code_by_lasso(D, Y);
    else
        code_by_pursuit(D, Y);
    codes_.atoms = static_cast<std::size_t>(D.cols());
    join_codes(parts_, codes_);
    return codes_;
}

void BatchCoder::code_by_lasso(const Mat& D, const Mat& Y) {
    gram_.assign(D);
    const auto padded = static_cast<Eigen::Index>(gram_.padded());
    each_part(Y.cols(), [&](const Part& part) {
        LassoBench& bench = benches_[part.thread];
        bench.lasso.begin(gram_, *rule_.lambda / rule_.unit);
        bench.correlations.resize(gram_.padded() *
                                  static_cast<std::size_t>(part_signals));  // stays zero in the padding
        multiply_transposed(D, Y.middleCols(part.first, part.count),
                            Eigen::Map<Mat>(bench.correlations.data(), padded, part.count).topRows(D.cols()));
        for (Eigen::Index i = 0; i < part.count; ++i) {
            bench.entries.clear();
            bench.lasso.code(bench.correlations.data() + i * padded, bench.entries);
            for (const Lasso::Entry& entry : bench.entries) {
                part.codes.atom.push_back(entry.atom);
                part.codes.value.push_back(entry.value);
            }
            end_signal(D, Y.col(part.first + i), part.codes);
        }
    });
}

void BatchCoder::code_by_pursuit(const Mat& D, const Mat& Y) {
    OmpOptions options = pursuit_until(rule_.sparsity, rule_.max_error, rule_.unit);
    options.pursuit = rule_.pursuit;
    const BatchOmp omp({D.data(), static_cast<std::size_t>(D.cols()), static_cast<std::size_t>(D.rows())}, options);
    std::vector<std::optional<OmpBlock>> blocks(benches_.size());
    each_part(Y.cols(), [&](const Part& part) {
        std::optional<OmpBlock>& block = blocks[part.thread];
        if (!block) block.emplace(omp, static_cast<std::size_t>(part_signals));
        block->load(Y.col(part.first).data(), static_cast<std::size_t>(part.count), omp.max_error() * omp.max_error());
        for (Eigen::Index i = 0; i < part.count; ++i) {
            const BatchOmp::Code code = block->code(static_cast<std::size_t>(i));
            part.codes.atom.insert(part.codes.atom.end(), code.atoms.begin(), code.atoms.end());
            part.codes.value.insert(part.codes.value.end(), code.values.begin(), code.values.end());
            end_signal(D, Y.col(part.first + i), part.codes);
        }
    });
}

}  // namespace sbdl
