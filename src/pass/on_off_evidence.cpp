#include "pass/on_off_evidence.hpp"

#include <cmath>
#include <limits>

namespace sbdl {

OnOffEvidence::OnOffEvidence(const OnOffState& state)
    : state_(state), log_odds_((state.probability.array() / (1.0 - state.probability.array())).log()) {}

OnOffEvidence::System OnOffEvidence::system(const Eigen::Ref<const Vec>& signal,
                                            std::span<const std::uint32_t> on) const {
    const double e = state_.noise_precision, g = state_.code_precision;
    const Vec seen = signal.unaryExpr([](double value) { return std::isnan(value) ? 0.0 : 1.0; });
    const Vec y = signal.unaryExpr([](double value) { return std::isnan(value) ? 0.0 : value; });
    Mat atoms(signal.size(), static_cast<Eigen::Index>(on.size()));
    for (Eigen::Index i = 0; i < atoms.cols(); ++i)
        atoms.col(i) = seen.cwiseProduct(state_.D.col(on[static_cast<std::size_t>(i)]));
    Mat A = e / g * (atoms.transpose() * atoms);
    A.diagonal().array() += 1.0;
    return {Eigen::LLT<Mat>(A), e / std::sqrt(g) * (atoms.transpose() * y)};
}

// (b^T A^-1 b - ln det A - e y^T y) / 2, without what depends on neither z nor y.
double OnOffEvidence::operator()(const Eigen::Ref<const Vec>& signal, std::span<const std::uint32_t> on) const {
    const auto [root, b] = system(signal, on);
    double sum = 0.0;
    for (const double value : signal)
        if (!std::isnan(value)) sum -= 0.5 * state_.noise_precision * value * value;
    for (const std::uint32_t n : on) sum += log_odds_[n];
    sum += 0.5 * root.matrixL().solve(b).squaredNorm() - root.matrixLLT().diagonal().array().log().sum();
    return std::isnan(sum) ? -std::numeric_limits<double>::infinity() : sum;
}

Vec OnOffEvidence::values(const Eigen::Ref<const Vec>& signal, std::span<const std::uint32_t> on,
                          DrawStream& draws) const {
    const auto [root, b] = system(signal, on);
    const Vec normal = Vec::NullaryExpr(b.size(), [&] { return draws.normal(); });
    return root.matrixU().solve(root.matrixL().solve(b) + normal) / std::sqrt(state_.code_precision);
}

}  // namespace sbdl
