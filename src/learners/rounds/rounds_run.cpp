#include "learners/rounds/rounds_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "learners/rounds/sparse_model.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

RoundResult round_of(const Mat& D, const SparsePass& pass, AtomRenewal* renewal) {
    const std::vector<double> left = squared_norms(pass.residual);
    const double residual2 = std::accumulate(left.begin(), left.end(), 0.0);
    return {.objective = residual2,
            .residual2 = residual2,
            .mean_nonzeros = mean_nonzeros(pass.codes),
            .replaced = renewal == nullptr ? 0 : renewal->plan(D, pass.codes, AtomUsers(pass.codes), left)};
}

RoundResult l1_round_of(const Mat& D, const Mat& residual, const SparseCodes& codes, double l1, AtomRenewal* renewal) {
    const std::vector<double> left = squared_norms(residual);
    const double residual2 = std::accumulate(left.begin(), left.end(), 0.0);
    return {.objective = 0.5 * residual2 + l1,
            .residual2 = residual2,
            .mean_nonzeros = mean_nonzeros(codes),
            .replaced = renewal == nullptr ? 0 : renewal->plan(D, codes, AtomUsers(codes), left)};
}

SweepReport RoundsRun::sweep() {
    ++made_;
    const RoundResult made = learner_->round(done());
    if (!std::isfinite(made.objective))
        throw NumericError(fmt::format("{}: the objective of sweep {} is {}", plan_.method, made_, made.objective));
    residual_rms_ = plan_.unit * std::sqrt(made.residual2 / plan_.values);
    return {.sweep = made_,
            .phase = Phase::kept,
            .objective = plan_.unit * plan_.unit * made.objective,
            .noise_sd = residual_rms_,
            .atoms_refreshed = made.replaced,
            .mean_nonzeros = made.mean_nonzeros,
            .dictionary = {}};
}

void RoundsRun::finish(TrainResult& result) {
    if (learner_->codes().atom.empty()) result.warnings.push_back(plan_.nothing_learned);
    fill_sparse_model(learner_->dictionary(), learner_->codes(), plan_.unit, residual_rms_, plan_.keep_codes,
                      result.model);
}

void RoundsRun::archive(StateArchive& archive) {
    archive("made", made_);
    archive("learner", *learner_);
}

}  // namespace sbdl
