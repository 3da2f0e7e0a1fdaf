#include "pass/on_off_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/products.hpp"
#include "coders/atom_passes.hpp"
#include "pass/on_off_limits.hpp"

namespace sbdl {

OnOffSampler::OnOffSampler(const OnOffState& state, const OnOffNumbers& draw, const PaddedGram* gram)
    : state_(state),
      draw_(draw),
      first_atom_(static_cast<Eigen::Index>(draw.sweep) * draw.stride % state.D.cols()),
      atoms_(state.D.rows(), state.D.cols()),
      prior_log_odds_(state.D.cols()),
      precision_(state.D.cols()),
      log_prior_(state.D.cols()),
      gain_(state.D.cols()) {
    for (Eigen::Index n = 0; n < atoms_.cols(); ++n) {
        atoms_.col(place_of(n)) = state.D.col(n);
        prior_log_odds_[place_of(n)] = std::log(state.probability[n] / (1.0 - state.probability[n]));
    }
    if (gram != nullptr)
        gram_.assign_turned(*gram, static_cast<std::size_t>(first_atom_));
    else
        gram_.assign(atoms_);
    for (Eigen::Index i = 0; i < atoms_.cols(); ++i) {
        const Odds of = odds(i, gram_.row(static_cast<std::size_t>(i))[i]);
        precision_[i] = of.precision;
        log_prior_[i] = of.log_prior;
        gain_[i] = of.gain;
    }
}

double OnOffSampler::draw(const Odds& odds, double c, double uniform, DrawStream& values) const {
    constexpr double never_on = -40.0;  // below the smallest uniform number
    const double log_odds = odds.log_prior + odds.gain * c * c;
    if (log_odds < never_on || uniform * (1.0 + std::exp(-log_odds)) >= 1.0) return 0.0;
    return state_.noise_precision * c / odds.precision + values.normal() / std::sqrt(odds.precision);
}

OnOffSampler::Odds OnOffSampler::odds(Eigen::Index place, double norm2) const {
    const double e = state_.noise_precision, g = state_.code_precision;
    const double precision = g + e * norm2;
    return {precision, prior_log_odds_[place] + 0.5 * std::log(g / precision), 0.5 * e * (e / precision)};
}

Eigen::Index OnOffSampler::place_of(Eigen::Index atom) const {
    return atom >= first_atom_ ? atom - first_atom_ : atom - first_atom_ + atoms_.cols();
}

/// Correlations, random numbers and limits of the block whose residuals are in the bench.
void OnOffSampler::prepare(std::size_t first, std::size_t signals, Bench& bench) const {
    const auto padded = static_cast<Eigen::Index>(gram_.padded());
    bench.correlations.assign(signals * gram_.padded(), 0.0);
    Eigen::Map<Mat> correlations(bench.correlations.data(), padded, static_cast<Eigen::Index>(signals));
    multiply_transposed(atoms_, bench.residual, correlations.topRows(atoms_.cols()));
    bench.uniform.resize(signals * gram_.padded());
    bench.limit.assign(signals * gram_.padded(), std::numeric_limits<double>::infinity());
    on_off_limits({.draw = draw_,
                   .first = first,
                   .signals = signals,
                   .entries = gram_.atoms(),
                   .log_prior = log_prior_.data(),
                   .gain = gain_.data(),
                   .stride = gram_.padded(),
                   .uniform = bench.uniform.data(),
                   .limit = bench.limit.data()});
}

void OnOffSampler::block(std::size_t first, Eigen::Ref<Mat> signals, const SparseCodes& old, std::size_t row,
                         SparseCodes& drawn, Bench& bench) const {
    constexpr double always_open = -1.0;  // no square is this small
    const Mat& D = state_.D;
    drawn.atom.clear();
    drawn.value.clear();
    drawn.start.assign(1, 0);
    bench.residual = signals;
    for (Eigen::Index i = 0; i < signals.cols(); ++i) {
        const std::size_t l = row + static_cast<std::size_t>(i);
        for (std::size_t k = old.start[l]; k < old.start[l + 1]; ++k)
            bench.residual.col(i) -= old.value[k] * D.col(old.atom[k]);
    }
    prepare(first, static_cast<std::size_t>(signals.cols()), bench);

    for (Eigen::Index i = 0; i < signals.cols(); ++i) {
        const std::size_t l = row + static_cast<std::size_t>(i);
        const std::size_t at = static_cast<std::size_t>(i) * gram_.padded();
        double* const limit = bench.limit.data() + at;
        bench.code.setZero(D.cols());
        for (std::size_t k = old.start[l]; k < old.start[l + 1]; ++k) {
            const Eigen::Index place = place_of(old.atom[k]);
            bench.code[place] = old.value[k];
            limit[place] = always_open;
        }
        bench.on.clear();
        const double* const uniform = bench.uniform.data() + at;
        DrawStream values(draw_.seed, {draw_.value, draw_.sweep, draw_.chain, first + static_cast<std::size_t>(i)});
        auto signal = signals.col(i);
        const bool gaps = signal.hasNaN();
        if (gaps)
            gappy_signal(bench.residual.col(i), uniform, values, bench);
        else
            complete_signal(bench.correlations.data() + at, limit, uniform, values, bench);
        // Back from the order visited to that of the atoms.
        std::rotate(bench.on.begin(), std::lower_bound(bench.on.begin(), bench.on.end(), D.cols() - first_atom_),
                    bench.on.end());
        for (const Eigen::Index place : bench.on) {
            const Eigen::Index n = (place + first_atom_) % D.cols();
            drawn.atom.push_back(static_cast<std::uint32_t>(n));
            drawn.value.push_back(bench.code[place]);
            signal -= bench.code[place] * D.col(n);
        }
        drawn.start.push_back(drawn.atom.size());
        if (gaps) signal = signal.array().isNaN().select(0.0, signal.array()).matrix();
    }
}

// Each change updates the correlations of the residual with all atoms by a row of the Gram matrix. Entries that are off
// and stay off change nothing and are skipped.
void OnOffSampler::complete_signal(double* correlations, const double* limit, const double* uniform, DrawStream& values,
                                   Bench& bench) const {
    const std::size_t padded = gram_.padded();
    Vec& code = bench.code;
    // Up to the number of atoms, excluding the padding: values that overflow leave NaN there.
    for (std::size_t at = first_open(correlations, limit, 0, padded); at < gram_.atoms();
         at = first_open(correlations, limit, at + 1, padded)) {
        const auto i = static_cast<Eigen::Index>(at);
        const double* const row = gram_.row(at);
        const double x =
            draw({precision_[i], log_prior_[i], gain_[i]}, correlations[i] + row[i] * code[i], uniform[i], values);
        if (x != 0.0) bench.on.push_back(i);
        if (x == code[i]) continue;
        const double step = x - code[i];
        subtract_rows(&row, &step, 1, padded, correlations);
        code[i] = x;
    }
}

// The Gram matrix of the observed entries differs from signal to signal, and is more expensive than the products with
// the residual.
void OnOffSampler::gappy_signal(const Eigen::Ref<const Vec>& residual, const double* uniform, DrawStream& values,
                                Bench& bench) const {
    const Eigen::Index N = atoms_.cols();
    bench.seen_residual.resize(residual.size());
    bench.seen_atoms.resize(residual.size(), N);
    Eigen::Index seen = 0;
    for (Eigen::Index m = 0; m < residual.size(); ++m) {
        if (std::isnan(residual[m])) continue;
        bench.seen_residual[seen] = residual[m];
        bench.seen_atoms.row(seen++) = atoms_.row(m);
    }
    if (seen == 0) return;
    auto r = bench.seen_residual.head(seen);
    for (Eigen::Index i = 0; i < N; ++i) {
        const auto atom = bench.seen_atoms.col(i).head(seen);
        const double norm2 = atom.squaredNorm();
        const double x = draw(odds(i, norm2), atom.dot(r) + norm2 * bench.code[i], uniform[i], values);
        if (x != 0.0) bench.on.push_back(i);
        if (x == bench.code[i]) continue;
        r -= (x - bench.code[i]) * atom;
        bench.code[i] = x;
    }
}

}  // namespace sbdl
