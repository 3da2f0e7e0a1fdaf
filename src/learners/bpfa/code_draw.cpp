#include "learners/bpfa/code_draw.hpp"

#include <cmath>

namespace sbdl {

/// The draws of one signal's entries.
class CodeDraw::Entries {
public:
    Entries(const CodeDraw& of, std::size_t signal)
        : of_(of),
          noise_precision_(of.state_.noise_precision),
          code_precision_(of.state_.code_precision),
          supports_(of.draw_.seed, {Purpose::bpfa_support, of.draw_.sweep, of.draw_.chain, signal}),
          values_(of.draw_.seed, {Purpose::bpfa_value, of.draw_.sweep, of.draw_.chain, signal}) {}

    /// The new value of atom n's entry: 0 when it is off. c without the entry's own share; norm2 = d^T d.
    double draw(Eigen::Index n, double c, double norm2) {
        const double precision = code_precision_ + noise_precision_ * norm2;
        const double pull = noise_precision_ * c;
        const double log_odds =
            of_.prior_log_odds_[n] + 0.5 * (std::log(code_precision_ / precision) + pull * pull / precision);
        const double uniform = supports_.uniform();
        if (log_odds < never_on || uniform * (1.0 + std::exp(-log_odds)) >= 1.0) return 0.0;
        return pull / precision + values_.normal() / std::sqrt(precision);
    }

private:
    static constexpr double never_on = -40.0;  // below the smallest uniform number

    const CodeDraw& of_;
    double noise_precision_, code_precision_;
    DrawStream supports_, values_;
};

CodeDraw::CodeDraw(const BpfaState& state, const BpfaDraw& draw)
    : state_(state),
      draw_(draw),
      gram_(state.D.transpose() * state.D),
      prior_log_odds_((state.probability.array() / (1.0 - state.probability.array())).log()) {}

void CodeDraw::block(std::size_t first, Eigen::Ref<Mat> signals, const SparseCodes& old, SparseCodes& drawn,
                     Bench& bench) const {
    const Mat& D = state_.D;
    bench.residual = signals;
    for (Eigen::Index i = 0; i < signals.cols(); ++i) {
        const std::size_t l = first + static_cast<std::size_t>(i);
        for (std::size_t k = old.start[l]; k < old.start[l + 1]; ++k)
            bench.residual.col(i) -= old.value[k] * D.col(old.atom[k]);
    }
    bench.correlations.noalias() = D.transpose() * bench.residual;

    for (Eigen::Index i = 0; i < signals.cols(); ++i) {
        const std::size_t l = first + static_cast<std::size_t>(i);
        bench.code.setZero(D.cols());
        for (std::size_t k = old.start[l]; k < old.start[l + 1]; ++k) bench.code[old.atom[k]] = old.value[k];
        Entries entries(*this, l);
        auto signal = signals.col(i);
        if (!signal.hasNaN())
            complete_signal(entries, bench.correlations.col(i), bench.code);
        else
            gappy_signal(entries, bench.residual.col(i), bench);
        for (Eigen::Index n = 0; n < D.cols(); ++n) {
            if (bench.code[n] == 0.0) continue;
            drawn.atom.push_back(static_cast<std::uint32_t>(n));
            drawn.value.push_back(bench.code[n]);
            signal -= bench.code[n] * D.col(n);
        }
        drawn.start.push_back(drawn.atom.size());
        signal = signal.array().isNaN().select(0.0, signal.array()).matrix();
    }
}

// The correlations of the residual with all atoms follow each change by a column of the Gram matrix.
void CodeDraw::complete_signal(Entries& entries, Eigen::Ref<Vec> correlations, Vec& code) const {
    const Eigen::Index N = code.size();
    for (Eigen::Index i = 0; i < N; ++i) {
        const Eigen::Index n = (i + draw_.sweep) % N;  // another entry goes first each time
        const double norm2 = gram_(n, n);
        const double x = entries.draw(n, correlations[n] + norm2 * code[n], norm2);
        if (x == code[n]) continue;
        correlations -= (x - code[n]) * gram_.col(n);
        code[n] = x;
    }
}

// The Gram matrix of what is observed is this signal's own, and dearer than the products with the residual.
void CodeDraw::gappy_signal(Entries& entries, const Eigen::Ref<const Vec>& residual, Bench& bench) const {
    const Mat& D = state_.D;
    const Eigen::Index N = D.cols();
    bench.seen_residual.resize(residual.size());
    bench.seen_atoms.resize(residual.size(), N);
    Eigen::Index seen = 0;
    for (Eigen::Index m = 0; m < residual.size(); ++m) {
        if (std::isnan(residual[m])) continue;
        bench.seen_residual[seen] = residual[m];
        bench.seen_atoms.row(seen++) = D.row(m);
    }
    if (seen == 0) {
        bench.code.setZero();
        return;
    }
    auto r = bench.seen_residual.head(seen);
    for (Eigen::Index i = 0; i < N; ++i) {
        const Eigen::Index n = (i + draw_.sweep) % N;
        const auto atom = bench.seen_atoms.col(n).head(seen);
        const double norm2 = atom.squaredNorm();
        const double x = entries.draw(n, atom.dot(r) + norm2 * bench.code[n], norm2);
        if (x == bench.code[n]) continue;
        r -= (x - bench.code[n]) * atom;
        bench.code[n] = x;
    }
}

}  // namespace sbdl
