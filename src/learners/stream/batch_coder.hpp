// Sparse codes of a batch of signals by pursuit or by the lasso, on threads that change nothing of them.
#pragma once

#include <optional>
#include <vector>

#include "base/linalg.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

class BatchCoder {
public:
    /// One of sparsity, max_error and lambda is given, in the signals' own units; what is coded are signals / unit.
    struct Rule {
        std::optional<int> sparsity;
        std::optional<double> max_error;
        std::optional<double> lambda;
        double unit = 1.0;
        Pursuit pursuit = Pursuit::omp;
    };

    BatchCoder(const Rule& rule, int threads) : rule_(rule), threads_(threads) {}

    /// The codes of the columns of Y with the atoms in the columns of D; residual_norm too. Valid until the next call.
    const SparseCodes& code(const Mat& D, const Mat& Y);

private:
    void code_by_lasso(const Mat& D, const Mat& Y);
    void code_by_pursuit(const Mat& D, const Mat& Y);

    Rule rule_;
    int threads_;
    Mat gram_;
    std::vector<SparseCodes> blocks_;
    SparseCodes codes_;
};

}  // namespace sbdl
