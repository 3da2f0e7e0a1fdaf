#include "learners/stream/batch_coder.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "coders/batch_omp.hpp"
#include "coders/sparse_codes.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {
namespace {

constexpr Eigen::Index part_signals = 16;

}  // namespace

BatchCoder::BatchCoder(const Rule& rule, int threads)
    : rule_(rule), threads_(threads), blocks_(static_cast<std::size_t>(threads)) {}

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
    gram_.assign(D, threads_);
    each_part(Y.cols(), [&](const Part& part) {
        LassoBlock& block = blocks_[part.thread];
        block.load(gram_, D, Y.middleCols(part.first, part.count));
        for (Eigen::Index i = 0; i < part.count; ++i) {
            block.code(i, *rule_.lambda / rule_.unit, Lasso::Stop{}, part.codes);
            end_signal(D, Y.col(part.first + i), part.codes);
        }
    });
}

void BatchCoder::code_by_pursuit(const Mat& D, const Mat& Y) {
    OmpOptions options = pursuit_until(rule_.sparsity, rule_.max_error, rule_.unit);
    options.pursuit = rule_.pursuit;
    const BatchOmp omp({D.data(), static_cast<std::size_t>(D.cols()), static_cast<std::size_t>(D.rows())}, options);
    std::vector<std::optional<OmpBlock>> blocks(blocks_.size());
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
