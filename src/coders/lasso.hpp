// The lasso, min 0.5 ||y - D x||^2 + lambda ||x||_1, by coordinate descent on the atoms that matter.
#pragma once

#include <cstdint>
#include <vector>

#include "base/linalg.hpp"

namespace sbdl {

/// Codes one signal after another with one dictionary; keeps its scratch, so one a thread.
class Lasso {
public:
    /// gram = D^T D with the squared norms of the atoms, all positive, on its diagonal; it must outlive this.
    Lasso(const Mat& gram, double lambda);

    struct Entry {
        std::uint32_t atom;
        double value;
    };
    /// correlations = D^T y, one an atom; left as D^T (y - D x). The entries that are not zero are appended to `out`.
    void code(Eigen::Ref<Vec> correlations, std::vector<Entry>& out);

private:
    void descend(Eigen::Ref<Vec> correlations, double weight, double enough);
    double pass(double weight);

    const Mat& gram_;
    double lambda_;
    std::vector<std::uint32_t> active_;
    Vec value_;  // of every atom
    // The problem of the active atoms alone, in their order: a pass over it touches nothing of the others.
    Mat small_gram_;
    Vec small_correlations_, small_value_;
};

}  // namespace sbdl
