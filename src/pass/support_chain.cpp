#include "pass/support_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/stop.hpp"
#include "coders/atom_passes.hpp"
#include "pass/support_weights.hpp"

namespace sbdl {
namespace {

constexpr double none_aside = 0.3;  // the probability a of a step that sets no entry aside
constexpr int most_steps = 8;
constexpr double least_ridge = 1e-14;  // of the largest squared norm; below it rounding decides

double largest_square(const Mat& D) {
    return D.colwise().squaredNorm().maxCoeff();
}

}  // namespace

SupportChain::SupportChain(const SupportCoding& coding)
    : state_(*coding.state),
      atom_var_(*coding.atom_var),
      whole_gram_(*coding.gram),
      schedule_(coding.schedule),
      noise_var_(
          std::max(1.0 / state_.noise_precision, least_ridge * largest_square(state_.D) / state_.code_precision)),
      first_var_(std::max(noise_var_, 0.5 * coding.signal_var)),
      steps_(std::clamp(static_cast<int>(std::ceil(0.75 * state_.probability.sum())), 1, most_steps)),
      most_on_(static_cast<std::size_t>(std::min(state_.D.rows(), state_.D.cols()))),
      gram_(coding.gram),
      products_(gram_->padded()),
      rows_(most_on_ * gram_->padded()),
      residual_(gram_->padded()),
      distance_(gram_->padded()),
      L_(most_on_ * most_on_),
      t_(most_on_),
      value_(most_on_),
      var_(most_on_),
      column_(most_on_),
      weight_(gram_->padded()),
      log_odds_(gram_->padded(), -1e300) {
    for (std::size_t n = 0; n < gram_->atoms(); ++n) {
        const double p = state_.probability[static_cast<Eigen::Index>(n)];
        log_odds_[n] = std::log(p / (1.0 - p));
    }
}

void SupportChain::observe(const Eigen::Ref<const Vec>& signal) {
    const Vec seen = signal.unaryExpr([](double value) { return std::isnan(value) ? 0.0 : 1.0; });
    const Vec y = signal.unaryExpr([](double value) { return std::isnan(value) ? 0.0 : value; });
    observed_ = seen.sum();
    energy_ = y.squaredNorm();
    Eigen::Map<Vec>(products_.data(), state_.D.cols()) = state_.D.transpose() * y;
    gram_ = &whole_gram_;
    if (observed_ == static_cast<double>(seen.size())) return;
    gappy_gram_.assign(seen.asDiagonal() * state_.D);
    gram_ = &gappy_gram_;
}

void SupportChain::set_noise(double variance) {
    noise_precision_ = 1.0 / variance;
    ridge_ = state_.code_precision * variance;
    factored_ = false;
}

void SupportChain::factor_none() {
    left_.clear();
    last_is_open_ = false;
    residual_ = products_;
    std::fill(distance_.begin(), distance_.end(), 1.0);
    for (std::size_t n = 0; n < gram_->atoms(); ++n) distance_[n] = gram_->row(n)[n] + ridge_;
}

void SupportChain::factor_last(std::uint32_t atom) {
    const std::size_t k = left_.size();
    double* const row = L_.data() + k * most_on_;
    for (std::size_t j = 0; j < k; ++j) row[j] = rows_[j * gram_->padded() + atom];
    row[k] = std::sqrt(std::max(distance_[atom], ridge_));
    t_[k] = residual_[atom] / row[k];
    left_.push_back(atom);
    last_is_open_ = true;
}

void SupportChain::finish_last() {
    const std::size_t k = left_.size() - 1;
    const double* const row = L_.data() + k * most_on_;
    add_row({.gram = gram_->row(left_[k]),
             .factor = row,
             .pivot = row[k],
             .step = t_[k],
             .rows = k,
             .padded = gram_->padded(),
             .q = rows_.data(),
             .alpha = residual_.data(),
             .distance2 = distance_.data()});
    last_is_open_ = false;
}

void SupportChain::step(DrawStream& draws) {
    const std::size_t before = on_.size();
    const double which = draws.uniform(), joins = draws.uniform();
    if (before > 0 && which >= none_aside) {
        const auto aside =
            static_cast<std::size_t>((which - none_aside) / (1.0 - none_aside) * static_cast<double>(before));
        std::swap(on_[std::min(aside, before - 1)], on_.back());
        on_.pop_back();
        factored_ = false;
    }
    if (factored_) {
        if (last_is_open_) finish_last();
    } else {
        factor_none();
        for (const std::uint32_t n : on_) {
            factor_last(n);
            finish_last();
        }
        factored_ = true;
    }
    const std::size_t k = on_.size(), atoms = gram_->atoms();
    if (k == most_on_) return;

    for (const std::uint32_t n : on_) distance_[n] = std::numeric_limits<double>::infinity();
    const WeightSum joining = support_weights({.log_odds = log_odds_.data(),
                                               .residual = residual_.data(),
                                               .distance = distance_.data(),
                                               .noise_precision = noise_precision_,
                                               .ridge = ridge_,
                                               .padded = gram_->padded(),
                                               .weight = weight_.data()});
    const double nobody = (k == 0 ? 1.0 : none_aside) * std::exp(-joining.exponent);
    const double share = (1.0 - none_aside) / static_cast<double>(k + 1);
    double left = (joins * (nobody + share * joining.sum) - nobody) / share;
    if (left < 0.0) return;
    std::size_t chosen = atoms;
    for (std::size_t n = 0; n < atoms && left >= 0.0; ++n) {
        if (weight_[n] == 0.0) continue;
        chosen = n;  // the last one, if rounding leaves something
        left -= weight_[n];
    }
    if (chosen == atoms) return;
    on_.push_back(static_cast<std::uint32_t>(chosen));
    factor_last(on_.back());
}

void SupportChain::sweep(DrawStream& draws) {
    look_for_stop();
    for (int i = 0; i < steps_; ++i) step(draws);
}

// value = L^-T t; the variances are the squared norms of the columns of L^-1, divided by the noise's precision. An
// atom's error is orthogonal to it, since its norm is known, and does not change its own value.
void SupportChain::solve(bool variances) {
    const std::size_t k = left_.size();
    for (std::size_t i = k; i-- > 0;) {
        double sum = t_[i];
        for (std::size_t j = i + 1; j < k; ++j) sum -= L_[j * most_on_ + i] * value_[j];
        value_[i] = sum / L_[i * most_on_ + i];
    }
    if (!variances) return;
    for (std::size_t c = 0; c < k; ++c) {
        double squares = 0.0;
        for (std::size_t i = c; i < k; ++i) {
            double sum = i == c ? 1.0 : 0.0;
            for (std::size_t j = c; j < i; ++j) sum -= L_[i * most_on_ + j] * column_[j];
            column_[i] = sum / L_[i * most_on_ + i];
            squares += column_[i] * column_[i];
        }
        const double own = value_[c] * value_[c] * atom_var_[left_[c]];
        var_[c] = std::max(squares / noise_precision_ - own, squares * noise_var_);
    }
}

double SupportChain::log_probability() const {
    const double e = noise_precision_;
    double sum = 0.5 * observed_ * std::log(e) - 0.5 * e * energy_;
    for (std::size_t i = 0; i < left_.size(); ++i)
        sum += log_odds_[left_[i]] + std::log(std::sqrt(ridge_) / L_[i * most_on_ + i]) + 0.5 * e * t_[i] * t_[i];
    return sum;
}

void SupportChain::record() {
    solve(true);
    for (std::size_t i = 0; i < left_.size(); ++i) {
        const Eigen::Index n = left_[i];
        if (count_ == 0) first_[n] = value_[i];
        const double difference = value_[i] - first_[n];
        sum_[n] += difference;
        sum_sq_[n] += difference * difference + var_[i];
        used_[n] += 1.0;
    }
    ++count_;
}

const CodeMoments& SupportChain::code(const Eigen::Ref<const Vec>& signal, DrawStream& draws) {
    observe(signal);
    const auto atoms_var = [&] {
        solve(false);
        double sum = 0.0;
        for (std::size_t i = 0; i < left_.size(); ++i) sum += value_[i] * value_[i] * atom_var_[left_[i]];
        return sum;
    };
    const Eigen::Index N = state_.D.cols();
    if (!std::isfinite(energy_ / (least_ridge * noise_var_))) {
        moments_.mean = moments_.std = moments_.probability =
            Vec::Constant(N, std::numeric_limits<double>::quiet_NaN());
        return moments_;
    }
    std::vector<std::uint32_t> best;
    double best_log = -std::numeric_limits<double>::infinity(), best_var = 0.0;
    for (int time = 0; time < schedule_.searches; ++time) {
        on_.clear();
        left_.clear();
        double extra = 0.0;
        for (int i = 0; i < schedule_.search_sweeps; ++i) {
            const double way = static_cast<double>(i) / schedule_.search_sweeps;
            set_noise(first_var_ * std::pow(noise_var_ / first_var_, way) + extra);
            sweep(draws);
            extra = atoms_var();
        }
        set_noise(noise_var_ + extra);
        sweep(draws);
        const double found = log_probability();
        if (time == 0 || std::log(draws.uniform()) < found - best_log) {
            best = on_;
            best_log = found;
            best_var = extra;
        }
    }
    on_ = best;
    set_noise(noise_var_ + best_var);
    for (int i = 0; i < schedule_.settle_sweeps; ++i) sweep(draws);
    if (schedule_.settle_sweeps > 0) set_noise(noise_var_ + atoms_var());

    count_ = 0;
    first_ = sum_ = sum_sq_ = used_ = Vec::Zero(N);
    for (int i = 0; i < schedule_.draws; ++i) {
        look_for_stop();
        for (int j = 0; j < steps_; ++j) {
            step(draws);
            record();
        }
    }
    const double count = count_;
    moments_.probability = used_ / count;
    const Vec absent = (count - used_.array()).matrix();
    sum_ -= absent.cwiseProduct(first_);
    sum_sq_ += absent.cwiseProduct(first_.cwiseAbs2());
    moments_.mean = first_ + sum_ / count;
    moments_.std = (sum_sq_ / count - (sum_ / count).cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
    return moments_;
}

}  // namespace sbdl
