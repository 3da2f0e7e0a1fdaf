#include "learners/stream/stream_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "learners/gibbs/posterior_average.hpp"
#include "learners/start.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_in_sweep = 65'536;  // at most: a longer pass has several, so that observers are asked
constexpr std::size_t most_replaced = 8;          // at the end of a sweep
constexpr double rounding = 1e-10;                // a residual below this, where signals have a root mean square of 1

/// What the codes have shown since it was last cleared.
class CodeTally {
public:
    explicit CodeTally(std::size_t atoms) : users_(atoms, 0), energy_(Vec::Zero(static_cast<Eigen::Index>(atoms))) {}

    void add(const Mat& Y, const SparseCodes& codes) {
        signals_ += static_cast<double>(codes.count());
        for (std::size_t k = 0; k < codes.atom.size(); ++k) {
            ++users_[codes.atom[k]];
            energy_[codes.atom[k]] += codes.value[k] * codes.value[k];
        }
        for (std::size_t l = 0; l < codes.count(); ++l) {
            residual2_ += codes.residual_norm[l] * codes.residual_norm[l];
            const std::size_t size = codes.start[l + 1] - codes.start[l];
            if (size >= sizes_.size()) sizes_.resize(size + 1, 0);
            ++sizes_[size];
            offer(codes.residual_norm[l], Y.col(static_cast<Eigen::Index>(l)));
        }
        entries_ += static_cast<double>(codes.atom.size());
    }

    [[nodiscard]] double residual2() const { return residual2_; }
    [[nodiscard]] double mean_nonzeros() const { return entries_ / signals_; }
    [[nodiscard]] double residual_rms(Eigen::Index dim) const {
        return std::sqrt(residual2_ / (signals_ * static_cast<double>(dim)));
    }
    [[nodiscard]] const std::vector<int>& users() const { return users_; }
    [[nodiscard]] const std::vector<int>& sizes() const { return sizes_; }
    [[nodiscard]] Vec usage() const { return (energy_ / signals_).cwiseSqrt(); }
    [[nodiscard]] bool any() const { return entries_ > 0.0; }

    struct Worst {
        double residual;
        Vec signal;
    };
    /// The worst represented signals, worst first.
    [[nodiscard]] const std::vector<Worst>& worst() const { return worst_; }

private:
    void offer(double residual, const Eigen::Ref<const Vec>& signal) {
        if (!(residual > rounding) || (worst_.size() == most_replaced && residual <= worst_.back().residual)) return;
        if (worst_.size() == most_replaced) worst_.pop_back();
        const auto place = std::find_if(worst_.begin(), worst_.end(),
                                        [residual](const Worst& other) { return other.residual < residual; });
        worst_.insert(place, {residual, signal});
    }

    double signals_ = 0.0, entries_ = 0.0, residual2_ = 0.0;
    std::vector<int> users_, sizes_;
    Vec energy_;
    std::vector<Worst> worst_;
};

/// A run may be a small part of its stream: then an atom with few users is no stale one yet.
bool enough_seen(const StaleRule& rule, const std::vector<int>& users) {
    constexpr double share = 5.0;  // mean users over the least there must be
    const double sum = std::accumulate(users.begin(), users.end(), 0.0);
    return sum >= share * std::max(rule.least_users, 1) * static_cast<double>(users.size());
}

int replace_stale(const StaleRule& rule, const std::vector<int>& users, const CodeTally& tally,
                  StreamLearner& learner) {
    if (rule.least_users == 0 && rule.duplicate_correlation >= 1.0) return 0;
    const auto stale = stale_atoms(learner.dictionary(), users, rule);
    const std::size_t count = std::min(stale.size(), tally.worst().size());
    for (std::size_t i = 0; i < count; ++i) learner.replace(stale[i], tally.worst()[i].signal.normalized());
    return static_cast<int>(count);
}

Matrix unit_rows(const Mat& D) {
    return to_rows(D.colwise().normalized());
}

Matrix all_codes(const ScaledSignals& signals, const StreamPlan& plan, const Context& context, const Mat& D,
                 BatchCoder& coder) {
    Matrix rows(signals.count(), static_cast<std::size_t>(D.cols()));
    SignalBatches batches(signals, StreamOrder::stored, plan.batch, context);
    batches.begin(0);
    for (std::size_t first = 0; first < signals.count(); first = batches.taken()) {
        const SparseCodes& codes = coder.code(D, batches.next());
        for (std::size_t l = 0; l < codes.count(); ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                rows(first + l, codes.atom[k]) = signals.unit * codes.value[k];
    }
    return rows;
}

/// The atoms of a model to go on from. One that VB switched off has no direction, and gets one at random.
Mat atoms_of(const Model& model, std::uint64_t seed) {
    Mat D = unit_columns(as_columns(model.dictionary));
    DrawStream draws(seed, {.purpose = Purpose::sparse_start});
    const Mat fresh = atoms_from_signals(0, {}, D.rows(), D.cols(), draws);
    for (Eigen::Index n = 0; n < D.cols(); ++n)
        if (D.col(n).isZero(0.0)) D.col(n) = fresh.col(n);
    return D;
}

}  // namespace

StreamStart start_stream(const StreamPlan& plan, const SignalSource& source, const Context& context) {
    StreamStart start{.dictionary = {},
                      .state = {},
                      .model = context.start,
                      .planned = static_cast<double>(plan.passes) * static_cast<double>(source.count())};
    if (plan.stream_signals) start.planned = *plan.stream_signals;
    if (context.start == nullptr) {
        start.dictionary = strong_signals({source, plan.coding.unit}, plan.atoms, context.seed);
        return start;
    }
    start.dictionary = atoms_of(*context.start, context.seed);
    if (context.start->method == plan.method) start.state = context.start->stream;
    return start;
}

void run_stream(const StreamPlan& plan, const SignalSource& source, const Context& context,
                std::span<Observer* const> observers, const StreamState& before, StreamLearner& learner,
                TrainResult& result) {
    const ScaledSignals signals{source, plan.coding.unit};
    const auto atoms = static_cast<std::size_t>(plan.atoms);
    BatchCoder coder(plan.coding, resolve_threads(context.threads));
    SignalBatches batches(signals, plan.order, plan.batch, context);
    // Going on, a run has other orders than the one before.
    const auto passes_before = static_cast<std::uint32_t>(before.signals_seen / source.count());
    const std::size_t parts = (source.count() + signals_in_sweep - 1) / signals_in_sweep;
    RunMonitor monitor({.method = plan.method,
                        .signal_count = source.count(),
                        .signal_dim = source.dim(),
                        .atom_count = atoms,
                        .sweeps = static_cast<int>(static_cast<std::size_t>(plan.passes) * parts)},
                       context, observers);

    CodeTally pass_tally(atoms);
    std::uint64_t seen = before.signals_seen;
    std::vector<int> users = before.users;
    users.resize(atoms, 0);
    std::optional<StopReason> stop;
    int sweep = 0;
    for (int pass = 1; pass <= plan.passes && !stop; ++pass) {
        batches.begin(passes_before + static_cast<std::uint32_t>(pass));
        pass_tally = CodeTally(atoms);
        for (std::size_t part = 0; part < parts && !stop; ++part) {
            CodeTally tally(atoms);
            int replaced = 0;
            const std::size_t end = (part + 1) * source.count() / parts;
            while (batches.taken() < end) {
                const Mat& Y = batches.next();
                const SparseCodes& codes = coder.code(learner.dictionary(), Y);
                tally.add(Y, codes);
                pass_tally.add(Y, codes);
                replaced += learner.learn(Y, codes);
                seen += codes.count();
            }
            if (!std::isfinite(tally.residual2()) || !learner.dictionary().allFinite())
                throw NumericError(fmt::format(
                    "{}: sweep {} left the numbers that can be written (its residuals are {}, "
                    "its atoms {}): the signals may be too large or too small",
                    plan.method, sweep + 1, tally.residual2(), learner.dictionary().allFinite() ? "finite" : "not"));
            for (std::size_t n = 0; n < atoms; ++n) users[n] += tally.users()[n];
            const bool run_goes_on = pass < plan.passes || part + 1 < parts;
            const bool stream_goes_on = plan.stream_signals && seen < static_cast<std::uint64_t>(*plan.stream_signals);
            if (run_goes_on || (stream_goes_on && enough_seen(plan.stale, users))) {
                replaced += replace_stale(plan.stale, users, tally, learner);
                users.assign(atoms, 0);
            }
            stop = monitor.after_sweep({.sweep = ++sweep,
                                        .phase = Phase::kept,
                                        .objective = signals.unit * signals.unit * tally.residual2(),
                                        .noise_sd = signals.unit * tally.residual_rms(signals.dim()),
                                        .atoms_refreshed = replaced,
                                        .mean_nonzeros = tally.mean_nonzeros(),
                                        .dictionary = [&learner] { return unit_rows(learner.dictionary()); }});
        }
    }
    if (stop) result.reason = *stop;
    if (!pass_tally.any())
        result.warnings.emplace_back("no signal is larger than what the codes may leave of it: nothing was learnt");

    Model& model = result.model;
    model.dictionary = unit_rows(learner.dictionary());
    model.atom_usage = to_vector(signals.unit * pass_tally.usage());
    model.atom_norm.assign(atoms, 1.0);
    model.noise_sd = signals.unit * pass_tally.residual_rms(signals.dim());
    model.code_sizes = pass_tally.sizes();
    model.diagnostics = no_diagnostics;
    model.stream = learner.state();
    model.stream.signals_seen = seen;
    if (plan.stream_signals && seen < static_cast<std::uint64_t>(*plan.stream_signals)) model.stream.users = users;
    if (plan.keep_codes) model.codes = all_codes(signals, plan, context, learner.dictionary(), coder);
    finish_result(monitor, result);
}

}  // namespace sbdl
