#include "learners/sgd/sgd_learner.hpp"

#include <algorithm>
#include <cmath>

#include "sbdl/sgd.hpp"

namespace sbdl {

int SgdLearner::learn(const Mat& Y, const SparseCodes& codes) {
    Vec r(D_.rows());
    for (std::size_t l = 0; l < codes.count(); ++l, seen_ += 1.0) {
        r = Y.col(static_cast<Eigen::Index>(l));
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) r -= codes.value[k] * D_.col(codes.atom[k]);
        const double rate = rate_at_(seen_);
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) {
            auto atom = D_.col(codes.atom[k]);
            atom += (rate * codes.value[k]) * r;
            const double norm = atom.norm();
            if (norm > 0.0) atom /= norm;
        }
    }
    return 0;
}

SgdOptions SgdOptions::preset(Preset which, int atoms) {
    return stream_preset<SgdOptions>(which, atoms);
}

void SgdOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

namespace {

std::unique_ptr<StreamLearner> make_sgd(const SgdOptions& options, const StreamStart& start, double,
                                        const SignalSource& source) {
    // Rates are given for signals of unit mean squared norm; here the mean squared norm is the dimension.
    const double scale = 1.0 / static_cast<double>(source.dim());
    const auto rate_at = [options, scale, planned = start.planned](double seen) {
        return scale * options.first_rate *
               std::pow(options.last_rate / options.first_rate, std::min(1.0, seen / planned));
    };
    return std::make_unique<SgdLearner>(start.dictionary, start.state.signals_seen, rate_at);
}

BegunRun begin_sgd(const RunInput& input) {
    StreamPlan plan;
    plan.coding.pursuit = Pursuit::ormp;
    return begin_stream<SgdOptions>(plan, sample_unit, make_sgd, input);
}

}  // namespace

extern const MethodInfo sgd_method = stream_method<SgdOptions>(
    "stochastic gradient descent",
    "needs --atoms and either --sparsity or --max-error; small steps after each signal, also for huge files",
    begin_sgd);

}  // namespace sbdl
