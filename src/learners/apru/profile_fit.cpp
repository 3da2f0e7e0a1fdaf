#include "learners/apru/profile_fit.hpp"

#include <algorithm>
#include <functional>

#include "base/parallel.hpp"
#include "base/products.hpp"
#include "coders/fista.hpp"

namespace sbdl {
namespace {

constexpr Eigen::Index profile_part = 1024;

}  // namespace

void ProfileFit::refit(Eigen::Index n, Mat& D, Mat& profiles, Mat& residual) {
    const Eigen::Index signals = residual.cols();
    const auto parts = static_cast<std::size_t>((signals + profile_part - 1) / profile_part);
    const double work = static_cast<double>(residual.rows()) * static_cast<double>(signals);
    const auto each = [&](const std::function<void(std::size_t part, Eigen::Index first, Eigen::Index count)>& body) {
        parallel_for(parts, work < worth_threads_ ? 1 : threads_, [&](std::size_t part, int) {
            const Eigen::Index first = static_cast<Eigen::Index>(part) * profile_part;
            body(part, first, std::min(profile_part, signals - first));
        });
    };
    auto x = profiles.col(n);
    const Vec old = D.col(n);
    sums_.assign(parts, Vec::Zero(D.rows()));
    each([&](std::size_t part, Eigen::Index first, Eigen::Index count) {
        for (Eigen::Index l = first; l < first + count; ++l)
            if (x[l] != 0.0) residual.col(l) += x[l] * old;
        multiply_transposed(residual.middleCols(first, count), old, profiles.block(first, n, count, 1));
        soften(profiles.block(first, n, count, 1), lambda_);
        for (Eigen::Index l = first; l < first + count; ++l)
            if (x[l] != 0.0) sums_[part] += x[l] * residual.col(l);
    });
    for (std::size_t part = 1; part < parts; ++part) sums_[0] += sums_[part];
    const double norm = sums_[0].norm();
    if (!(norm > 0.0)) return;  // nobody wants it now: its share is back in the residuals, and the atom waits
    D.col(n) = sums_[0] / norm;
    each([&](std::size_t, Eigen::Index first, Eigen::Index count) {
        for (Eigen::Index l = first; l < first + count; ++l)
            if (x[l] != 0.0) residual.col(l) -= x[l] * D.col(n);
    });
}

}  // namespace sbdl
