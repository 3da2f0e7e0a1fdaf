// Majorization, one round at a time: steps of the codes with the atoms fixed, then steps of the atoms with the codes
// fixed.
#include "learners/majorization/majorization_method.hpp"

#include <fmt/format.h>

#include "coders/fista.hpp"
#include "learners/rounds/rounds_run.hpp"
#include "options/option_name.hpp"
#include "pass/code_products.hpp"
#include "sbdl/error.hpp"
#include "sbdl/majorization.hpp"

namespace sbdl {
namespace {

class MajorizationRun final : public RoundsRun {
public:
    MajorizationRun(const SignalShare& signals, const MajorizationOptions& options, const Context& context)
        : RoundsRun(signals, options, context),
          options_(options),
          lambda_(options.lambda.value_or(0.0) / signals.unit()),
          X_(Mat::Zero(options.atoms, static_cast<Eigen::Index>(signals.count()))) {
        pass_.residual.resize(signals.dim(), X_.cols());
    }

private:
    void round(const std::vector<Eigen::Index>& renewed) override {
        for (const Eigen::Index n : renewed) X_.row(n).setZero();
        step_codes();
        update_atoms();
        update_residual();
        pass_.codes = sparse_codes(X_);
    }
    /// 1/2 ||Y - D X||^2 + lambda ||X||_1, which never rises while no atom is replaced.
    [[nodiscard]] double objective(double residual2) const override {
        return 0.5 * residual2 + lambda_ * X_.lpNorm<1>();
    }
    void archive_learned(StateArchive& archive) override {
        archive("D", D_);
        archive("X", X_);
        archive("codes", pass_.codes);
        archive("renewal", renewal_);
    }

    /// X <- soft(X + D^T (Y - D X) / c, lambda / c): the minimiser of an upper bound that touches the objective at X.
    void step_codes() {
        const Fista fista(D_, Fista::cheaper(D_, mean_nonzeros(pass_.codes)));
        signals_.each_block(fista_block, threads_, [&](std::size_t first, const Mat& Y, int) {
            fista.plain_steps(Y, lambda_, {options_.steps, options_.tolerance},
                              X_.middleCols(static_cast<Eigen::Index>(first), Y.cols()));
        });
    }

    void update_atoms() {
        const std::size_t parts = signal_parts(signals_.count());
        std::vector<Mat> x_xt(parts, Mat::Zero(D_.cols(), D_.cols())), y_xt(parts, Mat::Zero(D_.rows(), D_.cols()));
        for_each_signal_part(signals_.count(), threads_, [&](std::size_t part, std::size_t first, std::size_t count) {
            for (std::size_t l = first; l < first + count; l += fista_block) {
                const Mat Y = signals_.block(l, std::min(fista_block, first + count - l));
                const auto X = X_.middleCols(static_cast<Eigen::Index>(l), Y.cols());
                multiply_by_transposed(X, X, x_xt[part], 1.0, 1.0);
                multiply_by_transposed(Y, X, y_xt[part], 1.0, 1.0);
            }
        });
        for (std::size_t part = 1; part < parts; ++part) {
            x_xt[0] += x_xt[part];
            y_xt[0] += y_xt[part];
        }
        step_atoms(x_xt[0], y_xt[0], options_.steps, options_.tolerance, D_);
    }

    void update_residual() {
        signals_.each_block(fista_block, threads_, [&](std::size_t first, const Mat& Y, int) {
            const auto column = static_cast<Eigen::Index>(first);
            auto residual = pass_.residual.middleCols(column, Y.cols());
            residual = Y;
            multiply(D_, X_.middleCols(column, Y.cols()), residual, -1.0, 1.0);
        });
    }

    MajorizationOptions options_;
    double lambda_;
    Mat X_;  // atoms x signals
};

}  // namespace

void step_atoms(const Mat& x_xt, const Mat& y_xt, int steps, double tolerance, Mat& D) {
    const Eigen::SelfAdjointEigenSolver<Mat> solver(x_xt, Eigen::EigenvaluesOnly);
    constexpr double rounding = 1e-12;
    const double curvature = (1.0 + rounding) * solver.eigenvalues().maxCoeff();
    if (!(curvature > 0.0)) return;
    Mat next(D.rows(), D.cols());
    for (int step = 0; step < steps; ++step) {
        next = D + y_xt / curvature;
        multiply(D, x_xt, next, -1.0 / curvature, 1.0);
        for (Eigen::Index n = 0; n < D.cols(); ++n) {
            const double norm = next.col(n).norm();
            if (x_xt(n, n) > 0.0 && norm > 0.0)
                next.col(n) /= norm;
            else
                next.col(n) = D.col(n);
        }
        const double moved = (next - D).lpNorm<Eigen::Infinity>();
        D.swap(next);
        if (moved <= tolerance) break;
    }
}

MajorizationOptions MajorizationOptions::preset(Preset, int atoms) {
    return with_atoms<MajorizationOptions>(atoms);
}

void MajorizationOptions::check() const {
    if (!lambda)
        throw InputError(
            fmt::format("majorization: {} (the weight of the codes' absolute values, in the signals' units) is missing",
                        option_name("lambda")));
}

extern const MethodInfo majorization_method = [] {
    MethodInfo info = rounds_method<MajorizationRun, MajorizationOptions>(
        "the majorization method",
        "needs --atoms and --lambda, the weight of the codes; infers neither noise nor weight");
    info.for_synthetic = [](int atoms, int) -> AnyOptions {
        MajorizationOptions options = MajorizationOptions::preset(Preset::standard, atoms);
        options.lambda = 0.2;  // as APrU-DL-F has it
        return options;
    };
    return info;
}();

}  // namespace sbdl
