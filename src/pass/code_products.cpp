#include "pass/code_products.hpp"

#include <vector>

#include "pass/rank_sums.hpp"

namespace sbdl {
namespace {

/// The sum of what add(sums of a part, signal, entry of its code) adds for each entry.
template <class Add>
Mat sum_over_entries(Eigen::Index rows, const SparseCodes& codes, const SharedParts& parts, int threads,
                     const Add& add) {
    Mat sum = Mat::Zero(rows, static_cast<Eigen::Index>(codes.atoms));
    std::vector<Mat> sums(parts.own().number(), sum);
    parts.each(threads, [&](std::size_t part, std::size_t first, std::size_t count) {
        for (std::size_t l = first; l < first + count; ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) add(sums[part], l, k);
    });
    RankGroup ranks = parts.ranks();
    add_terms(ranks, sums, sum);
    return sum;
}

}  // namespace

Mat residual_products(const SparsePass& pass, const SharedParts& parts, int threads) {
    const SparseCodes& codes = pass.codes;
    const auto add = [&](Mat& sum, std::size_t l, std::size_t k) {
        sum.col(codes.atom[k]) += codes.value[k] * pass.residual.col(static_cast<Eigen::Index>(l));
    };
    return sum_over_entries(pass.residual.rows(), codes, parts, threads, add);
}

CodeProducts code_products(const SparsePass& pass, const SharedParts& parts, int threads) {
    const SparseCodes& codes = pass.codes;
    const auto add = [&](Mat& sum, std::size_t l, std::size_t k) {
        for (std::size_t j = codes.start[l]; j < codes.start[l + 1]; ++j)
            sum(codes.atom[j], codes.atom[k]) += codes.value[j] * codes.value[k];
    };
    return {sum_over_entries(static_cast<Eigen::Index>(codes.atoms), codes, parts, threads, add),
            residual_products(pass, parts, threads)};
}

}  // namespace sbdl
