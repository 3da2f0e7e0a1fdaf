// APrU-DL, one round at a time: codes of all signals with the atoms fixed, then the atoms with their profiles.
#include "learners/apru/apru_method.hpp"

#include <numeric>

#include "coders/fista.hpp"
#include "learners/rounds/rounds_run.hpp"
#include "learners/rounds/support_fit.hpp"
#include "options/option_name.hpp"
#include "random/stream.hpp"
#include "sbdl/apru.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr std::size_t profile_block = 1024;
constexpr double least_fitted_code = 1e-5;  // of the signals' root mean square: smaller codes are dropped first
constexpr double ridge = 1e-4;              // of that fit, whose atoms have unit norm

struct Weights {
    double lambda, lambda_s;
};

Weights weights(const ApruOptions& options) {
    if (options.parameters == ApruParameters::f) return {0.2, 0.15};
    if (options.parameters == ApruParameters::l) return {0.4, 0.4};
    return {options.lambda.value_or(0.0), options.lambda_s.value_or(0.0)};
}

/// Fits the values of a code again, without the pull towards zero. The lasso has chosen the atoms.
void refit(SupportFit& fit, const double* correlations, Eigen::Ref<Vec> code) {
    std::vector<std::uint32_t> atoms;
    for (Eigen::Index n = 0; n < code.size(); ++n)
        if (std::abs(code[n]) > least_fitted_code) atoms.push_back(static_cast<std::uint32_t>(n));
    std::vector<double> values(atoms.size());
    fit.solve(atoms, correlations, ridge, values);
    code.setZero();
    for (std::size_t k = 0; k < atoms.size(); ++k) code[atoms[k]] = values[k];
}

class ApruRun final : public RoundsRun {
public:
    ApruRun(const SignalShare& signals, const ApruOptions& options, const Context& context)
        : RoundsRun(signals, options, context),
          options_(options),
          seed_(context.seed),
          rounds_(context.start != nullptr ? static_cast<std::uint32_t>(context.start->trace.sweep.size()) : 0),
          lambda_(weights(options).lambda / signals.unit()),
          lambda_s_(weights(options).lambda_s / signals.unit()),
          profiles_(Mat::Zero(static_cast<Eigen::Index>(signals.count()), options.atoms)),
          fit_(lambda_, threads_) {
        pass_.residual.resize(signals.dim(), profiles_.rows());
    }

private:
    void round(const std::vector<Eigen::Index>& renewed) override {
        for (const Eigen::Index n : renewed) profiles_.col(n).setZero();
        code();
        const std::vector<Eigen::Index> order = random_order();
        for (int pass = 0; pass < options_.passes; ++pass)
            for (const Eigen::Index n : order) fit_.refit(n, D_, profiles_, pass_.residual);
        ++rounds_;
        pass_.codes = sparse_codes(profiles_.transpose());
    }
    /// What the profiles lower, 1/2 ||Y - D X||^2 + lambda ||X||_1.
    [[nodiscard]] double objective(double residual2) const override {
        return 0.5 * residual2 + lambda_ * profiles_.lpNorm<1>();
    }
    void archive_learned(StateArchive& archive) override {
        archive("rounds", rounds_);
        archive("D", D_);
        archive("profiles", profiles_);
        archive("codes", pass_.codes);
        archive("renewal", renewal_);
    }

    void code() {
        const Fista fista(D_, Fista::cheaper(D_, mean_nonzeros(pass_.codes)));
        Mat gram(D_.cols(), D_.cols());
        multiply_transposed(D_, D_, gram);
        signals_.each_block(fista_block, threads_, [&](std::size_t first, const Mat& Y, int) {
            const auto row = static_cast<Eigen::Index>(first);
            Mat X = profiles_.middleRows(row, Y.cols()).transpose();
            fista.code(Y, lambda_s_, {options_.steps, 0.0}, X);
            Mat correlations(D_.cols(), Y.cols());
            multiply_transposed(D_, Y, correlations);
            SupportFit fit(gram);
            for (Eigen::Index i = 0; i < X.cols(); ++i) refit(fit, correlations.col(i).data(), X.col(i));
            profiles_.middleRows(row, Y.cols()) = X.transpose();
            pass_.residual.middleCols(row, Y.cols()) = Y;
            multiply(D_, X, pass_.residual.middleCols(row, Y.cols()), -1.0, 1.0);
        });
    }

    [[nodiscard]] std::vector<Eigen::Index> random_order() const {
        std::vector<Eigen::Index> order(static_cast<std::size_t>(D_.cols()));
        std::iota(order.begin(), order.end(), Eigen::Index{0});
        DrawStream draws(seed_, {.purpose = Purpose::apru_order, .sweep = rounds_});
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
        return order;
    }

    ApruOptions options_;
    std::uint64_t seed_;
    std::uint32_t rounds_;  // made so far, earlier runs included
    double lambda_, lambda_s_;
    Mat profiles_;  // signals x atoms
    ProfileFit fit_;
};

}  // namespace

void ProfileFit::refit(Eigen::Index n, Mat& D, Mat& profiles, Mat& residual) {
    const Blocks blocks(static_cast<std::size_t>(residual.cols()), profile_block);
    const double work = static_cast<double>(residual.rows()) * static_cast<double>(residual.cols());
    const int team = work < worth_threads_ ? 1 : threads_;
    auto x = profiles.col(n);
    const Vec old = D.col(n);
    const double norm2 = old.squaredNorm();
    before_ = x;
    parts_.resize(blocks.number());
    parallel_for(blocks, team, [&](const IndexRange& block, int) {
        Part& part = parts_[block.number];
        const auto first = static_cast<Eigen::Index>(block.first), count = static_cast<Eigen::Index>(block.size);
        auto here = profiles.block(first, n, count, 1);
        multiply_transposed(residual.middleCols(first, count), old, here);
        here += norm2 * before_.segment(first, count);  // now E^T d
        soften(here, lambda_);
        part.users.resize(block.size);
        std::size_t users = 0;
        for (Eigen::Index l = first; l < first + count; ++l) {  // without branches, which would be unpredictable
            part.users[users] = l;
            users += static_cast<std::size_t>(x[l] != 0.0) | static_cast<std::size_t>(before_[l] != 0.0);
        }
        part.users.resize(users);
        part.sum = before_.segment(first, count).dot(x.segment(first, count)) * old;
        for (const Eigen::Index l : part.users) part.sum += x[l] * residual.col(l);
    });
    for (std::size_t index = 1; index < parts_.size(); ++index) parts_[0].sum += parts_[index].sum;
    const double norm = parts_[0].sum.norm();
    // Otherwise no signal uses it now: its share is back in the residuals, and the atom stays.
    if (norm > 0.0) D.col(n) = parts_[0].sum / norm;
    parallel_for(parts_.size(), team, [&](std::size_t index, int) {
        for (const Eigen::Index l : parts_[index].users) residual.col(l) += before_[l] * old - x[l] * D.col(n);
    });
}

ApruOptions ApruOptions::preset(Preset, int atoms) {
    return with_atoms<ApruOptions>(atoms);
}

void ApruOptions::check() const {
    const bool own = parameters == ApruParameters::own;
    const auto check_weight = [&](const char* name, const char* meaning, bool given) {
        if (own && !given)
            throw InputError(fmt::format("apru: {} ({}) is missing; give {} and {}, or {} f or l for the paper's",
                                         option_name(name), meaning, option_name("lambda"), option_name("lambda_s"),
                                         option_name("parameters")));
        if (!own && given)
            throw InputError(fmt::format("apru: give either {} or {} {}, not both", option_name(name),
                                         option_name("parameters"), to_string(parameters)));
    };
    check_weight("lambda", "the weight of the codes while atoms are updated", lambda.has_value());
    check_weight("lambda_s", "the weight of the codes while signals are coded", lambda_s.has_value());
}

extern const MethodInfo apru_method = rounds_method<ApruRun, ApruOptions>(
    "APrU-DL", "needs --atoms, --lambda and --lambda-s, or --parameters; infers neither noise nor weights");

}  // namespace sbdl
