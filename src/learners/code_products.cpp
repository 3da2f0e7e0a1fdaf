#include "learners/code_products.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_in_part = 512;  // at least
constexpr std::size_t most_parts = 16;        // each may have sums of its own

}  // namespace

std::size_t signal_parts(std::size_t signals) {
    return std::clamp(signals / signals_in_part, std::size_t{1}, most_parts);
}

void for_each_signal_part(std::size_t signals, int threads,
                          const std::function<void(std::size_t part, std::size_t first, std::size_t count)>& body) {
    const std::size_t parts = signal_parts(signals);
    parallel_for(parts, threads, [&](std::size_t part, int) {
        const std::size_t first = part * signals / parts;
        body(part, first, (part + 1) * signals / parts - first);
    });
}

CodeProducts code_products(const OmpPass& pass, Eigen::Index dim, int threads) {
    const SparseCodes& codes = pass.codes;
    const auto atoms = static_cast<Eigen::Index>(codes.atoms);
    std::vector<CodeProducts> sums(signal_parts(codes.count()), {Mat::Zero(atoms, atoms), Mat::Zero(dim, atoms)});
    for_each_signal_part(codes.count(), threads, [&](std::size_t part, std::size_t first, std::size_t count) {
        CodeProducts& sum = sums[part];
        for (std::size_t l = first; l < first + count; ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) {
                for (std::size_t j = codes.start[l]; j < codes.start[l + 1]; ++j)
                    sum.x_xt(codes.atom[j], codes.atom[k]) += codes.value[j] * codes.value[k];
                sum.residual_xt.col(codes.atom[k]) += codes.value[k] * pass.residual.col(static_cast<Eigen::Index>(l));
            }
    });
    for (std::size_t part = 1; part < sums.size(); ++part) {
        sums[0].x_xt += sums[part].x_xt;
        sums[0].residual_xt += sums[part].residual_xt;
    }
    return sums[0];
}

}  // namespace sbdl
