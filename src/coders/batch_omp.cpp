#include "coders/batch_omp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/blas.hpp"
#include "base/checked_size.hpp"
#include "base/linalg.hpp"
#include "base/partition.hpp"
#include "coders/atom_passes.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

/// An atom whose squared distance from the span of the picked ones is below this (an angle of 1e-5) counts as lying in
/// it. The distance is a difference of numbers near 1, so it is still known to five digits here.
constexpr double least_distance2 = 1e-10;

/// Correlations below this fraction of the signal's norm are rounding errors.
constexpr double least_correlation = 1e-13;

/// Below this fraction of the signal's squared norm, the tracked squared norm of the residual has fewer than nine
/// digits.
constexpr double digits_lost = 1e-6;

/// Dividing by the largest entry first keeps the sum of squares from overflowing or vanishing.
double norm_of(std::span<const double> atom) {
    double largest = 0.0;
    for (const double entry : atom) largest = std::max(largest, std::abs(entry));
    if (largest == 0.0) return 0.0;
    double sum = 0.0;
    for (const double entry : atom) sum += (entry / largest) * (entry / largest);
    return largest * std::sqrt(sum);
}

}  // namespace

void check_dictionary(MatrixView dictionary, std::string_view coder) {
    if (dictionary.rows == 0 || dictionary.cols == 0)
        throw InputError(fmt::format("{}: the dictionary is empty ({} x {})", coder, dictionary.rows, dictionary.cols));
    constexpr std::size_t most = std::numeric_limits<int>::max() - atom_padding;
    if (dictionary.rows > most || dictionary.cols > most)
        throw InputError(fmt::format("{}: a dictionary of {} atoms of length {} is too large; the most is {}", coder,
                                     dictionary.rows, dictionary.cols, most));
    for (std::size_t n = 0; n < dictionary.rows; ++n)
        for (std::size_t m = 0; m < dictionary.cols; ++m)
            if (!std::isfinite(dictionary(n, m)))
                throw InputError(fmt::format("{}: atom {}, entry {} (counted from 0) is {}; atoms must be finite",
                                             coder, n, m, dictionary(n, m)));
}

BatchOmp::BatchOmp(MatrixView dictionary, const OmpOptions& options)
    : options_(options),
      dim_(dictionary.cols),
      stride_(padded_atoms(dictionary.rows)),
      most_nonzeros_(std::min(dictionary.rows, dictionary.cols)) {
    check_dictionary(dictionary, "omp");
    if (!std::isfinite(options.max_error) || options.max_error < 0.0)
        throw InputError(fmt::format("omp: max_error is {}, must be a number of at least 0", options.max_error));
    if (options.max_nonzeros > 0) most_nonzeros_ = std::min(most_nonzeros_, options.max_nonzeros);
    norm_.resize(dictionary.rows);
    unit_atoms_.assign(dictionary.data, dictionary.data + dictionary.rows * dim_);
    for (std::size_t n = 0; n < norm_.size(); ++n) {
        norm_[n] = norm_of(dictionary.row(n));
        if (!std::isfinite(norm_[n]))
            throw InputError(fmt::format("omp: the norm of atom {} (counted from 0) is out of range", n));
        if (norm_[n] == 0.0) continue;
        for (double& entry : std::span(unit_atoms_).subspan(n * dim_, dim_)) entry /= norm_[n];
    }

    const auto entries = checked_product({norm_.size(), stride_});
    if (!entries)
        throw InputError(fmt::format("omp: the Gram matrix of {} atoms does not fit into memory", norm_.size()));
    gram_.assign(*entries, 0.0);
    correlate(unit_atoms_.data(), norm_.size(), gram_.data(), stride_);
    distance2_.assign(stride_, 0.0);
    std::transform(norm_.begin(), norm_.end(), distance2_.begin(), [](double norm) { return double(norm > 0.0); });
}

void BatchOmp::correlate(const double* signals, std::size_t count, double* out, std::size_t out_stride) const {
    const int N = static_cast<int>(atoms()), M = static_cast<int>(dim_), step = static_cast<int>(out_stride);
    const double one = 1.0, zero = 0.0;
    constexpr std::size_t most = 1U << 20;  // signals per product: BLAS counts in int
    for (const IndexRange& block : Blocks(count, most)) {
        const int L = static_cast<int>(block.size);
        dgemm_("T", "N", &N, &L, &M, &one, unit_atoms_.data(), &M, signals + block.first * dim_, &M, &zero,
               out + block.first * out_stride, &step);
    }
}

BatchOmp::Scratch::Scratch(const BatchOmp& omp)
    : alpha_(omp.stride_), rows_(omp.most_nonzeros_ * omp.stride_), residual_(omp.dim_) {
    if (omp.options_.pursuit == Pursuit::ormp) distance2_.resize(omp.stride_);
    for (auto* list : {&pivot_, &target_, &values_, &factor_}) list->reserve(omp.most_nonzeros_);
    picked_.reserve(omp.most_nonzeros_);
}

BatchOmp::Code BatchOmp::code(std::span<const double> correlations, double signal_norm2, double max_error2, Scratch& s,
                              const double* signal) const {
    const bool ormp = options_.pursuit == Pursuit::ormp;
    const double floor = least_correlation * std::sqrt(signal_norm2);
    std::copy_n(correlations.data(), atoms(), s.alpha_.data());
    if (ormp) s.distance2_ = distance2_;
    s.picked_.clear();
    s.pivot_.clear();
    s.target_.clear();

    double error2 = signal_norm2;
    while (error2 > max_error2 && s.picked_.size() < most_nonzeros_) {
        const StrongestAtom next =
            ormp ? strongest_decrease(s.alpha_.data(), s.distance2_.data(), floor, least_distance2, stride_)
                 : strongest_correlation(s.alpha_.data(), stride_);
        if (!(next.score > (ormp ? 0.0 : floor))) break;

        s.factor_.clear();
        double pivot2 = 1.0;
        for (std::size_t j = 0; j < s.picked_.size(); ++j) {
            s.factor_.push_back(s.rows_[j * stride_ + next.atom]);
            pivot2 -= s.factor_[j] * s.factor_[j];
        }
        if (!(pivot2 > least_distance2)) {  // in the span of the others: its correlation is a rounding error
            s.alpha_[next.atom] = 0.0;
            continue;
        }

        const double pivot = std::sqrt(pivot2);
        const double step = s.alpha_[next.atom] / pivot;
        s.picked_.push_back(static_cast<std::uint32_t>(next.atom));
        s.pivot_.push_back(pivot);
        s.target_.push_back(step);
        error2 = std::max(0.0, error2 - step * step);
        const bool in_full = signal != nullptr && error2 < digits_lost * signal_norm2;
        if (in_full) error2 = residual_from(signal, s);
        if (error2 <= max_error2 || s.picked_.size() == most_nonzeros_) break;

        add_row({.gram = gram_row(next.atom),
                 .factor = s.factor_.data(),
                 .pivot = pivot,
                 .step = step,
                 .rows = s.picked_.size() - 1,
                 .padded = stride_,
                 .q = s.rows_.data(),
                 .alpha = s.alpha_.data(),
                 .distance2 = ormp ? s.distance2_.data() : nullptr});
        if (in_full) correlate(s.residual_.data(), 1, s.alpha_.data());
    }

    solve(s);
    for (std::size_t k = 0; k < s.picked_.size(); ++k) s.values_[k] /= norm_[s.picked_[k]];
    return {s.picked_, s.values_, error2};
}

/// L^T values = target, from the last to the first; entry (m, k) of L is row k of Q at the m-th picked atom.
void BatchOmp::solve(Scratch& s) const {
    s.values_.assign(s.target_.begin(), s.target_.end());
    for (std::size_t k = s.picked_.size(); k-- > 0;) {
        const double* row = s.rows_.data() + k * stride_;
        for (std::size_t m = k + 1; m < s.picked_.size(); ++m) s.values_[k] -= row[s.picked_[m]] * s.values_[m];
        s.values_[k] /= s.pivot_[k];
    }
}

/// Leaves the residual in the scratch memory; returns its squared norm.
double BatchOmp::residual_from(const double* signal, Scratch& s) const {
    solve(s);
    std::copy_n(signal, dim_, s.residual_.begin());
    for (std::size_t k = 0; k < s.picked_.size(); ++k) {
        const double* atom = unit_atoms_.data() + s.picked_[k] * dim_;
        for (std::size_t m = 0; m < dim_; ++m) s.residual_[m] -= s.values_[k] * atom[m];
    }
    double sum = 0.0;
    for (const double entry : s.residual_) sum += entry * entry;
    return sum;
}

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
