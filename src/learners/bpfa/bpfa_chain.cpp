#include "learners/bpfa/bpfa_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "base/parallel.hpp"
#include "learners/gaps.hpp"
#include "learners/idle_ranks.hpp"
#include "learners/stale_atoms.hpp"
#include "learners/start.hpp"
#include "options/option_values.hpp"
#include "run/method_info.hpp"
#include "sbdl/error.hpp"
#include "sbdl/model.hpp"

namespace sbdl {
namespace {

constexpr std::size_t signals_in_block = 64;  // a half of what the ranks divide
constexpr double copy_correlation = 0.9;
constexpr int least_users = 4;
constexpr std::size_t most_at_once = 8;
// A model supplies atoms but no codes. Until the codes have been found, atoms drawn from them would drift away from the
// model's. The atoms are therefore held fixed for this many sweeps (at most half of burn-in), while the noise comes
// down to the model's.
constexpr int most_held_sweeps = 20;
constexpr double work_of_a_thread = 5e5;       // signals x entries x atoms per sweep: about half a millisecond
constexpr double atoms_in_signal = 3.0;        // where the chain starts
constexpr double least_residual = 1e-28;       // relative to the signals: the lowest noise that can be resolved
constexpr double least_code_precision = 1e-6;  // relative to one over a signal's squared norm
constexpr double least_probability = 1e-300;   // of a warm start

OnOffHyper hyper_of(const BpfaOptions& options) {
    return {.usage_on = options.usage_on,
            .usage_off = options.usage_off,
            .code_shape = options.code_shape,
            .code_rate = options.code_rate,
            .noise_shape = options.noise_shape,
            .noise_rate = options.noise_rate};
}

/// The codes with the marked atoms removed.
void drop_codes(const std::vector<char>& marked, SparseCodes& codes) {
    std::size_t kept = 0;
    for (std::size_t l = 0, from = 0; l < codes.count(); ++l) {
        const std::size_t end = codes.start[l + 1];
        for (; from < end; ++from) {
            if (marked[codes.atom[from]]) continue;
            codes.atom[kept] = codes.atom[from];
            codes.value[kept++] = codes.value[from];
        }
        codes.start[l + 1] = kept;
    }
    codes.atom.resize(kept);
    codes.value.resize(kept);
}

Blocks blocks_of(const SignalShare& signals) {
    return {signals.count(), signals_in_block};
}

/// The codes of a block of signals.
SparseCodes codes_in(const SparseCodes& codes, const IndexRange& block) {
    const std::size_t first = codes.start[block.first], end = codes.start[block.end()];
    SparseCodes some;
    some.atoms = codes.atoms;
    some.start.clear();
    for (std::size_t l = block.first; l <= block.end(); ++l) some.start.push_back(codes.start[l] - first);
    const auto at = [](const auto& values, std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
    some.atom.assign(at(codes.atom, first), at(codes.atom, end));
    some.value.assign(at(codes.value, first), at(codes.value, end));
    return some;
}

/// Threads that synchronise every few microseconds cost more than they gain, above all on a busy machine.
int useful_threads(int threads, const SignalShare& signals, int atoms) {
    const double sweep = static_cast<double>(signals.count()) * static_cast<double>(signals.dim()) * atoms;
    return std::clamp(static_cast<int>(std::min(sweep / work_of_a_thread, 1e6)), 1, threads);
}

}  // namespace

BpfaChain::BpfaChain(const SignalShare& signals, const SignalFacts& observed, const BpfaOptions& options,
                     const Context& context, std::uint32_t chain)
    : ranks_(context.execution.ranks),
      all_(signals),
      signals_(signals),
      first_block_(0),
      observed_(observed),
      options_(options),
      reconstruct_(context.reconstruct),
      seed_(context.seed),
      chain_(chain),
      threads_(1),
      users_(Vec::Zero(options.atoms)),
      code_energy_(users_),
      cap_(1.0, 1.0, 0.0, 0) {
    const IndexRange mine = scanned_part(ranks_, ranks_.mine(), signals.count());
    signals_ = signals.part(mine.first, mine.size);
    first_block_ = mine.first / signals_in_block;
    blocks_.resize(blocks_of(signals_).number());
    threads_ = useful_threads(resolve_threads(context.execution.threads), signals_, options.atoms);
    codes_.atoms = static_cast<std::size_t>(options.atoms);
    codes_.start.assign(signals_.count() + 1, 0);
    const auto columns = static_cast<Eigen::Index>(signals_.count());
    residuals_.left = Mat::Zero(Residuals::padded(signals.dim()), columns);
    if (observed.gaps) residuals_.observed = residuals_.left;
    start(context.start);
}

void BpfaChain::start(const Model* model) {
    const Eigen::Index N = options_.atoms;
    const double signal_precision = 1.0 / (rms() * rms());
    state_.noise_precision = signal_precision;
    // As if a signal were made up of this many unit-norm atoms.
    state_.probability = Vec::Constant(N, std::min(0.5, atoms_in_signal / static_cast<double>(N)));
    state_.code_precision = atoms_in_signal * signal_precision / static_cast<double>(signals_.dim());
    if (model == nullptr) {
        DrawStream draws(seed_, {.purpose = Purpose::bpfa_start, .chain = chain_});
        state_.D = atoms_from_signals(
            all_.count(), [&](std::size_t l) { return signal(l); }, all_.dim(), N, draws);
    } else {
        state_.D = as_columns(model->dictionary);
        const double sd = (model->trace.noise_sd.empty() ? model->noise_sd : model->trace.noise_sd.back());
        if (sd > 0.0) known_precision_ = std::pow(signals_.unit() / sd, 2);
        held_sweeps_ = std::min(most_held_sweeps, options_.burn_in / 2);
        if (model->on_off && !model->on_off->atom_probability.empty())
            state_.probability = Eigen::Map<const Vec>(model->on_off->atom_probability.data(), N)
                                     .cwiseMax(least_probability)
                                     .cwiseMin(1.0 - 1e-15);
        sweeps_before_ = static_cast<std::uint32_t>(model->trace.sweep.size());
    }
    cap_ = NoiseCap(signal_precision, std::max(signal_precision, known_precision_), options_.anneal_growth,
                    options_.burn_in);
}

ChainSweep BpfaChain::sweep(int sweep, const Vec*) {
    const OnOffNumbers draw{seed_, (sweeps_before_ + static_cast<std::uint32_t>(sweep)) & 0xFFFFFFu, chain_};
    const bool held = sweep < held_sweeps_;
    draw_codes(draw);
    if (!held) draw_atoms(draw, codes_, threads_, state_, residuals_, ranks_);
    count_codes();
    const double residual2 = residual_sq();
    const bool burn_in = sweep < options_.burn_in;
    const double drawn = draw_shared(draw, residual2, burn_in);
    if (held && known_precision_ > 0.0) {
        const double share = static_cast<double>(sweep + 1) / held_sweeps_;
        state_.noise_precision = std::pow(known_precision_, share) * std::pow(rms(), -2.0 * (1.0 - share));
    }

    ChainSweep result{.log_joint = log_joint(residual2),
                      .gamma = state_.noise_precision,
                      .mean_nonzeros = users_.sum() / static_cast<double>(all_.count())};
    if (!std::isfinite(result.log_joint))
        throw NumericError(
            fmt::format("sweep {}: noise precision {}, code precision {}: out of the range of double "
                        "precision; do priors and signals have the same units?",
                        sweep + 1, state_.noise_precision, state_.code_precision));
    if (burn_in) {
        cap_.rise(drawn);
        if (refresh_due(sweep, options_.refresh_every, options_.burn_in)) result.refreshed = refresh();
    }
    return result;
}

void BpfaChain::draw_codes(const OnOffNumbers& draw) {
    const OnOffSampler sampler(state_, draw);
    std::vector<OnOffSampler::Bench> benches(static_cast<std::size_t>(threads_));
    signals_.each_block(signals_in_block, threads_, [&](std::size_t first, Mat& signals, int thread) {
        const auto column = static_cast<Eigen::Index>(first);
        if (observed_.gaps)
            residuals_.observed.block(0, column, signals.rows(), signals.cols()) =
                signals.array().isNaN().select(0.0, Mat::Ones(signals.rows(), signals.cols()));
        sampler.block(signals_.offset() + first, signals, codes_, first, blocks_[first / signals_in_block],
                      benches[static_cast<std::size_t>(thread)]);
        residuals_.left.block(0, column, signals.rows(), signals.cols()) = signals;
    });
    join_codes(blocks_, codes_);
}

void BpfaChain::count_codes() {
    Mat sums = Mat::Zero(users_.size(), 2);
    const std::span<double> values(sums.data(), static_cast<std::size_t>(sums.size()));
    ranks_.add_in_turn(values, values.size(), [&](const IndexRange&) {
        for (std::size_t k = 0; k < codes_.atom.size(); ++k) {
            sums(codes_.atom[k], 0) += 1.0;
            sums(codes_.atom[k], 1) += codes_.value[k] * codes_.value[k];
        }
    });
    users_ = sums.col(0);
    code_energy_ = sums.col(1);
}

double BpfaChain::residual_sq() {
    double sum = 0.0;
    ranks_.add_in_turn(std::span(&sum, 1), 1, [&](const IndexRange&) {
        for (const IndexRange& block : blocks_of(signals_))
            sum += residuals_.left
                       .middleCols(static_cast<Eigen::Index>(block.first), static_cast<Eigen::Index>(block.size))
                       .squaredNorm();
    });
    return sum;
}

Vec BpfaChain::signal(std::size_t l) {
    int owner = 0;
    while (scanned_part(ranks_, owner, all_.count()).end() <= l) ++owner;
    Vec found = owner == ranks_.mine() ? all_.filled_signal(l) : Vec::Zero(all_.dim());
    ranks_.share(owner, std::span(found.data(), static_cast<std::size_t>(found.size())));
    return found;
}

double BpfaChain::draw_shared(const OnOffNumbers& draw, double residual2, bool burn_in) {
    DrawStream draws(draw.seed, {Purpose::bpfa_shared, draw.sweep, draw.chain, 0});
    const double rms = this->rms();
    const OnOffSums found = sums(residual2 + 2.0 * least_residual * rms * rms * observed_.values);
    draw_probabilities(hyper(), found, draws, state_.probability);
    // While no entry is on, a vague prior alone draws almost zero, and no entry would ever be on again.
    const double least = least_code_precision / (rms * rms * static_cast<double>(signals_.dim()));
    state_.code_precision = std::max(least, draw_code_precision(hyper(), found, draws));
    const double drawn = draw_noise_precision(hyper(), found, draws);
    state_.noise_precision = burn_in ? cap_.limit(drawn) : drawn;
    return drawn;
}

OnOffHyper BpfaChain::hyper() const {
    return hyper_of(options_);
}

OnOffSums BpfaChain::sums(double residual_sq) const {
    return {.users = users_,
            .code_energy = code_energy_,
            .residual_sq = residual_sq,
            .signals = static_cast<double>(observed_.signals),
            .values = observed_.values};
}

int BpfaChain::refresh() {
    std::vector<int> users(codes_.atoms);
    for (std::size_t n = 0; n < users.size(); ++n) users[n] = static_cast<int>(users_[static_cast<Eigen::Index>(n)]);
    const auto stale = stale_atoms(unit_columns(state_.D), users, {copy_correlation, least_users});
    const double rms = this->rms();
    const auto worst = worst_signals(ranks_.joined(squared_norms(residuals_.left)),
                                     std::min(stale.size(), most_at_once), least_residual * rms * rms);
    std::vector<char> replaced(codes_.atoms, 0);
    for (std::size_t i = 0; i < worst.size(); ++i) {
        state_.D.col(stale[i]) = signal(worst[i]).normalized();
        replaced[static_cast<std::size_t>(stale[i])] = 1;
        state_.probability[stale[i]] = state_.probability.mean();
    }
    if (!worst.empty()) drop_codes(replaced, codes_);
    return static_cast<int>(worst.size());
}

void BpfaChain::begin_keeping(ChainRecord& record, const ChainRecord*) {
    record.probability = Vec::Zero(state_.D.cols());
    if (options_.keep_codes) record.codes.emplace(signals_.count(), codes_.atoms, true);
    if (reconstruct_) record.reconstruction = Mat::Zero(signals_.dim(), static_cast<Eigen::Index>(signals_.count()));
}

void BpfaChain::keep(ChainRecord& record) {
    record.probability += state_.probability;
    record.code_precision += state_.code_precision;
    if (record.codes) {
        record.codes->add(codes_, 0, signals_.unit() * record.average.signed_norm(state_.D));
        record.codes->end_sweep();
    }
    if (!reconstruct_) return;
    for (std::size_t l = 0; l < codes_.count(); ++l)
        for (std::size_t k = codes_.start[l]; k < codes_.start[l + 1]; ++k)
            record.reconstruction.col(static_cast<Eigen::Index>(l)) += codes_.value[k] * state_.D.col(codes_.atom[k]);
}

void BpfaChain::archive(StateArchive& archive) {
    archive("D", state_.D);
    archive("probability", state_.probability);
    archive("code_precision", state_.code_precision);
    archive("noise_precision", state_.noise_precision);
    archive_codes(archive);
    archive("users", users_);
    archive("code_energy", code_energy_);
    archive("cap", cap_);
}

// Block by block, so that the file does not depend on the ranks. To load it, every rank reads all blocks and keeps its
// own.
void BpfaChain::archive_codes(StateArchive& archive) {
    if (!archive.loading()) {
        archive.in_turn([&] {
            for (const IndexRange& block : blocks_of(signals_)) {
                SparseCodes codes = codes_in(codes_, block);
                archive("codes", codes);
            }
        });
        return;
    }
    const Blocks all = blocks_of(all_);
    blocks_.assign(blocks_.size(), {});
    for (const IndexRange& block : all) {
        SparseCodes codes;
        archive("codes", codes);
        if (codes.atoms != codes_.atoms || codes.count() != block.size) archive.damaged("codes");
        if (block.number - first_block_ < blocks_.size()) blocks_[block.number - first_block_] = std::move(codes);
    }
    join_codes(blocks_, codes_);
}

double BpfaChain::log_joint(double residual2) const {
    const auto M = static_cast<double>(state_.D.rows());
    const double log_atoms = 0.5 * static_cast<double>(state_.D.size()) * std::log(0.5 * M / std::numbers::pi) -
                             0.5 * M * state_.D.squaredNorm();
    return on_off_log_density(hyper(), sums(residual2), state_) + log_atoms;
}

BpfaOptions BpfaOptions::preset(Preset which, int atoms) {
    BpfaOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.most_burn_in = 0;
        options.anneal_growth = 0.0;
        options.refresh_every = 0;
    }
    return options;
}

void BpfaOptions::check() const {
    check_thinning(method, thin, draws);
}

namespace {

BegunRun begin_bpfa(const RunInput& input) {
    auto options = input.options.as<BpfaOptions>();
    const Context& context = input.context;
    check_single_start(context, options.chains);
    const SignalFacts facts =
        scan_signals(input.source, MissingValues::allowed, SumOfSquares::by_signal, RankGroup(context.execution.ranks));
    check_gaps(input.source, facts, options.empty_signals, input.warnings);
    options.burn_in = sweeps_with_gaps(options.burn_in, options.most_burn_in, input.source, facts);
    const double unit = options.own_units ? facts.root_mean_square : 1.0;
    const SignalShare signals{input.source, unit};
    warn_of_idle_ranks(context.execution, scanned_blocks(signals.count()), input.warnings);
    auto run = std::make_unique<ChainsRun>(
        ChainPlan{.chains = options.chains,
                  .burn_in = options.burn_in,
                  .draws = options.draws,
                  .thin = options.thin,
                  .signals = static_cast<double>(signals.count()),
                  .unit = unit,
                  .pass = nullptr},
        [signals, facts, options, &context](std::uint32_t number) {
            return std::make_unique<BpfaChain>(signals, facts, options, context, number);
        },
        [options, unit](const ChainRecord& best, TrainResult& result) {
            const double kept = best.average.count();
            result.model.on_off = on_off_prior(hyper_of(options), best.code_precision / kept, best.probability / kept);
            if (best.reconstruction.size() > 0) result.reconstruction = to_rows(best.reconstruction * (unit / kept));
        });
    return {std::move(run), facts, unit};
}

/// Residuals, the mask of observed entries, and codes whose size is hardly known beforehand.
double bpfa_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<BpfaOptions>();
    const double atoms = options.atoms, dim = static_cast<double>(signals.dim());
    return static_cast<double>(signals.count()) * (2.0 * dim + 16.0 + (options.keep_codes ? 5.0 * atoms : 0.0)) +
           atoms * (atoms + 4.0 * dim);
}

AnyOptions bpfa_for_patches(const PatchTask& task) {
    constexpr int usual_sweeps = 60;
    BpfaOptions options = BpfaOptions::preset(Preset::standard, task.atoms);
    options.anneal_growth = 0.0;  // it starts close to where it ends
    options.refresh_every = 0;
    const int all = task.sweeps > 0 ? task.sweeps : usual_sweeps;
    options.burn_in = all * 2 / 3;
    options.draws = all - options.burn_in;
    return options;
}

}  // namespace

extern const MethodInfo bpfa_method{
    .method = {.name = BpfaOptions::method,
               .title = "beta process factor analysis",
               .summary = "needs --atoms; infers the noise, the sparsity and how many atoms are used; accepts missing "
                          "values",
               .can = {.kind = RunKind::chain,
                       .posterior = true,
                       .codes = CodePosterior::sampled,
                       .missing = true,
                       .ranks = true,
                       .denoising = true}},
    .options = options_of<BpfaOptions>,
    .memory = bpfa_memory,
    .begin = begin_bpfa,
    .for_patches = bpfa_for_patches,
    .patches_from_l1 = true};

}  // namespace sbdl
