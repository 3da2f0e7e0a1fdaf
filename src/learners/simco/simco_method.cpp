// SimCO, one round at a time: supports of all signals with the atoms fixed, then all atoms with the supports fixed.
#include "learners/simco/simco_method.hpp"

#include <numbers>
#include <numeric>

#include "base/products.hpp"
#include "learners/rounds/rounds_run.hpp"
#include "learners/rounds/support_fit.hpp"
#include "pass/code_products.hpp"
#include "sbdl/simco.hpp"

namespace sbdl {
namespace {

constexpr double golden = std::numbers::phi - 1.0;  // 0.618
constexpr double most_angle = std::numbers::pi / 2.0;
constexpr double least_angle = 1e-9;
constexpr int narrowings = 4;  // of the bracket: the next step corrects the rest

struct Trial {
    double angle, cost;
};

class SimcoRun final : public PursuitRun {
public:
    SimcoRun(const SignalShare& signals, const SimcoOptions& options, const Context& context)
        : PursuitRun(signals, options, context), options_(options), search_(Y_, threads_) {}

private:
    void update_atoms() override {
        if (Y_.size() == 0) Y_ = signals_.block(0, signals_.count());
        const double mu = options_.mu * std::max(0.0, 1.0 - 2.0 * made_ / options_.sweeps);
        cost_ = search_.solve_codes(D_, mu, pass_);
        for (int step = 0; step < options_.steps; ++step) cost_ = search_.step(mu, cost_, D_, pass_);
    }
    /// The squared norm of all residuals and this round's mu times that of the codes.
    [[nodiscard]] double objective(double) const override { return cost_; }
    void archive_learned(StateArchive& archive) override {
        archive("rounds", made_);
        archive("D", D_);
        archive("search", search_);
        archive("renewal", renewal_);
    }

    SimcoOptions options_;
    Mat Y_;  // dim x signals, read in the first round
    SphereSearch search_;
    double cost_ = 0.0;
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
    const Circles circles(D, 2.0 * residual_products(pass, SharedParts(pass.codes.count()), threads_));
    if (!(circles.steepest > 0.0)) return cost;
    costs_.begin(circles, pass);
    const auto trial = [&](double angle) {
        if (const auto found = costs_.at(angle, mu)) return Trial{angle, *found};
        SparsePass tried = pass;
        return Trial{angle, solve_codes(circles.at(angle), mu, tried)};
    };

    // A bracket low < best < high whose cost in the middle is below that at both ends.
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
        const bool solved = costs_.at(best.angle, mu, &pass.codes).has_value();
        const double reached = solved ? leave_residuals(moved, mu, pass) : solve_codes(moved, mu, pass);
        if (!(reached <= cost)) {  // the gain was only rounding: go back
            pass.codes.value = before;
            return leave_residuals(D, mu, pass);
        }
        D = moved;
        cost = reached;
    }
    return cost;
}

SimcoOptions SimcoOptions::preset(Preset, int atoms) {
    return with_atoms<SimcoOptions>(atoms);
}

void SimcoOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

extern const MethodInfo simco_method = rounds_method<SimcoRun, SimcoOptions>(
    "SimCO", "needs --atoms and either --sparsity or --max-error; all atoms and codes together, by gradient steps");

}  // namespace sbdl
