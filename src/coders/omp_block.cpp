#include "coders/omp_block.hpp"

#include <algorithm>

#include "base/linalg.hpp"

namespace sbdl {

OmpBlock::OmpBlock(const BatchOmp& omp, std::size_t capacity)
    : omp_(omp), scratch_(omp), place_(capacity), large_(capacity * omp.dim()), correlations_(capacity * omp.atoms()) {}

void OmpBlock::load(const double* signals, std::size_t count, double max_error2) {
    signals_ = signals;
    max_error2_.assign(count, max_error2);
    correlate();
}

void OmpBlock::load(const double* signals, std::span<const double> max_error2) {
    signals_ = signals;
    max_error2_.assign(max_error2.begin(), max_error2.end());
    correlate();
}

void OmpBlock::correlate() {
    const std::size_t dim = omp_.dim();
    norm2_.resize(max_error2_.size());
    std::size_t large = 0;
    for (std::size_t i = 0; i < norm2_.size(); ++i) {
        const double* const signal = signals_ + i * dim;
        norm2_[i] = Eigen::Map<const Vec>(signal, static_cast<Eigen::Index>(dim)).squaredNorm();
        if (norm2_[i] <= max_error2_[i]) continue;
        place_[i] = large;
        std::copy_n(signal, dim, large_.data() + large++ * dim);
    }
    omp_.correlate(large_.data(), large, correlations_.data());
}

BatchOmp::Code OmpBlock::code(std::size_t i) {
    if (norm2_[i] <= max_error2_[i]) return {{}, {}, norm2_[i]};
    const auto correlations = std::span(correlations_).subspan(place_[i] * omp_.atoms(), omp_.atoms());
    return omp_.code(correlations, norm2_[i], max_error2_[i], scratch_, signals_ + i * omp_.dim());
}

}  // namespace sbdl
