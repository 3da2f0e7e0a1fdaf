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
    const double norm2 = old.squaredNorm();
    before_ = x;
    parts_.resize(parts);
    each([&](std::size_t index, Eigen::Index first, Eigen::Index count) {
        Part& part = parts_[index];
        auto here = profiles.block(first, n, count, 1);
        multiply_transposed(residual.middleCols(first, count), old, here);
        here += norm2 * before_.segment(first, count);  // now E^T d
        soften(here, lambda_);
        part.users.resize(static_cast<std::size_t>(count));
        std::size_t users = 0;
        for (Eigen::Index l = first; l < first + count; ++l) {  // listed without branches, which could not be predicted
            part.users[users] = l;
            users += static_cast<std::size_t>(x[l] != 0.0) | static_cast<std::size_t>(before_[l] != 0.0);
        }
        part.users.resize(users);
        part.sum = before_.segment(first, count).dot(x.segment(first, count)) * old;
        for (const Eigen::Index l : part.users) part.sum += x[l] * residual.col(l);
    });
    for (std::size_t index = 1; index < parts; ++index) parts_[0].sum += parts_[index].sum;
    const double norm = parts_[0].sum.norm();
    // Otherwise no signal uses it now: its share is back in the residuals, and the atom stays.
    if (norm > 0.0) D.col(n) = parts_[0].sum / norm;
    each([&](std::size_t index, Eigen::Index, Eigen::Index) {
        for (const Eigen::Index l : parts_[index].users) residual.col(l) += before_[l] * old - x[l] * D.col(n);
    });
}

}  // namespace sbdl
