// The dictionary of sparse coding by stochastic gradient descent: after every signal y with code x, its atoms take a
// step along the gradient of half the squared residual, d_n <- d_n + rate x_n (y - D x), and go back to unit norm.
#pragma once

#include <functional>

#include "learners/stream/stream_learner.hpp"

namespace sbdl {

class SgdLearner final : public StreamLearner {
public:
    /// `rate_at(i)`: the learning rate when signal i comes, counted over all runs.
    SgdLearner(Mat dictionary, std::uint64_t seen_before, std::function<double(double)> rate_at);

    int learn(const Mat& Y, const SparseCodes& codes) override;
    void replace(Eigen::Index atom, const Vec& by) override { D_.col(atom) = by; }
    [[nodiscard]] const Mat& dictionary() const override { return D_; }
    [[nodiscard]] StreamState state() const override { return {}; }
    void archive(StateArchive& archive) override {
        archive("D", D_);
        archive("seen", seen_);
    }

private:
    Mat D_;
    double seen_;
    std::function<double(double)> rate_at_;
};

}  // namespace sbdl
