// Sparse codes of a batch of signals by pursuit or by the lasso. The number of threads does not change them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "coders/lasso.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

class BatchCoder {
public:
    /// Exactly one of sparsity, max_error and lambda is given, in the signals' own units. The values coded are signals
    /// / unit.
    struct Rule {
        std::optional<int> sparsity;
        std::optional<double> max_error;
        std::optional<double> lambda;
        double unit = 1.0;
        Pursuit pursuit = Pursuit::omp;
    };

    BatchCoder(const Rule& rule, int threads);

    /// The codes of the columns of Y with the atoms in the columns of D. Sets residual_norm as well. Valid until the
    /// next call.
    const SparseCodes& code(const Mat& D, const Mat& Y);

private:
    /// Calls work(columns, codes, thread) for parts of the columns of Y, after the preparation; their codes go into
    /// `codes`.
    using PartWork = std::function<void(const IndexRange&, SparseCodes&, std::size_t)>;
    void each_part(const Mat& Y, const PartWork& work, const Preparation& preparation = {});
    void code_by_lasso(const Mat& D, const Mat& Y);
    void code_by_pursuit(const Mat& D, const Mat& Y);

    Rule rule_;
    int threads_;
    PaddedGram gram_;
    std::vector<LassoBlock> blocks_;  // one per thread, kept from batch to batch
    std::vector<SparseCodes> parts_;
    SparseCodes codes_;
};

}  // namespace sbdl
