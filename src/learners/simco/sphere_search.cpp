#include "learners/simco/sphere_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/products.hpp"
#include "learners/rounds/support_fit.hpp"
#include "learners/simco/circles.hpp"
#include "pass/code_products.hpp"

namespace sbdl {
namespace {

constexpr double golden = std::numbers::phi - 1.0;  // 0.618
constexpr double most_angle = std::numbers::pi / 2.0;
constexpr double least_angle = 1e-9;
constexpr int narrowings = 4;  // of the bracket: the next step corrects the rest

struct Trial {
    double angle, cost;
};

}  // namespace

double SphereSearch::solve_codes(const Mat& D, double mu, SparsePass& pass) const {
    Mat gram(D.cols(), D.cols());
    multiply_transposed(D, D, gram);
    SparseCodes& codes = pass.codes;
    for_each_signal_part(codes.count(), threads_, [&](std::size_t, std::size_t first, std::size_t count) {
        SupportFit fit(gram);
        Vec correlations(D.cols());
        for (std::size_t l = first; l < first + count; ++l) {
            const std::size_t start = codes.start[l], size = codes.start[l + 1] - start;
            const auto atoms = std::span(codes.atom).subspan(start, size);
            for (const auto n : atoms) correlations[n] = D.col(n).dot(Y_.col(static_cast<Eigen::Index>(l)));
            fit.solve(atoms, correlations.data(), mu, std::span(codes.value).subspan(start, size));
        }
    });
    return leave_residuals(D, mu, pass);
}

double SphereSearch::leave_residuals(const Mat& D, double mu, SparsePass& pass) const {
    const SparseCodes& codes = pass.codes;
    std::vector<double> costs(signal_parts(codes.count()), 0.0);
    for_each_signal_part(codes.count(), threads_, [&](std::size_t part, std::size_t first, std::size_t count) {
        for (std::size_t l = first; l < first + count; ++l) {
            auto left = pass.residual.col(static_cast<Eigen::Index>(l));
            left = Y_.col(static_cast<Eigen::Index>(l));
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) {
                left -= codes.value[k] * D.col(codes.atom[k]);
                costs[part] += mu * codes.value[k] * codes.value[k];
            }
            costs[part] += left.squaredNorm();
        }
    });
    return std::accumulate(costs.begin(), costs.end(), 0.0);
}

double SphereSearch::step(double mu, double cost, Mat& D, SparsePass& pass) {
    const Circles circles(D, 2.0 * residual_products(pass, threads_));
    if (!(circles.steepest > 0.0)) return cost;
    const bool quick = costs_.begin(circles, pass);
    const auto trial = [&](double angle) {
        if (quick)
            if (const auto found = costs_.at(angle, mu)) return Trial{angle, *found};
        SparsePass tried = pass;
        return Trial{angle, solve_codes(circles.at(angle), mu, tried)};
    };

    // A bracket low < best < high whose middle is below both ends.
    Trial low{0.0, cost};
    Trial best = trial(angle_);
    Trial high = best;
    while (!(best.cost < cost) && best.angle > least_angle) {
        high = best;
        best = trial(0.25 * best.angle);
    }
    if (best.cost < cost) {
        while (high.angle <= best.angle && best.angle < most_angle) {
            high = trial(std::min(best.angle * 2.0, most_angle));
            if (high.cost < best.cost) {
                low = best;
                best = high;
            }
        }
        for (int i = 0; i < narrowings; ++i) {
            const bool left = best.angle - low.angle > high.angle - best.angle;
            const double far = left ? low.angle : high.angle;
            const Trial next = trial(best.angle + (1.0 - golden) * (far - best.angle));
            if (next.cost < best.cost) {
                (left ? high : low) = best;
                best = next;
            } else {
                (left ? low : high) = next;
            }
        }
        angle_ = std::clamp(best.angle, 10.0 * least_angle, most_angle);
        const Mat moved = circles.at(best.angle);
        const std::vector<double> before = pass.codes.value;
        const bool solved = quick && costs_.at(best.angle, mu, &pass.codes);
        const double reached = solved ? leave_residuals(moved, mu, pass) : solve_codes(moved, mu, pass);
        if (!(reached <= cost)) {  // the gain was rounding: back
            pass.codes.value = before;
            return leave_residuals(D, mu, pass);
        }
        D = moved;
        cost = reached;
    }
    return cost;
}

}  // namespace sbdl
