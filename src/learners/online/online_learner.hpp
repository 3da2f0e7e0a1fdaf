// The dictionary of online learning: with A = sum x x^T and B = sum y x^T over the batches so far, older batches
// weighted less, each atom in turn moves to its best place on the unit sphere,
//
//     d_n <- d_n + (b_n - D a_n) / A_nn,  then unit norm
#pragma once

#include "base/partition.hpp"
#include "learners/online/atom_round.hpp"
#include "learners/stream/stream_run.hpp"

namespace sbdl {

class OnlineLearner final : public StreamLearner {
public:
    /// Each batch discounts the earlier statistics by `forget` times its share of `signals`.
    OnlineLearner(Mat dictionary, Mat A, Mat B, double forget, double signals, int threads = 1)
        : StreamLearner(std::move(dictionary)),
          A_(std::move(A)),
          B_(std::move(B)),
          forget_(forget),
          signals_(signals),
          threads_(threads),
          round_(D_) {}

    int learn(const Mat& Y, const SparseCodes& codes) override;
    void replace(Eigen::Index atom, const Vec& by) override;
    [[nodiscard]] StreamState state() const override;
    void archive(StateArchive& archive) override;

    [[nodiscard]] const Mat& code_products() const { return A_; }
    [[nodiscard]] const Mat& signal_products() const { return B_; }

private:
    void add_products(const Mat& Y, const SparseCodes& codes, double memory, const IndexRange& atoms);
    int update_atoms(const Mat& Y);

    Mat A_, B_;
    double forget_, signals_;
    int threads_;
    AtomRound round_;  // scratch, like the next
    Vec before_;
};

}  // namespace sbdl
