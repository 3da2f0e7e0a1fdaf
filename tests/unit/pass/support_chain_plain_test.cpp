// The chain over the atoms that a signal uses, against the same chain written plainly: every choice is weighed by its
// evidence, every solution is that of a dense system. Both take the same random numbers, so their moments agree to
// rounding, and so do the noise at which they search, the search that they choose and what they average.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/compute_scope.hpp"
#include "pass/on_off_evidence.hpp"
#include "pass/support_chain.hpp"
#include "support/dense_algebra.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

/// docs/math.md, O6.
class PlainSupportChain {
public:
    PlainSupportChain(const SupportCoding& coding, const Vec& y) : coding_(coding), state_(*coding.state), y_(y) {}

    CodeMoments code(DrawStream& draws) {
        const SupportSchedule& schedule = coding_.schedule;
        const double noise = 1.0 / coding_.state->noise_precision, first = std::max(noise, 0.5 * coding_.signal_var);
        std::vector<std::uint32_t> best;
        double best_log = 0.0, best_extra = 0.0;
        for (int search = 0; search < schedule.searches; ++search) {
            on_.clear();
            double extra = 0.0;
            for (int i = 0; i < schedule.search_sweeps; ++i) {
                // From half of the signal's variance down to the noise, by equal factors.
                const double way = static_cast<double>(i) / schedule.search_sweeps;
                set_noise(std::exp((1.0 - way) * std::log(first) + way * std::log(noise)) + extra);
                sweep(draws);
                extra = from_atoms();
            }
            set_noise(noise + extra);
            sweep(draws);
            const double found = log_probability();
            if (search == 0 || std::log(draws.uniform()) < found - best_log) {
                best = on_;
                best_log = found;
                best_extra = extra;
            }
        }
        on_ = best;
        set_noise(noise + best_extra);
        for (int i = 0; i < schedule.settle_sweeps; ++i) sweep(draws);
        if (schedule.settle_sweeps > 0) set_noise(noise + from_atoms());

        const Eigen::Index N = state_.D.cols();
        Vec mean = Vec::Zero(N), square = Vec::Zero(N), used = Vec::Zero(N);
        double count = 0.0;
        for (int i = 0; i < schedule.draws * steps(); ++i, ++count) {
            step(draws);
            const auto [values, variances] = solution(on_);
            for (std::size_t j = 0; j < on_.size(); ++j) {
                mean[on_[j]] += values[j];
                square[on_[j]] += values[j] * values[j] + variances[j];
                used[on_[j]] += 1.0;
            }
        }
        mean /= count;
        return {mean, (square / count - mean.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt(), used / count};
    }

private:
    struct Solution {
        std::vector<double> mean, variance;
    };

    void set_noise(double variance) { state_.noise_precision = 1.0 / variance; }

    [[nodiscard]] int steps() const {
        return std::clamp(static_cast<int>(std::ceil(0.75 * state_.probability.sum())), 1, 8);
    }
    void sweep(DrawStream& draws) {
        for (int i = 0; i < steps(); ++i) step(draws);
    }

    void step(DrawStream& draws) {
        constexpr double none_aside = 0.3;
        const double which = draws.uniform(), joins = draws.uniform();
        std::vector<std::uint32_t>& left = on_;
        if (!left.empty() && which >= none_aside) {
            const double place = (which - none_aside) / (1.0 - none_aside) * static_cast<double>(left.size());
            std::swap(left[std::min(static_cast<std::size_t>(place), left.size() - 1)], left.back());
            left.pop_back();
        }
        const auto N = static_cast<std::uint32_t>(state_.D.cols());
        const OnOffEvidence evidence(state_);
        const double now = evidence(y_, left);
        std::vector<double> join(N, 0.0);
        if (left.size() == static_cast<std::size_t>(std::min(state_.D.rows(), state_.D.cols()))) return;
        const double nobody = left.empty() ? 1.0 : none_aside;
        double sum = nobody;
        for (std::uint32_t n = 0; n < N; ++n) {
            if (std::find(left.begin(), left.end(), n) != left.end()) continue;
            std::vector<std::uint32_t> with = left;
            with.push_back(n);
            join[n] = (1.0 - none_aside) / static_cast<double>(left.size() + 1) * std::exp(evidence(y_, with) - now);
            sum += join[n];
        }
        for (double& probability : join) probability /= sum;
        double rest = joins - nobody / sum;
        if (rest < 0.0) return;
        for (std::uint32_t n = 0; n < N; ++n) {
            rest -= join[n];
            if (rest >= 0.0) continue;
            on_.push_back(n);
            return;
        }
    }

    /// Moments of the values. The errors of an atom add to the noise of the others, but not to that of its own value.
    [[nodiscard]] Solution solution(const std::vector<std::uint32_t>& on) const {
        if (on.empty()) return {};
        const Mat D = observed(on);
        const auto k = static_cast<Eigen::Index>(on.size());
        const double e = state_.noise_precision;
        const Mat covariance = inverse(e * D.transpose() * D + state_.code_precision * Mat::Identity(k, k));
        const Vec mean =
            e * covariance * D.transpose() * y_.unaryExpr([](double v) { return std::isnan(v) ? 0.0 : v; });
        Solution found;
        for (Eigen::Index i = 0; i < k; ++i) {
            const double own = mean[i] * mean[i] * (*coding_.atom_var)[on[static_cast<std::size_t>(i)]];
            const double least = covariance(i, i) * e / coding_.state->noise_precision;
            found.mean.push_back(mean[i]);
            found.variance.push_back(std::max(covariance(i, i) - own, least));
        }
        return found;
    }

    [[nodiscard]] Mat observed(const std::vector<std::uint32_t>& on) const {
        Mat D(state_.D.rows(), static_cast<Eigen::Index>(on.size()));
        for (std::size_t i = 0; i < on.size(); ++i)
            for (Eigen::Index m = 0; m < D.rows(); ++m)
                D(m, static_cast<Eigen::Index>(i)) = std::isnan(y_[m]) ? 0.0 : state_.D(m, on[i]);
        return D;
    }

    /// Of the atoms that are on and the signal, without their values: ln N(y; 0, I / e + D D^T / g) and the prior odds.
    /// Searches end at different noise, so that what depends on it counts.
    [[nodiscard]] double log_probability() const {
        std::vector<Eigen::Index> rows;
        for (Eigen::Index m = 0; m < y_.size(); ++m)
            if (!std::isnan(y_[m])) rows.push_back(m);
        const Mat D = observed(on_)(rows, Eigen::all);
        const auto M = static_cast<Eigen::Index>(rows.size());
        const Mat covariance = Mat::Identity(M, M) / state_.noise_precision + D * D.transpose() / state_.code_precision;
        const Vec y = y_(rows);
        double sum = -0.5 * std::log(determinant(covariance)) - 0.5 * y.dot(inverse(covariance) * y);
        for (const std::uint32_t n : on_) sum += std::log(state_.probability[n] / (1.0 - state_.probability[n]));
        return sum;
    }

    [[nodiscard]] double from_atoms() const {
        const std::vector<double> values = solution(on_).mean;
        double sum = 0.0;
        for (std::size_t i = 0; i < on_.size(); ++i) sum += values[i] * values[i] * (*coding_.atom_var)[on_[i]];
        return sum;
    }

    const SupportCoding& coding_;
    OnOffState state_;  // at the present noise
    Vec y_;
    std::vector<std::uint32_t> on_;
};

TEST(SupportChain, IsThePlainChain) {
    Numbers numbers(9);
    const OnOffState state{.D = unit_columns(numbers.normals(7, 10)),
                           .probability = Vec::LinSpaced(10, 0.1, 0.4),
                           .code_precision = 0.5,
                           .noise_precision = 20.0};
    const PaddedGram gram(state.D);
    const Vec atom_var = Vec::LinSpaced(10, 0.0, 0.01);
    const SupportCoding coding{.state = &state,
                               .atom_var = &atom_var,
                               .signal_var = 1.5,
                               .gram = &gram,
                               .schedule = {.searches = 3, .search_sweeps = 4, .settle_sweeps = 2, .draws = 3}};
    const ComputeScope scope;
    SupportChain chain(coding);
    for (std::uint64_t l = 0; l < 30; ++l) {
        SCOPED_TRACE(l);
        Vec y = 1.5 * numbers.normals(7, 1);
        if (l % 3 == 2) y[static_cast<Eigen::Index>(l % 7)] = std::numeric_limits<double>::quiet_NaN();
        DrawStream draws(3, {.purpose = Purpose::test, .signal = l}), same(3, {.purpose = Purpose::test, .signal = l});
        const CodeMoments got = chain.code(y, draws), want = PlainSupportChain(coding, y).code(same);
        EXPECT_LE((got.mean - want.mean).cwiseAbs().maxCoeff(), 1e-7);
        EXPECT_LE((got.std - want.std).cwiseAbs().maxCoeff(), 1e-7);
        EXPECT_LE((got.probability - want.probability).cwiseAbs().maxCoeff(), 1e-7);
    }
}

}  // namespace
}  // namespace sbdl::test
