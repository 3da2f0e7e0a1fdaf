#include "learners/svb/svb_learner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learners/model_parts.hpp"
#include "learners/stale_atoms.hpp"
#include "learners/svb/stats_sums.hpp"
#include "statistics/von_mises_fisher.hpp"

namespace sbdl {
namespace {

constexpr double uses_at_start = 3.0;     // atoms per signal, before the first batch
constexpr double stale_share = 0.05;      // of the mean number of users: such an atom is replaced
constexpr double look_every = 10.0;       // steps: stale atoms are looked for; after
constexpr double few_steps = 100.0;       // of them when
constexpr double look_again = 1.1;        // times as many have been made
constexpr double fresh_certainty = 1e4;   // concentration of an atom that has just been put in place, per entry
constexpr double different_enough = 0.7;  // |correlation| of atoms that are put in place together, at most

/// How often stale atoms have been looked for after so many steps.
double looks_after(double steps) {
    if (steps < few_steps) return std::floor(steps / look_every);
    return std::floor(few_steps / look_every + std::log(steps / few_steps) / std::log(look_again));
}

PrecisionPosterior codes_given(const OnOffHyper& hyper, const SufficientStats& stats) {
    return {.shape = hyper.code_shape + 0.5 * stats.users.sum(), .rate = hyper.code_rate + 0.5 * stats.x_xt.trace()};
}

PrecisionPosterior noise_given(const OnOffHyper& hyper, const SufficientStats& stats, double values) {
    return {.shape = hyper.noise_shape + 0.5 * values, .rate = hyper.noise_rate + 0.5 * stats.residual_sq};
}

}  // namespace

SvbLearner::SvbLearner(const SvbOptions& options, const Mat& D, double noise_precision, double signals, int threads)
    : options_(options),
      hyper_(on_off_hyper(options)),
      signals_(signals),
      batch_(D.rows(), D.cols(), options.code_sweeps, threads),
      mean_(D.rows(), D.cols()),
      tally_(D.rows(), D.cols()) {
    restart(D, noise_precision);
}

void SvbLearner::restart(const Mat& D, double noise_precision) {
    const Eigen::Index N = D.cols();
    const double share_on = std::min(0.5, uses_at_start / static_cast<double>(N));
    q_.set_atoms(D);
    q_.log_on = Vec::Constant(N, std::log(share_on));
    q_.log_off = Vec::Constant(N, std::log1p(-share_on));
    q_.users = Vec::Zero(N);
    q_.codes = {.held = true,
                .held_at = uses_at_start / static_cast<double>(D.rows())};  // a signal's energy, shared out
    q_.noise = {.held = true, .held_at = noise_precision};
}

SvbLearner::SvbLearner(const SvbOptions& options, const Model& model, double signals, int threads)
    : SvbLearner(options, as_columns(model.dictionary), 1.0, signals, threads) {
    const SvbState& state = *model.svb;
    remembered_ = state.remembered;
    steps_ = state.steps;
    mean_.x_xt = as_columns(model.stream.code_products) / remembered_;
    mean_.y_xt = as_columns(model.stream.signal_products) / remembered_;
    mean_.users = Eigen::Map<const Vec>(state.users.data(), mean_.users.size()) / remembered_;
    mean_.residual_sq = state.residual_sq / remembered_;
    for (Eigen::Index n = 0; n < q_.atoms.cols(); ++n)
        place(n, Vec(q_.atoms.col(n)), state.concentration[static_cast<std::size_t>(n)]);
    update_shared();
}

double SvbLearner::step_length(double share_of_batch) const {
    const double whole = std::pow(1.0 + steps_ / options_.delay, -options_.decay);
    return share_of_batch == 1.0 || whole == 1.0 ? whole : 1.0 - std::pow(1.0 - whole, share_of_batch);
}

int SvbLearner::learn(const Mat& Y) {
    const auto count = static_cast<double>(Y.cols());
    const SufficientStats& stats = batch_.code(Y, q_);
    add(tally_, stats);
    tallied_ += count;
    divergence_ = q_.divergence.sum();

    const double share = std::min(1.0, count / options_.batch), step = step_length(share), before = steps_;
    const double kept = remembered_ > 0.0 ? (1.0 - step) * (1.0 - step) / remembered_ : 0.0;
    remembered_ = std::min(1.0 / (kept + step * step / count), signals_);
    mean_ = times(1.0 - step, std::move(mean_));
    add(mean_, times(step / count, stats));
    steps_ += share;
    update_shared();
    check_finite(static_cast<int>(before), q_.noise.mean(), mean_.y_xt);
    q_.update_atoms(times(remembered_, mean_));
    if (options_.duplicate_correlation >= 1.0 || looks_after(steps_) == looks_after(before)) return 0;
    return replace_stale(Y);
}

void SvbLearner::update_shared() {
    const SufficientStats sums = times(remembered_, mean_);
    q_.update_usage(hyper_, sums, remembered_);
    q_.codes = codes_given(hyper_, sums);
    q_.noise = noise_given(hyper_, sums, remembered_ * static_cast<double>(q_.atoms.rows()));
}

int SvbLearner::replace_stale(const Mat& Y) {
    const Mat unit = unit_columns(q_.atoms);
    const Vec& use = mean_.users;
    const double least = stale_share * use.mean();
    std::vector<Eigen::Index> stale;
    for (Eigen::Index n = 0; n < use.size(); ++n)
        if (is_stale(unit, use, n, least, options_.duplicate_correlation)) stale.push_back(n);
    if (stale.empty()) return 0;

    const Mat left = batch_.residuals(Y, q_);
    const std::vector<double> squares = squared_norms(left);
    constexpr double rounding = 1e-20;
    std::vector<Vec> fresh;
    for (const std::size_t l : worst_signals(squares, squares.size(), rounding)) {
        if (fresh.size() == stale.size()) break;
        const Vec direction = left.col(static_cast<Eigen::Index>(l)).normalized();
        const bool is_new = std::all_of(fresh.begin(), fresh.end(), [&](const Vec& other) {
            return std::abs(other.dot(direction)) < different_enough;
        });
        if (is_new) fresh.push_back(direction);
    }
    for (std::size_t i = 0; i < fresh.size(); ++i) put_in_place(stale[i], fresh[i]);
    return static_cast<int>(fresh.size());
}

/// Nothing is known of the atom's codes: as often and as strong as those of the others. Its direction is left to the
/// next batch.
void SvbLearner::put_in_place(Eigen::Index atom, const Vec& direction) {
    place(atom, direction, fresh_certainty * static_cast<double>(direction.size()));
    mean_.users[atom] = mean_.users.mean();
    mean_.x_xt.row(atom).setZero();
    mean_.x_xt.col(atom).setZero();
    mean_.x_xt(atom, atom) = mean_.users[atom] / q_.codes.mean();
    mean_.y_xt.col(atom).setZero();
    q_.update_usage(hyper_, times(remembered_, mean_), remembered_);
}

void SvbLearner::place(Eigen::Index atom, const Vec& direction, double concentration) {
    const VonMisesFisher law = von_mises_fisher(static_cast<double>(direction.size()), concentration);
    q_.atoms.col(atom) = law.mean_length * direction;
    q_.concentration[atom] = concentration;
    q_.spread[atom] = law.shortfall * (1.0 + law.mean_length);
    q_.divergence[atom] = law.divergence;
}

void SvbLearner::begin_tally() {
    tally_.set_zero();
    tallied_ = 0.0;
}

double SvbLearner::bound(double signals) const {
    const SufficientStats sums = times(signals / tallied_, tally_);
    OnOffPosterior q = q_;
    q.update_usage(hyper_, sums, signals);
    const double values = signals * static_cast<double>(q.atoms.rows());
    q.codes = codes_given(hyper_, sums);
    q.noise = noise_given(hyper_, sums, values);
    q.divergence = Vec::Constant(1, divergence_);
    const double log_code_var = sums.objective.log_code_var / std::max(sums.users.sum(), 1e-300);
    return on_off_bound(hyper_, sums, {signals, values}, log_code_var, q);
}

void SvbLearner::save(Model& model) const {
    model.stream.code_products = to_rows(remembered_ * mean_.x_xt);
    model.stream.signal_products = to_rows(remembered_ * mean_.y_xt);
    model.svb = SvbState{.steps = steps_,
                         .remembered = remembered_,
                         .residual_sq = remembered_ * mean_.residual_sq,
                         .users = to_vector(remembered_ * mean_.users),
                         .concentration = to_vector(q_.concentration)};
}

void SvbLearner::archive(StateArchive& archive) {
    archive("posterior", q_);
    archive("code_products", mean_.x_xt);
    archive("signal_products", mean_.y_xt);
    archive("users", mean_.users);
    archive("residual_sq", mean_.residual_sq);
    archive("remembered", remembered_);
    archive("steps", steps_);
}

}  // namespace sbdl
