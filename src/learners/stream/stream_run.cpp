#include "learners/stream/stream_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "learners/start.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

/// A run may be a small part of its stream. Then an atom with few users is not yet stale.
bool enough_seen(const StaleRule& rule, const std::vector<int>& users) {
    constexpr double share = 5.0;  // mean number of users over the required minimum
    const double sum = std::accumulate(users.begin(), users.end(), 0.0);
    return sum >= share * std::max(rule.least_users, 1) * static_cast<double>(users.size());
}

}  // namespace

Mat atoms_of(const Model& model, std::uint64_t seed) {
    Mat D = unit_columns(as_columns(model.dictionary));
    DrawStream draws(seed, {.purpose = Purpose::sparse_start});
    const Mat fresh = atoms_from_signals(0, {}, D.rows(), D.cols(), draws);
    for (Eigen::Index n = 0; n < D.cols(); ++n)
        if (D.col(n).isZero(0.0)) D.col(n) = fresh.col(n);
    return D;
}

StreamStart start_stream(const StreamPlan& plan, const SignalSource& source, const Context& context) {
    StreamStart start{.dictionary = {},
                      .state = {},
                      .model = context.start,
                      .planned = static_cast<double>(plan.passes) * static_cast<double>(source.count()),
                      .threads = resolve_threads(context.execution.threads)};
    if (plan.stream_signals) start.planned = *plan.stream_signals;
    if (context.start == nullptr) {
        start.dictionary = strong_signals({source, plan.coding.unit}, plan.atoms, context.seed);
        return start;
    }
    start.dictionary = atoms_of(*context.start, context.seed);
    if (context.start->method == plan.method) start.state = context.start->stream;
    return start;
}

StreamRun::StreamRun(StreamPlan plan, const SignalShare& signals, const Context& context, const StreamState& before,
                     std::unique_ptr<StreamLearner> learner)
    : plan_(std::move(plan)),
      signals_(signals),
      context_(context),
      learner_(std::move(learner)),
      coder_(plan_.coding, resolve_threads(context.execution.threads)),
      passes_({plan_.passes, plan_.batch, plan_.order}, signals_, context, before.signals_seen),
      pass_tally_(static_cast<std::size_t>(plan_.atoms)),
      users_(before.users) {
    users_.resize(static_cast<std::size_t>(plan_.atoms), 0);
}

bool StreamRun::stream_goes_on() const {
    return plan_.stream_signals && passes_.seen() < static_cast<std::uint64_t>(*plan_.stream_signals);
}

SweepReport StreamRun::sweep() {
    const auto atoms = static_cast<std::size_t>(plan_.atoms);
    if (passes_.at_begin_of_pass()) pass_tally_ = CodeTally(atoms);
    CodeTally tally(atoms);
    int replaced = 0;
    const int number = passes_.sweep([&](const Mat& Y) {
        const SparseCodes& codes = coder_.code(learner_->dictionary(), Y);
        tally.add(Y, codes);
        pass_tally_.add(Y, codes);
        replaced += learner_->learn(Y, codes);
    });
    if (!std::isfinite(tally.residual2()) || !learner_->dictionary().allFinite())
        throw NumericError(fmt::format(
            "{}: sweep {} overflowed (its residuals are {}, its atoms {}): the signals may be "
            "too large or too small",
            plan_.method, number, tally.residual2(), learner_->dictionary().allFinite() ? "finite" : "not"));
    for (std::size_t n = 0; n < atoms; ++n) users_[n] += tally.users()[n];
    if (!done() || (stream_goes_on() && enough_seen(plan_.stale, users_))) {
        replaced += replace_stale(tally);
        users_.assign(atoms, 0);
    }
    return {.sweep = number,
            .phase = Phase::kept,
            .objective = signals_.unit() * signals_.unit() * tally.residual2(),
            .noise_sd = signals_.unit() * tally.residual_rms(signals_.dim()),
            .atoms_refreshed = replaced,
            .mean_nonzeros = tally.mean_nonzeros(),
            .dictionary = {}};
}

int StreamRun::replace_stale(const CodeTally& tally) {
    if (plan_.stale.least_users == 0 && plan_.stale.duplicate_correlation >= 1.0) return 0;
    const auto stale = stale_atoms(learner_->dictionary(), users_, plan_.stale);
    const std::size_t count = std::min(stale.size(), tally.worst().size());
    for (std::size_t i = 0; i < count; ++i) learner_->replace(stale[i], tally.worst()[i].signal.normalized());
    return static_cast<int>(count);
}

Matrix StreamRun::all_codes() {
    const Mat& D = learner_->dictionary();
    Matrix rows(signals_.count(), static_cast<std::size_t>(D.cols()));
    SignalBatches batches(signals_, StreamOrder::stored, plan_.batch, context_);
    batches.begin(0);
    for (std::size_t first = 0; first < signals_.count(); first = batches.taken()) {
        const SparseCodes& codes = coder_.code(D, batches.next());
        for (std::size_t l = 0; l < codes.count(); ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                rows(first + l, codes.atom[k]) = signals_.unit() * codes.value[k];
    }
    return rows;
}

void StreamRun::finish(TrainResult& result) {
    if (!pass_tally_.any())
        result.warnings.emplace_back("every signal is below the permitted error: nothing was learned");
    Model& model = result.model;
    model.dictionary = estimate();
    model.atom_usage = to_vector(signals_.unit() * pass_tally_.usage());
    model.atom_norm.assign(static_cast<std::size_t>(plan_.atoms), 1.0);
    model.noise_sd = signals_.unit() * pass_tally_.residual_rms(signals_.dim());
    model.code_sizes = pass_tally_.sizes();
    model.patch = plan_.patch;
    if (plan_.keep_state) {
        model.stream = learner_->state();
        model.stream.signals_seen = passes_.seen();
        if (stream_goes_on()) model.stream.users = users_;
    }
    if (plan_.keep_codes) model.codes = all_codes();
}

void StreamRun::archive(StateArchive& archive) {
    archive("passes", passes_);
    archive("pass_tally", pass_tally_);
    archive("users", users_);
    archive("learner", *learner_);
}

}  // namespace sbdl
