#include "learners/code_average.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl {

void CodeAverage::add(std::size_t signal, std::size_t atom, double x) {
    if (count_ == 0) first_(signal, atom) = x;
    const double difference = x - first_(signal, atom);
    sum_(signal, atom) += difference;
    sum_sq_(signal, atom) += difference * difference;
}

void CodeAverage::add(const BlockView& view, const Vec& scale) {
    for (std::size_t n = 0; n < sum_.cols(); ++n)
        for (std::size_t l = 0; l < view.count; ++l)
            add(view.first_signal + l, n, view.codes[n * block_size + l] * scale[static_cast<Eigen::Index>(n)]);
}

void CodeAverage::add(const SparseCodes& codes, const Vec& scale) {
    std::vector<double> row(sum_.cols());
    for (std::size_t l = 0; l < codes.count(); ++l) {
        std::fill(row.begin(), row.end(), 0.0);
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
            row[codes.atom[k]] = codes.value[k] * scale[static_cast<Eigen::Index>(codes.atom[k])];
        for (std::size_t n = 0; n < row.size(); ++n) add(l, n, row[n]);
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
