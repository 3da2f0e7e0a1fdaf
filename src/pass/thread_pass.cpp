#include "pass/thread_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "base/turn.hpp"
#include "coders/sparse_codes.hpp"
#include "pass/rank_sums.hpp"
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

/// Adds these numbers of a sequence of spans to `sum`, which holds the same numbers.
void add_range(const std::vector<std::span<double>>& spans, const IndexRange& range, double* sum) {
    std::size_t before = 0;  // numbers in the spans so far
    for (const std::span<double> span : spans) {
        const std::size_t first = std::max(range.first, before), end = std::min(range.end(), before + span.size());
        for (std::size_t i = first; i < end; ++i) sum[i - range.first] += span[i - before];
        before += span.size();
        if (before >= range.end()) break;
    }
}

/// How many blocks are read ahead from disk: some for every thread, and enough to keep the disk busy.
std::size_t blocks_ahead(std::size_t numbers, int threads) {
    constexpr std::size_t bytes_ahead = std::size_t{16} << 20;
    return 2 * static_cast<std::size_t>(threads) + bytes_ahead / (numbers * sizeof(double));
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
                       const KernelSet& kernels, int threads, std::optional<double> values, RankGroup ranks,
                       CodeStorage storage)
    : CodePass({share.count(), static_cast<std::size_t>(share.dim()), atom_count, share.unit(), root_mean_square,
                values.value_or(static_cast<double>(share.count()) * static_cast<double>(share.dim()))}),
      ranks_(ranks),
      share_(share),
      chunks_(Parts(0, 1)),
      kernels_(kernels),
      threads_(resolve_threads(threads)),
      threads_of_first_(ranks_.of_first(threads_)),
      storage_(std::move(storage)),
      total_(share.dim(), static_cast<Eigen::Index>(atom_count), gaps()),
      workspaces_(static_cast<std::size_t>(threads_)),
      signal_buffer_(static_cast<std::size_t>(threads_), std::vector<double>(block_size * signal_dim())),
      code_buffer_(static_cast<std::size_t>(threads_)),
      entry_room_(static_cast<std::size_t>(threads_)) {
    begin_share(share);
}

void ThreadPass::begin_share(const SignalShare& all) {
    const Blocks blocks(all.count(), block_size);
    chunk_number_ = chunk_count(all.count(), signal_dim(), atom_count());
    const IndexRange mine = ranks_.my_part(chunk_number_);
    const Parts chunks(blocks.number(), chunk_number_);
    chunks_ = chunks.part(mine.first, mine.size);
    first_ = blocks.first(chunks.first(mine.first));
    share_ = all.part(first_, blocks.first(chunks.first(mine.end())) - first_);
    density_.assign(share_.count(), 0.0);
    entries_.begin(chunks_.count(), atom_count() * block_size, 1.0, storage_);
    chunk_stats_.resize(chunks_.number(), total_);
}

int ThreadPass::owner_of(std::size_t l) const {
    const Parts chunks(Blocks(signal_count(), block_size).number(), chunk_number_);
    int rank = 0;
    while (chunks.first(ranks_.part_of(rank, chunk_number_).end()) <= l / block_size) ++rank;
    return rank;
}

void ThreadPass::move_to(const SignalShare& share) {
    CodePass::move_to(share);
    on_off_ = {};
    has_on_off_ = has_means_ = false;
    residuals_.resize(0, 0);
    mean_residuals_.reset();
    users_.reset();
    record_.reset();
    begin_share(share);
}

void ThreadPass::start_codes(double variance) {
    on_off_ = {};
    has_on_off_ = false;
    entries_.fill(variance);
}

void ThreadPass::start_mean_codes() {
    has_means_ = true;
    entries_.fill(0.0);
}

void ThreadPass::begin_seen(void (SufficientStats::*begin)()) {
    (total_.*begin)();
    for (SufficientStats& stats : chunk_stats_) (stats.*begin)();
}

const SufficientStats& ThreadPass::sweep(const GibbsSweep& sweep, const Vec* scale) {
    require_means(false);
    if (!gibbs_) gibbs_ = kernels_.gibbs();
    gibbs_->begin_sweep(sweep);
    run(
        [&](BlockView view, SufficientStats& sums, Workspace& workspace) {
            gibbs_->block(view, sums, workspace);
            if (scale != nullptr) record_->add(view, view.first_signal - share_.offset(), *scale);
        },
        {.statistics = sweep.statistics});
    if (scale != nullptr) record_->end_sweep();
    return total_;
}

const SufficientStats& ThreadPass::sweep(const VbSweep& sweep, const Vec* scale) {
    require_means(false);
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

void ThreadPass::require_means(bool wanted) const {
    if (has_means_ != wanted) throw NumericError("the codes are not those of this stage of the run");
}

void ThreadPass::begin_on_off_codes() {
    if (has_on_off_) return;
    has_on_off_ = true;
    on_off_ = OnOffStore(Blocks(share_.count(), block_size), atom_count(), storage_);
    on_off_benches_.resize(workspaces_.size());
    if (gaps()) residuals_.resize(share_.dim(), static_cast<Eigen::Index>(share_.count()));
}

const SufficientStats& ThreadPass::sweep(const OnOffSweep& sweep, const Vec* scale) {
    begin_on_off_codes();
    mean_residuals_.reset();
    const OnOffSampler sampler(*sweep.state, sweep.draw, sweep.gram);
    run(
        [&](const BlockView& view, SufficientStats& sums, Workspace& workspace) {
            OnOffBench& bench = bench_of(workspace);
            SparseCodes& codes = on_off_.load(block_of(view), bench.present);
            bench.left = signals_in(view);
            sampler.block(view.first_signal, bench.left, codes, 0, bench.drawn, bench.sampler);
            bench.drawn.atoms = codes.atoms;
            std::swap(codes, bench.drawn);
            on_off_.save(block_of(view), codes, bench.present);
            if (sweep.statistics) {
                sums.residual_sq += bench.left.squaredNorm();
                add_on_off_statistics(view, codes, sums);
                if (gaps()) keep_residuals(view, bench.left);
            }
            if (scale != nullptr) record_->add(codes, view.first_signal - share_.offset(), *scale);
        },
        {.entries = false, .on_off = true, .statistics = sweep.statistics});
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
    clear_codes(joined_);
    for (std::size_t block = 0; block < on_off_.blocks(); ++block)
        append_codes(on_off_.load(block, on_off_benches_.front().present), joined_);
    users_.emplace(joined_);
}

AtomPull ThreadPass::pull_on(std::size_t atom) const {
    if (mean_residuals_) {
        const auto n = static_cast<Eigen::Index>(atom);
        Vec pull = Vec::Zero(share_.dim());
        add_terms(ranks_, mean_residuals_->pulls(entries_.all(), atom, threads_), pull);
        return {pull, total_.seen_sq.col(n), total_.seen_mean_sq.col(n)};
    }
    const auto M = share_.dim();
    Mat sums = Mat::Zero(M, 2);
    const std::span<double> values(sums.data(), static_cast<std::size_t>(sums.size()));
    ranks_.add_in_turn(values, values.size(), [&](const IndexRange&) {
        for (const AtomUsers::Use& use : users_->of(atom)) {
            const double x = joined_.value[use.entry];
            const auto r = residuals_.col(static_cast<Eigen::Index>(use.signal));
            for (Eigen::Index m = 0; m < M; ++m) {
                if (std::isnan(r[m])) continue;
                sums(m, 0) += x * r[m];
                sums(m, 1) += x * x;
            }
        }
    });
    return {sums.col(0), sums.col(1), {}};
}

void ThreadPass::move_atom(std::size_t atom, const Vec& change) {
    if (mean_residuals_) return mean_residuals_->move(entries_.all(), atom, change, threads_);
    for (const AtomUsers::Use& use : users_->of(atom))
        residuals_.col(static_cast<Eigen::Index>(use.signal)) -= joined_.value[use.entry] * change;
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
    require_means(true);
    const OnOffMeans means(sweep);
    if (gaps() && entries_.on_disk())
        throw InputError("on/off means of signals with missing entries cannot be kept on disk");
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

void ThreadPass::prefetch(std::size_t block, const BlockNeeds& needs) const {
    if (needs.entries) entries_.prefetch(block);
    if (needs.on_off) on_off_.prefetch(block);
}

void ThreadPass::run(const BlockWork& work, const BlockNeeds& needs) {
    const Blocks blocks(share_.count(), block_size);
    const std::size_t codes = atom_count() * block_size;
    const std::vector<ChunkBlock> order = order_of_blocks(chunks_, threads_);
    std::vector<Served> summed(chunks_.number());  // blocks of each chunk
    const std::size_t ahead = std::min(order.size(), blocks_ahead(codes, threads_));
    for (std::size_t item = 0; item < ahead; ++item) prefetch(order[item].block, needs);
    parallel_for(order.size(), threads_, [&](std::size_t item, int thread) {
        const auto [chunk, block] = order[item];
        const std::size_t place = block - chunks_.first(chunk);
        const auto mine = static_cast<std::size_t>(thread);
        const auto [number, first, count] = blocks[block];
        const Turn turn(summed[chunk], place);
        if (item + ahead < order.size()) prefetch(order[item + ahead].block, needs);
        double* const entries = needs.entries ? entries_.load(number, entry_room_[mine]) : nullptr;
        double* signals = signal_buffer_[mine].data();
        share_.read(first, count, signals);
        const Eigen::Map<const Vec> values(signals, static_cast<Eigen::Index>(count * signal_dim()));
        BlockView view{.first_signal = share_.offset() + first,
                       .count = count,
                       .signals = signals,
                       .gaps = has_gaps(values),
                       .code_var = has_means_ ? nullptr : entries,
                       .density = density_.data() + first};
        if (record_) {
            code_buffer_[mine].resize(3 * codes);
            view.codes = code_buffer_[mine].data();
            view.codes_var = view.codes + codes;
            view.codes_on = view.codes_var + codes;
        }
        if (has_means_ && needs.entries) view.codes = entries;
        turn.wait();
        SufficientStats& stats = chunk_stats_[chunk];
        if (needs.statistics && place == 0) stats.set_zero();
        work(view, stats, workspaces_[mine]);
        if (needs.entries) entries_.save(number, entries);
    });
    if (needs.statistics) add_up();
}

// Every number is summed in the order of the chunks, whichever thread does it. With many atoms the statistics take
// megabytes per chunk, and a single thread would keep the others waiting.
void ThreadPass::add_up() {
    constexpr std::size_t at_once = 4096;  // numbers that a thread takes
    std::vector<std::vector<std::span<double>>> terms;
    for (SufficientStats& stats : chunk_stats_) terms.push_back(stats.spans());
    std::size_t size = 0;
    for (const std::span<double> span : total_.spans()) size += span.size();
    sum_.assign(size, 0.0);
    ranks_.add_in_turn(sum_, ranks_.alone() ? size : at_once * static_cast<std::size_t>(threads_of_first_),
                       [&](const IndexRange& piece) {
                           parallel_for(Blocks(piece.size, at_once), threads_, [&](const IndexRange& some, int) {
                               const IndexRange range{0, piece.first + some.first, some.size};
                               for (const auto& chunk : terms) add_range(chunk, range, sum_.data() + range.first);
                           });
                       });
    const double* from = sum_.data();
    for (const std::span<double> span : total_.spans()) {
        std::copy(from, from + span.size(), span.begin());
        from += span.size();
    }
    total_.mirror();
}

CodeRecord ThreadPass::take_record() {
    CodeRecord record = record_ ? std::move(*record_) : CodeRecord();
    record_.reset();
    return record;
}

}  // namespace sbdl
