#include "coders/lasso.hpp"

#include <algorithm>
#include <cmath>

#include "coders/atom_passes.hpp"

namespace sbdl {
namespace {

constexpr std::size_t gram_columns = 32;  // of the Gram matrix, computed at once
constexpr double least_pivot2 = 1e-9;  // of an atom's squared norm: atoms that depend on the active ones may be added
constexpr double lasso_rounding = 1e-13;  // of the largest correlation of the signal, from which all others are updated
constexpr double most_rounding = 1e-2;    // of lambda
constexpr std::size_t steps_per_entry = 10;  // default limit, against cycles that are due to rounding

}  // namespace

Blocks PaddedGram::begin(const Mat& D) {
    atoms_ = static_cast<std::size_t>(D.cols());
    dim_ = static_cast<std::size_t>(D.rows());
    padded_ = padded_atoms(atoms_);
    rows_.resize(atoms_ * padded_);
    return {atoms_, gram_columns};
}

// A product of two atoms of different blocks is computed with the later block, and has two places.
void PaddedGram::fill(const Mat& D, const IndexRange& block) noexcept {
    const auto first = static_cast<Eigen::Index>(block.first), count = static_cast<Eigen::Index>(block.size);
    Eigen::Map<Mat> rows(rows_.data() + block.first * padded_, static_cast<Eigen::Index>(padded_), count);
    multiply_transposed(D.leftCols(first + count), D.middleCols(first, count), rows.topRows(first + count));
    rows.bottomRows(rows.rows() - D.cols()).setZero();
    Eigen::Map<Mat> before(rows_.data(), rows.rows(), first);
    before.middleRows(first, count) = rows.topRows(first).transpose();
}

void PaddedGram::assign_turned(const PaddedGram& gram, std::size_t first) {
    atoms_ = gram.atoms_;
    dim_ = gram.dim_;
    padded_ = gram.padded_;
    rows_.assign(atoms_ * padded_, 0.0);
    for (std::size_t i = 0; i < atoms_; ++i) {
        const double* const row = gram.row((i + first) % atoms_);
        std::rotate_copy(row, row + first, row + atoms_, rows_.data() + i * padded_);
    }
}

void Lasso::begin(const PaddedGram& gram, double lambda, const Stop& stop) {
    gram_ = &gram;
    lambda_ = lambda;
    stop_ = stop;
    if (stop_.steps == 0) stop_.steps = steps_per_entry * gram.dim();
}

// Recomputes the rows of the factor from `place` on.
void Lasso::factor_from(std::size_t place) {
    system_.resize(active_.size());
    for (std::size_t i = place; i < active_.size(); ++i) {
        for (std::size_t k = 0; k <= i; ++k) system_.at(i, k) = row_[i][active_[k]];
        system_.factor_row(i, least_pivot2 * row_[i][active_[i]]);
    }
}

void Lasso::enter(std::uint32_t atom, double sign) {
    active_.push_back(atom);
    value_.push_back(0.0);
    sign_.push_back(sign);
    row_.push_back(gram_->row(atom));
    factor_from(active_.size() - 1);
}

void Lasso::leave(std::size_t place) {
    const auto at = static_cast<std::ptrdiff_t>(place);
    active_.erase(active_.begin() + at);
    value_.erase(value_.begin() + at);
    sign_.erase(sign_.begin() + at);
    row_.erase(row_.begin() + at);
    factor_from(place);
}

// Moves towards the minimum for these signs until a value reaches zero. Returns the place of that value, or none if the
// minimum was reached.
std::optional<std::size_t> Lasso::move(double* correlations) {
    const std::size_t count = active_.size();
    step_.resize(count);
    for (std::size_t i = 0; i < count; ++i) step_[i] = correlations[active_[i]] - lambda_ * sign_[i];
    system_.solve(step_.data());
    double share = 1.0;
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < count; ++i) {
        if (sign_[i] * (value_[i] + share * step_[i]) >= 0.0) continue;
        share = sign_[i] * value_[i] > 0.0 ? -value_[i] / step_[i] : 0.0;  // rounding may have left it beyond zero
        first = i;
    }
    for (std::size_t i = 0; i < count; ++i) {
        step_[i] *= share;
        value_[i] += step_[i];
    }
    subtract_rows(row_.data(), step_.data(), count, gram_->padded(), correlations);
    return first;
}

bool Lasso::is_active(std::uint32_t atom) const {
    return std::find(active_.begin(), active_.end(), atom) != active_.end();
}

// Whether the slopes of the active atoms have their values at the minimum. With almost dependent atoms they may not:
// the smallest pivots are raised, which shortens the moves.
bool Lasso::active_settled(const double* correlations, double slack) const {
    for (std::size_t i = 0; i < active_.size(); ++i)
        if (std::abs(correlations[active_[i]] - lambda_ * sign_[i]) > slack) return false;
    return true;
}

bool Lasso::code(double* correlations, std::vector<Entry>& out) {
    active_.clear();
    value_.clear();
    sign_.clear();
    row_.clear();
    StrongestAtom next = strongest_correlation(correlations, gram_->padded());
    const double slack = stop_.tolerance * lambda_ + lasso_rounding * next.score;
    // If rounding is not small against the weight, the result is some fit that is not known to be the best.
    const bool decided = lasso_rounding * next.score <= most_rounding * lambda_;
    bool settled = next.score <= lambda_ + slack;
    for (std::size_t step = 0; step < stop_.steps && !settled; ++step) {
        const auto atom = static_cast<std::uint32_t>(next.atom);
        if (next.score > lambda_ + slack && !is_active(atom)) enter(atom, std::copysign(1.0, correlations[atom]));
        while (const std::optional<std::size_t> zero = move(correlations)) leave(*zero);
        next = strongest_correlation(correlations, gram_->padded());
        settled = next.score <= lambda_ + slack && active_settled(correlations, slack);
    }
    for (std::size_t i = 0; i < active_.size(); ++i)
        if (value_[i] != 0.0) out.push_back({active_[i], value_[i]});
    return settled && decided;
}

void LassoBlock::load(const PaddedGram& gram, const Mat& D, const ConstBlock& Y) {
    gram_ = &gram;
    correlations_.assign(gram.padded() * static_cast<std::size_t>(Y.cols()), 0.0);
    Eigen::Map<Mat> correlations(correlations_.data(), static_cast<Eigen::Index>(gram.padded()), Y.cols());
    multiply_transposed(D, Y, correlations.topRows(D.cols()));
}

bool LassoBlock::code(Eigen::Index i, double lambda, const Lasso::Stop& stop, SparseCodes& codes) {
    entries_.clear();
    lasso_.begin(*gram_, lambda, stop);
    const bool settled = lasso_.code(correlations_.data() + static_cast<std::size_t>(i) * gram_->padded(), entries_);
    for (const Lasso::Entry& entry : entries_) {
        codes.atom.push_back(entry.atom);
        codes.value.push_back(entry.value);
    }
    return settled;
}

}  // namespace sbdl
