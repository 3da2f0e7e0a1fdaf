#include "pass/code_products.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/partition.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_in_part = 512;  // at least
constexpr std::size_t most_parts = 16;        // each may have its own sums

Mat sum_of_parts(std::vector<Mat>& sums) {
    for (std::size_t part = 1; part < sums.size(); ++part) sums[0] += sums[part];
    return std::move(sums[0]);
}

}  // namespace

std::size_t signal_parts(std::size_t signals) {
    return std::clamp(signals / signals_in_part, std::size_t{1}, most_parts);
}

void for_each_signal_part(std::size_t signals, int threads,
                          const std::function<void(std::size_t part, std::size_t first, std::size_t count)>& body) {
    const Parts parts(signals, signal_parts(signals));
    parallel_for(parts.number(), threads,
                 [&](std::size_t part, int) { body(part, parts.first(part), parts.size(part)); });
}

Mat residual_products(const SparsePass& pass, int threads) {
    const SparseCodes& codes = pass.codes;
    std::vector<Mat> sums(signal_parts(codes.count()),
                          Mat::Zero(pass.residual.rows(), static_cast<Eigen::Index>(codes.atoms)));
    for_each_signal_part(codes.count(), threads, [&](std::size_t part, std::size_t first, std::size_t count) {
        for (std::size_t l = first; l < first + count; ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                sums[part].col(codes.atom[k]) += codes.value[k] * pass.residual.col(static_cast<Eigen::Index>(l));
    });
    return sum_of_parts(sums);
}

CodeProducts code_products(const SparsePass& pass, int threads) {
    const SparseCodes& codes = pass.codes;
    const auto atoms = static_cast<Eigen::Index>(codes.atoms);
    std::vector<Mat> sums(signal_parts(codes.count()), Mat::Zero(atoms, atoms));
    for_each_signal_part(codes.count(), threads, [&](std::size_t part, std::size_t first, std::size_t count) {
        for (std::size_t l = first; l < first + count; ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                for (std::size_t j = codes.start[l]; j < codes.start[l + 1]; ++j)
                    sums[part](codes.atom[j], codes.atom[k]) += codes.value[j] * codes.value[k];
    });
    return {sum_of_parts(sums), residual_products(pass, threads)};
}

}  // namespace sbdl
