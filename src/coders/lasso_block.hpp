// The lasso of a block of signals: their correlations by one matrix product, then one code after the other.
#pragma once

#include <vector>

#include "base/products.hpp"
#include "coders/lasso.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// What one thread needs; reused for block after block.
class LassoBlock {
public:
    /// Loads the columns of Y, to be coded with the columns of D, whose Gram matrix is `gram`. All three must outlive
    /// the calls of code().
    void load(const PaddedGram& gram, const Mat& D, const ConstBlock& Y);

    /// Appends the code of column i. Returns whether it is at the minimum.
    bool code(Eigen::Index i, double lambda, const Lasso::Stop& stop, SparseCodes& codes);

private:
    const PaddedGram* gram_ = nullptr;
    Lasso lasso_;
    AlignedDoubles correlations_;
    std::vector<Lasso::Entry> entries_;
};

}  // namespace sbdl
