#include "learners/code_average.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl {

void CodeAverage::add(const BlockView& view, const Vec& scale) {
    for (std::size_t n = 0; n < sum_.cols(); ++n)
        for (std::size_t l = 0; l < view.count; ++l) {
            const double x = view.codes[n * block_size + l] * scale[static_cast<Eigen::Index>(n)];
            if (count_ == 0) first_(view.first_signal + l, n) = x;
            const double difference = x - first_(view.first_signal + l, n);
            sum_(view.first_signal + l, n) += difference;
            sum_sq_(view.first_signal + l, n) += difference * difference;
        }
}

Matrix CodeAverage::mean() const {
    Matrix mean = first_;
    for (std::size_t i = 0; i < mean.size(); ++i) mean.data()[i] += sum_.data()[i] / count_;
    return mean;
}

Matrix CodeAverage::std() const {
    Matrix spread(sum_.rows(), sum_.cols());
    if (count_ < 2) return spread;
    for (std::size_t i = 0; i < spread.size(); ++i) {
        const double mean = sum_.data()[i] / count_;
        const double variance = std::max(0.0, sum_sq_.data()[i] / count_ - mean * mean);
        spread.data()[i] = std::sqrt(variance * count_ / (count_ - 1));
    }
    return spread;
}

}  // namespace sbdl
