#include "learners/chains/posterior_average.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sbdl {

PosteriorAverage::PosteriorAverage(const Mat& start)
    : draws_(Vec::Zero(start.cols())),
      reference_(unit_columns(start)),
      sum_(Mat::Zero(start.rows(), start.cols())),
      sum_sq_(sum_),
      norm_sum_(draws_),
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
    draws_.array() += 1.0;
}

void PosteriorAverage::merge(const PosteriorAverage& other, const AtomPairs& pairs) {
    // A draw of the other chain differs by d from its own reference r', so it differs by d + (r' - r) from this one's.
    for (Eigen::Index n = 0; n < sum_.cols(); ++n) {
        const Eigen::Index from = pairs.partner[static_cast<std::size_t>(n)];
        if (from < 0) continue;
        const Vec shift = pairs.sign[n] * other.reference_.col(from) - reference_.col(n);
        const Vec sum = pairs.sign[n] * other.sum_.col(from);
        sum_.col(n) += sum + other.count_ * shift;
        sum_sq_.col(n) += other.sum_sq_.col(from) + 2.0 * shift.cwiseProduct(sum) + other.count_ * shift.cwiseAbs2();
        norm_sum_[n] += other.norm_sum_[from];
        usage_sq_sum_[n] += other.usage_sq_sum_[from];
        draws_[n] += other.draws_[from];
    }
    const double shift = other.noise_first_ - noise_first_;
    const double about_first = other.noise_sum_ - other.count_ * other.noise_first_;
    noise_sq_sum_ += other.noise_sq_sum_ + 2.0 * shift * about_first + other.count_ * shift * shift;
    noise_sum_ += other.noise_sum_;
    count_ += other.count_;
}

Mat PosteriorAverage::mean_difference() const {
    return (sum_.array().rowwise() / draws_.transpose().array()).matrix();
}

Mat PosteriorAverage::mean_atoms() const {
    return unit_columns(reference_ + mean_difference());
}

Mat PosteriorAverage::atom_std() const {
    if (count_ < 2) return {};
    const auto draws = draws_.transpose().array();
    const Mat variance = (sum_sq_.array().rowwise() / draws).matrix() - mean_difference().cwiseAbs2();
    return (variance.cwiseMax(0.0).array().rowwise() * (draws / (draws - 1.0))).sqrt().matrix();
}

Mat PosteriorAverage::rms_distance(const Mat& estimate) const {
    if (count_ < 2) return {};
    return (atom_std().cwiseAbs2() + (reference_ + mean_difference() - estimate).cwiseAbs2()).cwiseSqrt();
}

double PosteriorAverage::noise_sd_std() const {
    if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
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
    // What is archived has not been merged with anything yet.
    if (archive.loading()) draws_ = Vec::Constant(norm_sum_.size(), static_cast<double>(count_));
}

}  // namespace sbdl
