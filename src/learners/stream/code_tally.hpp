// What the codes of a stream have shown since the tally was last cleared.
#pragma once

#include <vector>

#include "base/linalg.hpp"
#include "base/state_archive.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

class CodeTally {
public:
    static constexpr std::size_t most_worst = 8;  ///< signals kept in worst()

    explicit CodeTally(std::size_t atoms) : users_(atoms, 0), energy_(Vec::Zero(static_cast<Eigen::Index>(atoms))) {}

    void add(const Mat& Y, const SparseCodes& codes);

    [[nodiscard]] double residual2() const { return residual2_; }
    [[nodiscard]] double mean_nonzeros() const { return entries_ / signals_; }
    [[nodiscard]] double residual_rms(Eigen::Index dim) const;
    [[nodiscard]] const std::vector<int>& users() const { return users_; }
    /// Entry k: how many signals have k atoms in their code.
    [[nodiscard]] const std::vector<int>& sizes() const { return sizes_; }
    [[nodiscard]] Vec usage() const { return (energy_ / signals_).cwiseSqrt(); }
    [[nodiscard]] bool any() const { return entries_ > 0.0; }

    struct Worst {
        double residual;
        Vec signal;
    };
    /// The signals represented worst, worst first.
    [[nodiscard]] const std::vector<Worst>& worst() const { return worst_; }

    /// All but worst(), which only serves the sweep that found it.
    void archive(StateArchive& archive);

private:
    void offer(double residual, const Eigen::Ref<const Vec>& signal);

    double signals_ = 0.0, entries_ = 0.0, residual2_ = 0.0;
    std::vector<int> users_, sizes_;
    Vec energy_;
    std::vector<Worst> worst_;
};

}  // namespace sbdl
