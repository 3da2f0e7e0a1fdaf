#include "learners/rls/rls_learner.hpp"

#include <cmath>

#include "sbdl/rls.hpp"

namespace sbdl {

void RlsLearner::follow(const Eigen::Ref<const Vec>& y, const SparseCodes& codes, std::size_t l, double kept) {
    u_.setZero(D_.cols());
    r_ = y;
    for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) {
        u_ += (codes.value[k] / kept) * C_.col(codes.atom[k]);
        r_ -= codes.value[k] * D_.col(codes.atom[k]);
    }
    double wu = 0.0;
    for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) wu += codes.value[k] * u_[codes.atom[k]];
    const double t = 1.0 / (1.0 + wu);
    D_.noalias() += (t * r_) * u_.transpose();
    if (kept != 1.0) C_ /= kept;
    C_.noalias() -= (t * u_) * u_.transpose();
}

void RlsLearner::tidy() {
    constexpr double most_doubt = 1e8;  // bound on C's diagonal, which starts at 1
    C_ = (0.5 * (C_ + C_.transpose())).eval();
    for (Eigen::Index n = 0; n < D_.cols(); ++n) {
        const double norm = D_.col(n).norm();
        double scale = norm > 0.0 ? 1.0 / norm : 1.0;
        if (norm > 0.0) D_.col(n) *= scale;
        const double doubt = C_(n, n) * scale * scale;
        if (doubt > most_doubt) scale *= std::sqrt(most_doubt / doubt);
        C_.row(n) *= scale;
        C_.col(n) *= scale;
    }
}

int RlsLearner::learn(const Mat& Y, const SparseCodes& codes) {
    for (std::size_t l = 0; l < codes.count(); ++l, seen_ += 1.0)
        follow(Y.col(static_cast<Eigen::Index>(l)), codes, l, kept_after_(seen_));
    tidy();
    return 0;
}

void RlsLearner::replace(Eigen::Index atom, const Vec& by) {
    StreamLearner::replace(atom, by);
    C_.row(atom).setZero();
    C_.col(atom).setZero();
    C_(atom, atom) = 1.0;
}

StreamState RlsLearner::state() const {
    return {.signals_seen = 0, .code_products = to_rows(C_), .signal_products = {}};
}

void RlsLearner::archive(StateArchive& archive) {
    StreamLearner::archive(archive);
    archive("C", C_);
    archive("seen", seen_);
}

RlsOptions RlsOptions::preset(Preset which, int atoms) {
    return stream_preset<RlsOptions>(which, atoms);
}

void RlsOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

namespace {

std::unique_ptr<StreamLearner> make_rls(const RlsOptions& options, const StreamStart& start, double,
                                        const SignalSource&) {
    const Mat& D = start.dictionary;
    Mat C = Mat::Identity(D.cols(), D.cols());
    if (!start.state.code_products.empty()) C = as_columns(start.state.code_products);
    const double until = options.forget_share * start.planned;
    const auto kept_after = [options, until](double seen) {
        if (seen >= until) return 1.0;
        return 1.0 - (1.0 - options.forgetting) * std::pow(1.0 - seen / until, options.forget_power);
    };
    return std::make_unique<RlsLearner>(D, std::move(C), start.state.signals_seen, kept_after);
}

BegunRun begin_rls(const RunInput& input) {
    return begin_stream<RlsOptions>({}, sample_unit, make_rls, input);
}

}  // namespace

extern const MethodInfo rls_method = stream_method<RlsOptions>(
    "RLS-DLA", "needs --atoms and either --sparsity or --max-error; recursive least squares, also for huge files",
    begin_rls);

}  // namespace sbdl
