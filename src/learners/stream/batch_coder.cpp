#include "learners/stream/batch_coder.hpp"

#include <algorithm>
#include <functional>

#include "base/parallel.hpp"
#include "coders/batch_omp.hpp"
#include "coders/lasso.hpp"
#include "learners/omp_pass.hpp"

namespace sbdl {
namespace {

constexpr Eigen::Index coded_block = 64;

/// A block's columns of Y, and where its codes go.
struct CodedPart {
    Eigen::Index first, count;
    SparseCodes& codes;

    void end_signal(const Mat& D, const Eigen::Ref<const Vec>& y) const {
        Vec left = y;
        for (std::size_t k = codes.start.back(); k < codes.atom.size(); ++k)
            left -= codes.value[k] * D.col(codes.atom[k]);
        codes.start.push_back(codes.atom.size());
        codes.residual_norm.push_back(left.norm());
    }
};

void each_block(Eigen::Index signals, int threads, std::vector<SparseCodes>& blocks,
                const std::function<void(const CodedPart&)>& work) {
    blocks.resize(static_cast<std::size_t>((signals + coded_block - 1) / coded_block));
    parallel_for(blocks.size(), threads, [&](std::size_t item, int) {
        blocks[item] = {};
        const auto first = static_cast<Eigen::Index>(item) * coded_block;
        work({first, std::min(coded_block, signals - first), blocks[item]});
    });
}

}  // namespace

const SparseCodes& BatchCoder::code(const Mat& D, const Mat& Y) {
    if (rule_.lambda)
        code_by_lasso(D, Y);
    else
        code_by_pursuit(D, Y);
    codes_.atoms = static_cast<std::size_t>(D.cols());
    join_codes(blocks_, codes_);
    return codes_;
}

void BatchCoder::code_by_lasso(const Mat& D, const Mat& Y) {
    gram_.noalias() = D.transpose() * D;
    each_block(Y.cols(), threads_, blocks_, [&](const CodedPart& block) {
        Mat correlations = D.transpose() * Y.middleCols(block.first, block.count);
        Lasso lasso(gram_, *rule_.lambda / rule_.unit);
        std::vector<Lasso::Entry> entries;
        for (Eigen::Index i = 0; i < block.count; ++i) {
            entries.clear();
            lasso.code(correlations.col(i), entries);
            for (const Lasso::Entry& entry : entries) {
                block.codes.atom.push_back(entry.atom);
                block.codes.value.push_back(entry.value);
            }
            block.end_signal(D, Y.col(block.first + i));
        }
    });
}

void BatchCoder::code_by_pursuit(const Mat& D, const Mat& Y) {
    OmpOptions options = pursuit_until(rule_.sparsity, rule_.max_error, rule_.unit);
    options.pursuit = rule_.pursuit;
    const BatchOmp omp({D.data(), static_cast<std::size_t>(D.cols()), static_cast<std::size_t>(D.rows())}, options);
    each_block(Y.cols(), threads_, blocks_, [&](const CodedPart& block) {
        BatchOmp::Scratch scratch(omp);
        std::vector<double> correlations(static_cast<std::size_t>(block.count) * omp.atoms());
        omp.correlate(Y.col(block.first).data(), static_cast<std::size_t>(block.count), correlations.data());
        for (Eigen::Index i = 0; i < block.count; ++i) {
            const auto y = Y.col(block.first + i);
            const BatchOmp::Code code =
                omp.code(std::span(correlations).subspan(static_cast<std::size_t>(i) * omp.atoms(), omp.atoms()),
                         y.squaredNorm(), omp.max_error() * omp.max_error(), scratch, y.data());
            block.codes.atom.insert(block.codes.atom.end(), code.atoms.begin(), code.atoms.end());
            block.codes.value.insert(block.codes.value.end(), code.values.begin(), code.values.end());
            block.end_signal(D, y);
        }
    });
}

}  // namespace sbdl
