#include "learners/chains/posterior_average.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl {

PosteriorAverage::PosteriorAverage(const Mat& start)
    : reference_(unit_columns(start)),
      sum_(Mat::Zero(start.rows(), start.cols())),
      sum_sq_(sum_),
      norm_sum_(Vec::Zero(start.cols())),
      usage_sq_sum_(norm_sum_) {}

Vec PosteriorAverage::signed_norm(const Mat& D) const {
    Vec norms = D.colwise().norm().transpose();
    for (Eigen::Index n = 0; n < D.cols(); ++n)
        if (D.col(n).dot(reference_.col(n)) < 0.0) norms[n] *= -1.0;
    return norms;
}

Mat PosteriorAverage::turned(const Mat& D) const {
    const Vec signs = signed_norm(D).unaryExpr([](double norm) { return norm < 0.0 ? -1.0 : 1.0; });
    return unit_columns(D) * signs.asDiagonal();
}

void PosteriorAverage::add(const Mat& D, const Vec& code_energy, double signal_count, double noise_sd) {
    if (count_ == 0) noise_first_ = noise_sd;
    const Vec norms = D.colwise().norm().transpose();
    const Mat unit = turned(D);
    // Squares are taken about the start, so that small spreads do not cancel.
    const Mat difference = unit - reference_;
    sum_ += difference;
    sum_sq_ += difference.cwiseAbs2();
    norm_sum_ += norms;
    usage_sq_sum_ += code_energy.cwiseProduct(norms.cwiseAbs2()) / signal_count;
    noise_sum_ += noise_sd;
    noise_sq_sum_ += (noise_sd - noise_first_) * (noise_sd - noise_first_);
    ++count_;
}

Mat PosteriorAverage::mean_atoms() const {
    return unit_columns(reference_ + sum_ / count_);
}

Mat PosteriorAverage::atom_std() const {
    if (count_ < 2) return Mat::Zero(sum_.rows(), sum_.cols());
    const Mat mean = sum_ / count_;
    return ((sum_sq_ / count_ - mean.cwiseAbs2()).cwiseMax(0.0) * (static_cast<double>(count_) / (count_ - 1)))
        .cwiseSqrt();
}

double PosteriorAverage::noise_sd_std() const {
    if (count_ < 2) return 0.0;
    const double mean = noise_sum_ / count_ - noise_first_;
    return std::sqrt(std::max(0.0, noise_sq_sum_ / count_ - mean * mean) * count_ / (count_ - 1));
}

void PosteriorAverage::archive(StateArchive& archive) {
    archive("count", count_);
    archive("reference", reference_);
    archive("sum", sum_);
    archive("sum_sq", sum_sq_);
    archive("norm_sum", norm_sum_);
    archive("usage_sq_sum", usage_sq_sum_);
    archive("noise_sum", noise_sum_);
    archive("noise_sq_sum", noise_sq_sum_);
    archive("noise_first", noise_first_);
}

}  // namespace sbdl
