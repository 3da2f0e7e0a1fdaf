#include "coders/lasso.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl {
namespace {

constexpr double tolerance = 1e-3;  // of lambda: how far a coordinate may still want to move
constexpr int most_passes = 200;    // over the active atoms, before new ones are looked for
constexpr int most_rounds = 60;     // of looking for new ones

double soft(double value, double threshold) {
    return std::copysign(std::max(std::abs(value) - threshold, 0.0), value);
}

}  // namespace

Lasso::Lasso(const Mat& gram, double lambda) : gram_(gram), lambda_(lambda), value_(Vec::Zero(gram.rows())) {}

// One pass over the active atoms; returns the largest move, in units of correlation.
double Lasso::pass(double weight) {
    double largest = 0.0;
    for (Eigen::Index i = 0; i < small_value_.size(); ++i) {
        const double norm2 = small_gram_(i, i);
        const double moved = soft(small_correlations_[i] + norm2 * small_value_[i], weight) / norm2 - small_value_[i];
        if (moved == 0.0) continue;
        small_value_[i] += moved;
        small_correlations_ -= moved * small_gram_.col(i);
        largest = std::max(largest, std::abs(moved) * norm2);
    }
    return largest;
}

// Passes over the active atoms until none of them moves by more than `enough`; then the others hear of it.
void Lasso::descend(Eigen::Ref<Vec> correlations, double weight, double enough) {
    const auto count = static_cast<Eigen::Index>(active_.size());
    small_gram_.resize(count, count);
    small_correlations_.resize(count);
    small_value_.resize(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const std::uint32_t atom = active_[static_cast<std::size_t>(i)];
        small_correlations_[i] = correlations[atom];
        small_value_[i] = value_[atom];
        for (Eigen::Index k = 0; k < count; ++k) small_gram_(k, i) = gram_(active_[static_cast<std::size_t>(k)], atom);
    }
    for (int passes = 0; passes < most_passes && pass(weight) > enough; ++passes) {
    }
    for (Eigen::Index i = 0; i < count; ++i) {
        const std::uint32_t atom = active_[static_cast<std::size_t>(i)];
        const double moved = small_value_[i] - value_[atom];
        if (moved == 0.0) continue;
        value_[atom] = small_value_[i];
        correlations.noalias() -= moved * gram_.col(atom);
    }
}

void Lasso::code(Eigen::Ref<Vec> correlations, std::vector<Entry>& out) {
    active_.clear();
    // The weight comes down to lambda by halves. At each level few atoms ask to take part, so the many that correlate
    // with the signal only because a better one does never enter.
    double level = correlations.cwiseAbs().maxCoeff();
    for (int round = 0; round < most_rounds; ++round) {
        const bool last_level = level <= lambda_;
        level = std::max(lambda_, 0.5 * level);
        const std::size_t before = active_.size();
        for (Eigen::Index n = 0; n < correlations.size(); ++n) {
            const auto atom = static_cast<std::uint32_t>(n);
            if (std::abs(correlations[n]) > (1.0 + tolerance) * level && value_[n] == 0.0 &&
                std::find(active_.begin(), active_.end(), atom) == active_.end())
                active_.push_back(atom);
        }
        if (last_level && active_.size() == before) break;
        descend(correlations, level, level > lambda_ ? 0.05 * level : tolerance * lambda_);
    }
    for (const std::uint32_t n : active_) {
        if (value_[n] != 0.0) out.push_back({n, value_[n]});
        value_[n] = 0.0;
    }
}

}  // namespace sbdl
