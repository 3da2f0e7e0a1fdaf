#include "learners/stream/batch_coder.hpp"

#include "coders/batch_omp.hpp"
#include "coders/sparse_codes.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {
namespace {

constexpr std::size_t part_signals = 16;

}  // namespace

BatchCoder::BatchCoder(const Rule& rule, int threads)
    : rule_(rule), threads_(threads), blocks_(static_cast<std::size_t>(threads)) {}

void BatchCoder::each_part(const Mat& Y, const PartWork& work, const Preparation& preparation) {
    const Blocks ranges(static_cast<std::size_t>(Y.cols()), part_signals);
    parts_.resize(ranges.number());
    parallel_for(
        ranges.number(), threads_,
        [&](std::size_t item, int thread) {
            clear_codes(parts_[item]);
            work(ranges[item], parts_[item], static_cast<std::size_t>(thread));
        },
        preparation);
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
    const Blocks gram = gram_.begin(D);
    const auto code_part = [&](const IndexRange& part, SparseCodes& codes, std::size_t thread) {
        LassoBlock& block = blocks_[thread];
        const auto columns = Y.middleCols(static_cast<Eigen::Index>(part.first), static_cast<Eigen::Index>(part.size));
        block.load(gram_, D, columns);
        for (Eigen::Index i = 0; i < columns.cols(); ++i) {
            block.code(i, *rule_.lambda / rule_.unit, Lasso::Stop{}, codes);
            end_signal(D, columns.col(i), codes);
        }
    };
    each_part(Y, code_part, {gram.number(), [&](std::size_t block) { gram_.fill(D, gram[block]); }});
}

void BatchCoder::code_by_pursuit(const Mat& D, const Mat& Y) {
    OmpOptions options = pursuit_until(rule_.sparsity, rule_.max_error, rule_.unit);
    options.pursuit = rule_.pursuit;
    const BatchOmp omp({D.data(), static_cast<std::size_t>(D.cols()), static_cast<std::size_t>(D.rows())}, options);
    std::vector<std::optional<OmpBlock>> blocks(blocks_.size());
    each_part(Y, [&](const IndexRange& part, SparseCodes& codes, std::size_t thread) {
        std::optional<OmpBlock>& block = blocks[thread];
        if (!block) block.emplace(omp, part_signals);
        const auto columns = Y.middleCols(static_cast<Eigen::Index>(part.first), static_cast<Eigen::Index>(part.size));
        block->load(columns.data(), part.size, omp.max_error() * omp.max_error());
        for (std::size_t i = 0; i < part.size; ++i) {
            const BatchOmp::Code code = block->code(i);
            codes.atom.insert(codes.atom.end(), code.atoms.begin(), code.atoms.end());
            codes.value.insert(codes.value.end(), code.values.begin(), code.values.end());
            end_signal(D, columns.col(static_cast<Eigen::Index>(i)), codes);
        }
    });
}

}  // namespace sbdl
