// The dictionary of sparse coding by stochastic gradient descent: after every signal y with code x, its atoms take a
// step down the gradient of half the squared residual, d_n <- d_n + rate x_n (y - D x), and are scaled back to unit
// norm.
#pragma once

#include "learners/stream/stream_run.hpp"

namespace sbdl {

class SgdLearner final : public StreamLearner {
public:
    /// `rate_at(i)`: the learning rate when signal i arrives; i counts over all runs.
    SgdLearner(Mat dictionary, std::uint64_t seen_before, std::function<double(double)> rate_at)
        : StreamLearner(std::move(dictionary)), seen_(static_cast<double>(seen_before)), rate_at_(std::move(rate_at)) {}

    int learn(const Mat& Y, const SparseCodes& codes) override;
    void archive(StateArchive& archive) override {
        StreamLearner::archive(archive);
        archive("seen", seen_);
    }

private:
    double seen_;
    std::function<double(double)> rate_at_;
};

}  // namespace sbdl
