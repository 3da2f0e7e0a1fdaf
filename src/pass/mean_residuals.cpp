#include "pass/mean_residuals.hpp"

#include "base/parallel.hpp"
#include "base/partition.hpp"

namespace sbdl {
namespace {

using BlockColumns = Eigen::Map<Mat, Eigen::Aligned64>;  // one entry of all signals of the block
using ConstBlockColumns = Eigen::Map<const Mat, Eigen::Aligned64>;
using AtomCodes = Eigen::Map<const Vec, Eigen::Aligned64>;

constexpr auto lanes = static_cast<Eigen::Index>(block_size);

/// The codes of one atom in block number `block`.
AtomCodes codes_in(const AlignedDoubles& codes, std::size_t blocks, std::size_t block, std::size_t atom) {
    return {codes.data() + block * (codes.size() / blocks) + atom * block_size, lanes};
}

}  // namespace

MeanResiduals::MeanResiduals(std::size_t signals, std::size_t dim)
    : dim_(dim), blocks_(Blocks(signals, block_size).number()) {
    residuals_.assign(blocks_ * size(), 0.0);
    seen_.assign(blocks_ * size(), 0.0);
}

std::vector<Vec> MeanResiduals::pulls(const AlignedDoubles& codes, std::size_t atom, int threads) const {
    const auto M = static_cast<Eigen::Index>(dim_);
    std::vector<Vec> parts(blocks_);
    parallel_for(blocks_, threads, [&](std::size_t b, int) {
        const ConstBlockColumns r(residuals_.data() + b * size(), lanes, M);
        parts[b] = r.transpose() * codes_in(codes, blocks_, b, atom);
    });
    return parts;
}

void MeanResiduals::move(const AlignedDoubles& codes, std::size_t atom, const Vec& change, int threads) {
    parallel_for(blocks_, threads, [&](std::size_t b, int) {
        BlockColumns r(residuals(b), lanes, change.size());
        const ConstBlockColumns seen(seen_.data() + b * size(), lanes, change.size());
        const AtomCodes x = codes_in(codes, blocks_, b, atom);
        for (Eigen::Index m = 0; m < change.size(); ++m) r.col(m) -= change[m] * seen.col(m).cwiseProduct(x);
    });
}

}  // namespace sbdl
