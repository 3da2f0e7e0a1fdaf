// The dictionary of RLS-DLA, updated after every signal y with code w:
//
//     C <- C / l,  u = C w,  t = 1 / (1 + w^T u),  r = y - D w,  D <- D + t r u^T,  C <- C - t u u^T
//
// With l = 1 throughout and C = I at the start, D = (D_0 + sum y w^T) (I + sum w w^T)^-1 and C is that inverse.
#pragma once

#include "learners/stream/stream_run.hpp"

namespace sbdl {

class RlsLearner final : public StreamLearner {
public:
    /// `kept_after(i)`: the weight that older signals keep when signal i arrives; i counts over all runs.
    RlsLearner(Mat D, Mat C, std::uint64_t seen_before, std::function<double(double)> kept_after)
        : StreamLearner(std::move(D)),
          C_(std::move(C)),
          seen_(static_cast<double>(seen_before)),
          kept_after_(std::move(kept_after)) {}

    int learn(const Mat& Y, const SparseCodes& codes) override;
    /// Nothing is known about the new atom.
    void replace(Eigen::Index atom, const Vec& by) override;
    [[nodiscard]] StreamState state() const override;
    void archive(StateArchive& archive) override;

    /// The recursion for signal l of a batch, with all earlier signals weighted by `kept` (above 0, at most 1).
    void follow(const Eigen::Ref<const Vec>& y, const SparseCodes& codes, std::size_t l, double kept);

    /// Scales the atoms to unit norm, and C with them. Makes C symmetric again, and bounds it where an atom long unused
    /// has let it grow.
    void tidy();

    [[nodiscard]] const Mat& C() const { return C_; }

private:
    Mat C_;
    Vec u_, r_;  // scratch for follow()
    double seen_;
    std::function<double(double)> kept_after_;
};

}  // namespace sbdl
