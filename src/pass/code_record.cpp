#include "pass/code_record.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl {

void CodeRecord::add(std::size_t signal, std::size_t atom, double x) {
    if (count_ == 0) first_(signal, atom) = x;
    const double difference = x - first_(signal, atom);
    sum_(signal, atom) += difference;
    sum_sq_(signal, atom) += difference * difference;
    if (!on_.empty() && x != 0.0) on_(signal, atom) += 1.0;
}

void CodeRecord::add(const BlockView& view, std::size_t row, const Vec& scale) {
    for (std::size_t n = 0; n < sum_.cols(); ++n)
        for (std::size_t l = 0; l < view.count; ++l)
            add(row + l, n, view.codes[n * block_size + l] * scale[static_cast<Eigen::Index>(n)]);
}

void CodeRecord::replace(const BlockView& view, std::size_t row, const Vec& scale) {
    for (std::size_t n = 0; n < sum_.cols(); ++n)
        for (std::size_t l = 0; l < view.count; ++l) {
            const double s = scale[static_cast<Eigen::Index>(n)];
            first_(row + l, n) = s * view.codes[n * block_size + l];
            sum_(row + l, n) = s * std::sqrt(view.codes_var[n * block_size + l]);
            if (!on_.empty()) on_(row + l, n) = view.codes_on[n * block_size + l];
        }
}

void CodeRecord::replace(const CodeMoments& moments, std::size_t row, const Vec& scale) {
    for (std::size_t n = 0; n < sum_.cols(); ++n) {
        const auto i = static_cast<Eigen::Index>(n);
        first_(row, n) = scale[i] * moments.mean[i];
        sum_(row, n) = scale[i] * moments.std[i];
        if (!on_.empty()) on_(row, n) = moments.probability[i];
    }
}

void CodeRecord::add(const SparseCodes& codes, std::size_t first_row, const Vec& scale) {
    std::vector<double> row(sum_.cols());
    for (std::size_t l = 0; l < codes.count(); ++l) {
        std::fill(row.begin(), row.end(), 0.0);
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
            row[codes.atom[k]] = codes.value[k] * scale[static_cast<Eigen::Index>(codes.atom[k])];
        for (std::size_t n = 0; n < row.size(); ++n) add(first_row + l, n, row[n]);
    }
}

Matrix CodeRecord::mean() const {
    if (moments_) return first_;
    return to_rows(as_columns(first_) + as_columns(sum_) / count_);
}

Matrix CodeRecord::std() const {
    if (moments_) return sum_;
    if (count_ < 2) return {sum_.rows(), sum_.cols()};
    const auto mean = as_columns(sum_).array() / count_;
    const auto variance = (as_columns(sum_sq_).array() / count_ - mean.square()).max(0.0);
    return to_rows((variance * count_ / (count_ - 1)).sqrt());
}

Matrix CodeRecord::probability() const {
    if (moments_) return on_;
    if (on_.empty() || count_ == 0) return {};
    return to_rows(as_columns(on_) / count_);
}

void CodeRecord::archive(StateArchive& archive) {
    archive("count", count_);
    archive("moments", moments_);
    archive("first", first_);
    archive("sum", sum_);
    archive("sum_sq", sum_sq_);
    archive("on", on_);
}

}  // namespace sbdl
