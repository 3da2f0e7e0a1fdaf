// The expected residuals y - <D> <x> of all signals with gaps, while the atoms of VB with on/off codes move one after
// another (docs/math.md, K6). Rows of statistics would do as well, but they would be M matrices of N x N.
#pragma once

#include <vector>

#include "base/aligned.hpp"
#include "base/linalg.hpp"
#include "kernels/kernel_set.hpp"

namespace sbdl {

class MeanResiduals {
public:
    MeanResiduals(std::size_t signals, std::size_t dim);

    /// Where a sweep puts the residuals of a block, and what is observed: see BlockView.
    [[nodiscard]] double* residuals(std::size_t block) { return residuals_.data() + block * size(); }
    [[nodiscard]] double* seen(std::size_t block) { return seen_.data() + block * size(); }

    /// The sum of <x_nl> r_l for atom n over each block. `codes` are the means of all blocks, N x block_size each, 0
    /// beyond the last signal.
    [[nodiscard]] std::vector<Vec> pulls(const AlignedDoubles& codes, std::size_t atom, int threads) const;

    /// What remains when the mean of the atom has changed by so much.
    void move(const AlignedDoubles& codes, std::size_t atom, const Vec& change, int threads);

private:
    [[nodiscard]] std::size_t size() const { return dim_ * block_size; }

    std::size_t dim_, blocks_;
    AlignedDoubles residuals_, seen_;  // blocks of M x block_size
};

}  // namespace sbdl
