#include "pass/thread_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "base/turn.hpp"
#include "pass/noise_cooling.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr std::size_t min_chunks = 8, many_chunks = 32, max_chunks = 128;

/// Whether no signal's codes moved by more than a billionth of the largest of them.
bool settled(const BlockView& view, const std::vector<double>& before) {
    constexpr double least_change = 1e-9;
    for (std::size_t l = 0; l < view.count; ++l) {
        double change = 0.0, largest = 0.0;
        for (std::size_t i = l; i < before.size(); i += block_size) {
            change = std::max(change, std::abs(view.codes[i] - before[i]));
            largest = std::max(largest, std::abs(view.codes[i]));
        }
        if (change > least_change * largest) return false;
    }
    return true;
}

/// In vector code, unlike Eigen's hasNaN(): values are finite or NaN, and zero times a finite one is zero.
bool has_gaps(const Eigen::Map<const Vec>& values) {
    return (0.0 * values).sum() != 0.0;
}

/// In order.
template <class Term>
Term sum_of(const std::vector<Term>& terms) {
    Term sum = terms.front();
    for (std::size_t i = 1; i < terms.size(); ++i) sum += terms[i];
    return sum;
}

/// Block number `block`, which belongs to this chunk.
struct ChunkBlock {
    std::size_t chunk, block;
};

/// The order in which threads take the blocks. Those of a chunk follow each other, so a thread alone takes chunk after
/// chunk. Several threads take the first block of two chunks each, then the second: they seldom meet in one chunk, and
/// finish at about the same time. Chunks that are left over are shared out evenly.
std::vector<ChunkBlock> order_of_blocks(const Partition& chunks, int threads) {
    const std::size_t together = threads == 1 ? 1 : 2 * static_cast<std::size_t>(threads);
    std::vector<ChunkBlock> order;
    order.reserve(chunks.count());
    for (const IndexRange& group : Parts(chunks.number(), std::max<std::size_t>(1, chunks.number() / together))) {
        const std::size_t end = chunks.first(group.end());  // of the group's blocks
        for (std::size_t place = 0; order.size() < end; ++place)
            for (std::size_t chunk = group.first; chunk < group.end(); ++chunk)
                if (place < chunks.size(chunk)) order.push_back({chunk, chunks.first(chunk) + place});
    }
    return order;
}

}  // namespace

std::size_t chunk_count(std::size_t signals, std::size_t dim, std::size_t atoms) {
    // Each chunk has its own statistics, which are cleared and summed in every sweep. Together they should take no more
    // than a third of the memory of the code variances.
    const std::size_t affordable = std::max(min_chunks, signals / (3 * (atoms + dim)));
    const std::size_t blocks = Blocks(signals, block_size).number();
    return std::min(blocks, affordable < many_chunks ? affordable : std::min(max_chunks, std::bit_floor(affordable)));
}

ThreadPass::ThreadPass(const SignalShare& share, double root_mean_square, std::size_t atom_count,
                       const KernelSet& kernels, int threads, std::optional<double> values)
    : CodePass({share.count(), static_cast<std::size_t>(share.dim()), atom_count, share.unit(), root_mean_square,
                values.value_or(static_cast<double>(share.count()) * static_cast<double>(share.dim()))}),
      share_(share),
      kernels_(kernels),
      threads_(resolve_threads(threads)),
      total_(share.dim(), static_cast<Eigen::Index>(atom_count), gaps()),
      workspaces_(static_cast<std::size_t>(threads_)),
      signal_buffer_(static_cast<std::size_t>(threads_), std::vector<double>(block_size * signal_dim())),
      code_buffer_(static_cast<std::size_t>(threads_)) {
    make_room();
}

/// For the state of the signals and the statistics of the chunks.
void ThreadPass::make_room() {
    density_.assign(signal_count(), 0.0);
    code_var_.assign(Blocks(signal_count(), block_size).number() * atom_count() * block_size, 1.0);
    chunk_stats_.resize(chunk_count(signal_count(), signal_dim(), atom_count()), total_);
}

void ThreadPass::move_to(const SignalShare& share) {
    CodePass::move_to(share);
    share_ = share;
    on_off_.clear();
    residuals_.resize(0, 0);
    mean_residuals_.reset();
    users_.reset();
    code_mean_.clear();
    record_.reset();
    make_room();
}

void ThreadPass::start_codes(double variance) {
    on_off_.clear();
    std::fill(code_var_.begin(), code_var_.end(), variance);
}

void ThreadPass::start_mean_codes() {
    code_mean_ = std::move(code_var_);
    code_var_.clear();
    std::fill(code_mean_.begin(), code_mean_.end(), 0.0);
}

void ThreadPass::begin_seen(void (SufficientStats::*begin)()) {
    (total_.*begin)();
    for (SufficientStats& stats : chunk_stats_) (stats.*begin)();
}

const SufficientStats& ThreadPass::sweep(const GibbsSweep& sweep, const Vec* scale) {
    if (!gibbs_) gibbs_ = kernels_.gibbs();
    gibbs_->begin_sweep(sweep);
    run(
        [&](BlockView view, SufficientStats& sums, Workspace& workspace) {
            gibbs_->block(view, sums, workspace);
            if (scale != nullptr) record_->add(view, view.first_signal - share_.offset(), *scale);
        },
        sweep.statistics);
    if (scale != nullptr) record_->end_sweep();
    return total_;
}

const SufficientStats& ThreadPass::sweep(const VbSweep& sweep, const Vec* scale) {
    if (!vb_) vb_ = kernels_.vb();
    if (gaps() && total_.seen_xt.size() == 0) begin_seen(&SufficientStats::begin_seen_products);
    vb_->begin_sweep(sweep);
    run([&](BlockView view, SufficientStats& sums, Workspace& workspace) {
        vb_->block(view, sums, workspace);
        if (scale != nullptr) record_->replace(view, view.first_signal - share_.offset(), *scale);
    });
    if (scale != nullptr) record_->end_replacing();
    return total_;
}

void ThreadPass::begin_on_off_codes() {
    if (!on_off_.empty()) return;
    const Blocks blocks(share_.count(), block_size);
    on_off_.resize(blocks.number());
    for (std::size_t b = 0; b < blocks.number(); ++b) {
        on_off_[b].atoms = atom_count();
        on_off_[b].start.assign(blocks[b].size + 1, 0);
    }
    on_off_benches_.resize(workspaces_.size());
    if (gaps()) residuals_.resize(share_.dim(), static_cast<Eigen::Index>(share_.count()));
}

const SufficientStats& ThreadPass::sweep(const OnOffSweep& sweep, const Vec* scale) {
    begin_on_off_codes();
    mean_residuals_.reset();
    const OnOffSampler sampler(*sweep.state, sweep.draw, sweep.gram);
    run(
        [&](const BlockView& view, SufficientStats& sums, Workspace& workspace) {
            SparseCodes& codes = on_off_[block_of(view)];
            OnOffBench& bench = bench_of(workspace);
            bench.left = signals_in(view);
            sampler.block(view.first_signal, bench.left, codes, 0, bench.drawn, bench.sampler);
            bench.drawn.atoms = codes.atoms;
            std::swap(codes, bench.drawn);
            if (sweep.statistics) {
                sums.residual_sq += bench.left.squaredNorm();
                add_on_off_statistics(view, codes, sums);
                if (gaps()) keep_residuals(view, bench.left);
            }
            if (scale != nullptr) record_->add(codes, view.first_signal - share_.offset(), *scale);
        },
        sweep.statistics);
    if (scale != nullptr) record_->end_sweep();
    if (gaps() && sweep.statistics) list_users();
    return total_;
}

void ThreadPass::keep_residuals(const BlockView& view, const Mat& left) {
    residuals_.middleCols(static_cast<Eigen::Index>(view.first_signal - share_.offset()), left.cols()) =
        signals_in(view).binaryExpr(
            left, [](double signal, double residual) { return std::isnan(signal) ? signal : residual; });
}

void ThreadPass::list_users() {
    joined_.atoms = atom_count();
    join_codes(on_off_, joined_);
    users_.emplace(joined_);
}

AtomPull ThreadPass::pull_on(std::size_t atom) const {
    if (mean_residuals_) {
        const auto n = static_cast<Eigen::Index>(atom);
        return {mean_residuals_->pull(code_mean_, atom, threads_), total_.seen_sq.col(n), total_.seen_mean_sq.col(n)};
    }
    AtomPull pull{Vec::Zero(share_.dim()), Vec::Zero(share_.dim()), {}};
    for (const AtomUsers::Use& use : users_->of(atom)) {
        const double x = joined_.value[use.entry];
        const auto r = residuals_.col(static_cast<Eigen::Index>(use.signal));
        for (Eigen::Index m = 0; m < r.size(); ++m) {
            if (std::isnan(r[m])) continue;
            pull.residual[m] += x * r[m];
            pull.weight[m] += x * x;
        }
    }
    return pull;
}

void ThreadPass::move_atom(std::size_t atom, const Vec& change) {
    if (mean_residuals_) return mean_residuals_->move(code_mean_, atom, change, threads_);
    for (const AtomUsers::Use& use : users_->of(atom))
        residuals_.col(static_cast<Eigen::Index>(use.signal)) -= joined_.value[use.entry] * change;
}

OnOffRestarted ThreadPass::restart(const OnOffRestart& restart) {
    begin_on_off_codes();
    std::vector<BlockRestart> blocks(on_off_.size());
    const OnOffEvidence evidence(*restart.state);
    const std::size_t shown = restart.show_unexplained ? chunk_stats_.size() : 0;
    std::vector<Mat> unexplained(shown, Mat::Zero(share_.dim(), share_.dim()));
    std::vector<Vec> energy(shown, Vec::Zero(static_cast<Eigen::Index>(atom_count())));
    const auto chunk_of = [this](const SufficientStats& sums) {
        return static_cast<std::size_t>(&sums - chunk_stats_.data());
    };
    const double most_on = most_entries_on(restart.state->probability);
    std::vector<std::size_t> begun(blocks.size());
    run(
        [&](const BlockView& view, const SufficientStats& sums, Workspace&) {
            const std::size_t b = block_of(view);
            begun[b] = blocks[b].choose(evidence, signals_in(view), on_off_[b], restart.share,
                                        restart.crowded_only ? most_on : -1.0);
            if (restart.show_unexplained) blocks[b].add_energy_of_others(on_off_[b], energy[chunk_of(sums)]);
        },
        false);

    OnOffRestarted result;
    result.begun = std::accumulate(begun.begin(), begun.end(), std::size_t{0});
    if (result.begun == 0) return result;

    constexpr double coarse_contrast = 10.0;  // enough to see atoms, too little to make up for one with several others
    const double signals = restart.signal_precision, level = restart.state->noise_precision;
    const double decided = std::min(level, most_contrast * signals);
    const NoiseCooling cooling(signals, decided, 1.0, restart.sweeps);
    const auto precision = [&](int sweep) {
        if (sweep <= restart.sweeps) return cooling.precision(sweep);
        return decided * std::pow(level / decided, double(sweep - restart.sweeps) / restart.deep_sweeps);
    };
    int coarse = 0;  // the sweep that shows what is left unexplained
    while (coarse < restart.sweeps / 2 && cooling.precision(coarse) < coarse_contrast * signals) ++coarse;
    const double most_pulling = restart.deep_sweeps > 0 ? most_on : std::numeric_limits<double>::infinity();
    OnOffState state = *restart.state;
    OnOffNumbers draw = restart.draw;
    draw.support = Purpose::restart_support;
    draw.value = Purpose::restart_value;
    for (int sweep = 0; sweep <= restart.sweeps + restart.deep_sweeps; ++sweep, ++draw.sweep) {
        state.noise_precision = precision(sweep);
        const OnOffSampler sampler(state, draw, restart.gram);
        std::vector<Vec> pull(restart.fitted_atom ? chunk_stats_.size() : 0, Vec::Zero(share_.dim()));
        run(
            [&](const BlockView& view, SufficientStats& sums, Workspace& workspace) {
                BlockRestart& block = blocks[block_of(view)];
                const Mat& left =
                    block.sweep(sampler, view.first_signal, signals_in(view), bench_of(workspace).sampler);
                if (restart.show_unexplained && sweep == coarse) unexplained[chunk_of(sums)] += left * left.transpose();
                if (restart.fitted_atom)
                    block.add_pull_on(*restart.fitted_atom, state.D.col(*restart.fitted_atom), most_pulling,
                                      pull[chunk_of(sums)]);
            },
            false);
        if (!restart.fitted_atom) continue;
        const Vec direction = sum_of(pull);
        if (direction.norm() > 0.0) state.D.col(*restart.fitted_atom) = direction.normalized();
    }
    state.noise_precision = level;
    const OnOffEvidence fitted_evidence(state);

    struct Count {
        std::size_t replaced = 0, users = 0;
    };
    std::vector<Count> counts(blocks.size());
    run(
        [&](const BlockView& view, SufficientStats&, Workspace&) {
            const std::size_t b = block_of(view);
            const std::vector<std::size_t> replaced =
                blocks[b].replace(fitted_evidence, restart.draw, view.first_signal, signals_in(view), on_off_[b]);
            counts[b].replaced = replaced.size();
            if (!restart.fitted_atom) return;
            for (const std::size_t row : replaced) {
                const auto on = entries_on(on_off_[b], row);
                if (std::find(on.begin(), on.end(), *restart.fitted_atom) != on.end()) ++counts[b].users;
            }
        },
        false);
    for (const Count& count : counts) {
        result.replaced += count.replaced;
        result.users += count.users;
    }
    if (restart.fitted_atom) result.fitted_atom = state.D.col(*restart.fitted_atom);
    if (!restart.show_unexplained) return result;
    result.unexplained = sum_of(unexplained);
    result.energy_of_others = sum_of(energy);
    return result;
}

/// Y X^T, X X^T and the users of each atom; of a pair of atoms only the upper triangle. Where entries are missing, Y
/// X^T is left out: atoms follow from pull_on().
void ThreadPass::add_on_off_statistics(const BlockView& view, const SparseCodes& codes, SufficientStats& sums) const {
    const Eigen::Map<const Mat> signals = signals_in(view);
    for (std::size_t l = 0; l < codes.count(); ++l) {
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) {
            const Eigen::Index n = codes.atom[k];
            const double x = codes.value[k];
            sums.users[n] += 1.0;
            if (!gaps()) sums.y_xt.col(n) += x * signals.col(static_cast<Eigen::Index>(l));
            for (std::size_t i = codes.start[l]; i <= k; ++i) sums.x_xt(codes.atom[i], n) += codes.value[i] * x;
        }
    }
}

const SufficientStats& ThreadPass::sweep(const OnOffMeansSweep& sweep, const Vec* scale) {
    const OnOffMeans means(sweep);
    if (gaps() && !mean_residuals_) {
        mean_residuals_.emplace(share_.count(), signal_dim());
        begin_seen(&SufficientStats::begin_seen_squares);
    }
    run([&](BlockView view, SufficientStats& sums, Workspace& workspace) {
        if (mean_residuals_) {
            view.residuals = mean_residuals_->residuals(block_of(view));
            view.seen = mean_residuals_->seen(block_of(view));
        }
        means.block(view, sums, workspace);
        if (scale != nullptr) record_->replace(view, view.first_signal - share_.offset(), *scale);
    });
    if (scale != nullptr) record_->end_replacing();
    return total_;
}

void ThreadPass::settle(const VbSweep& sweep, int most, const Vec& scale) {
    if (!vb_) vb_ = kernels_.vb();
    vb_->begin_sweep(sweep);
    run([&](const BlockView& view, SufficientStats& sums, Workspace& workspace) {
        std::vector<double> before(atom_count() * block_size, 0.0);
        for (int times = 0; times < most; ++times) {
            vb_->block(view, sums, workspace);
            if (settled(view, before)) break;
            std::copy(view.codes, view.codes + before.size(), before.begin());
        }
        record_->replace(view, view.first_signal - share_.offset(), scale);
    });
    record_->end_replacing();
}

void ThreadPass::code_supports(const SupportCoding& coding, const Vec& scale) {
    if (support_coding_ != &coding) {
        support_coding_ = &coding;
        support_chains_ = std::vector<SupportChain>(workspaces_.size(), SupportChain(coding));
    }
    // Small, since a signal takes long.
    constexpr std::size_t signals_per_item = 16;
    share_.each_block(signals_per_item, threads_, [&](std::size_t first, Mat& signals, int thread) {
        for (Eigen::Index i = 0; i < signals.cols(); ++i) {
            const std::size_t l = first + static_cast<std::size_t>(i);
            DrawStream draws(coding.seed, {Purpose::code_support, 0, 0, share_.offset() + l});
            record_->replace(support_chains_[static_cast<std::size_t>(thread)].code(signals.col(i), draws), l, scale);
        }
    });
    record_->end_replacing();
}

void ThreadPass::run(const BlockWork& work, bool statistics) {
    const Blocks blocks(share_.count(), block_size);
    const Parts chunks(blocks.number(), chunk_stats_.size());
    const std::size_t codes = atom_count() * block_size;
    const std::vector<ChunkBlock> order = order_of_blocks(chunks, threads_);
    std::vector<Served> summed(chunks.number());  // blocks of each chunk
    parallel_for(order.size(), threads_, [&](std::size_t item, int thread) {
        const auto [chunk, block] = order[item];
        const std::size_t place = block - chunks.first(chunk);
        const auto mine = static_cast<std::size_t>(thread);
        const auto [number, first, count] = blocks[block];
        const Turn turn(summed[chunk], place);
        double* signals = signal_buffer_[mine].data();
        share_.read(first, count, signals);
        const Eigen::Map<const Vec> values(signals, static_cast<Eigen::Index>(count * signal_dim()));
        BlockView view{.first_signal = share_.offset() + first,
                       .count = count,
                       .signals = signals,
                       .gaps = has_gaps(values),
                       .code_var = code_var_.empty() ? nullptr : code_var_.data() + number * codes,
                       .density = density_.data() + first};
        if (record_) {
            code_buffer_[mine].resize(3 * codes);
            view.codes = code_buffer_[mine].data();
            view.codes_var = view.codes + codes;
            view.codes_on = view.codes_var + codes;
        }
        if (!code_mean_.empty()) view.codes = code_mean_.data() + number * codes;
        turn.wait();
        SufficientStats& stats = chunk_stats_[chunk];
        if (statistics && place == 0) stats.set_zero();
        work(view, stats, workspaces_[mine]);
    });
    if (statistics) add_up();
}

// Every number is summed in the order of the chunks, whichever thread does it. With many atoms the statistics take
// megabytes per chunk, and a single thread would keep the others waiting.
void ThreadPass::add_up() {
    constexpr std::size_t columns = 8;
    total_.set_zero();
    parallel_for((atom_count() + columns - 1) / columns, threads_, [&](std::size_t group, int) {
        const auto first = static_cast<Eigen::Index>(group * columns);
        const auto end = static_cast<Eigen::Index>(std::min((group + 1) * columns, atom_count()));
        for (const SufficientStats& stats : chunk_stats_) total_.add_columns(stats, first, end);
    });
    for (const SufficientStats& stats : chunk_stats_) total_.add_numbers(stats);
    total_.mirror();
}

CodeRecord ThreadPass::take_record() {
    CodeRecord record = record_ ? std::move(*record_) : CodeRecord();
    record_.reset();
    return record;
}

Mat ThreadPass::reconstruct(const Mat& D, std::span<const std::size_t> signals) const {
    if (on_off_.empty()) return {};
    Mat made = Mat::Zero(D.rows(), static_cast<Eigen::Index>(signals.size()));
    for (std::size_t i = 0; i < signals.size(); ++i) {
        if (signals[i] >= share_.count())
            throw InputError(fmt::format("reconstruct: signal is {}, must be below {}", signals[i], share_.count()));
        const SparseCodes& codes = on_off_[signals[i] / block_size];
        const std::size_t row = signals[i] % block_size;
        for (std::size_t k = codes.start[row]; k < codes.start[row + 1]; ++k)
            made.col(static_cast<Eigen::Index>(i)) += codes.value[k] * D.col(codes.atom[k]);
    }
    return made;
}

Mat ThreadPass::spread_signals(std::size_t most) const {
    const std::size_t count = std::min(share_.count(), most);
    Mat signals(share_.dim(), static_cast<Eigen::Index>(count));
    for (std::size_t i = 0; i < count; ++i)
        signals.col(static_cast<Eigen::Index>(i)) = share_.signal(i * share_.count() / count);
    return signals;
}

std::vector<std::size_t> ThreadPass::densest_signals(std::size_t most) const {
    std::vector<std::size_t> densest(density_.size());
    std::iota(densest.begin(), densest.end(), std::size_t{0});
    const std::size_t offered = std::min(most, densest.size());
    std::partial_sort(
        densest.begin(), densest.begin() + static_cast<std::ptrdiff_t>(offered), densest.end(),
        [&](std::size_t i, std::size_t j) { return density_[i] != density_[j] ? density_[i] > density_[j] : i < j; });
    densest.resize(offered);
    return densest;
}

void ThreadPass::archive(StateArchive& archive) {
    archive("code_var", code_var_);
    const std::uint32_t on_off = archive.count("on_off_blocks", static_cast<std::uint32_t>(on_off_.size()));
    if (archive.loading()) {
        on_off_.clear();
        if (on_off > 0) begin_on_off_codes();
    }
    for (SparseCodes& codes : on_off_) archive("on_off_codes", codes);
    archive("code_mean", code_mean_);
    archive("density", density_);
    bool recording = record_.has_value();
    archive("recording", recording);
    if (archive.loading()) record_.reset();
    if (recording && !record_) record_.emplace();
    if (recording) archive("record", *record_);
}

}  // namespace sbdl
