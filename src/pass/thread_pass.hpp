// The pass that runs on threads, those of one process or of several ranks.
//
// Consecutive blocks of a fixed size are grouped into chunks. A chunk sums its blocks in order, and the chunks are
// summed in order. Threads only decide who works on which block, so the sums do not depend on them. Nor do they depend
// on ranks: each has consecutive chunks, and continues the sum of the ranks before it. What the interface numbers is
// numbered over all ranks; what this class keeps is this rank's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "pass/code_pass.hpp"
#include "pass/code_store.hpp"
#include "pass/mean_residuals.hpp"
#include "pass/signal_share.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

/// What work on the blocks of a pass needs, besides the signals.
struct BlockNeeds {
    bool entries = true;     ///< variances or means of the code entries, which it changes
    bool on_off = false;     ///< on/off codes
    bool statistics = true;  ///< which are cleared before and summed after
};

class ThreadPass final : public CodePass {
public:
    /// `root_mean_square` is that of the signals in the user's units, `values` the number of their observed entries;
    /// none: they are complete, or only their codes are wanted. The kernels must outlive this object. On disk,
    /// `storage` is for this rank's codes.
    ThreadPass(const SignalShare& share, double root_mean_square, std::size_t atom_count, const KernelSet& kernels,
               int threads, std::optional<double> values = {}, RankGroup ranks = RankGroup(), CodeStorage storage = {});

    void move_to(const SignalShare& share) override;
    void start_codes(double variance) override;
    void start_mean_codes() override;
    const SufficientStats& sweep(const GibbsSweep& sweep, const Vec* scale = nullptr) override;
    const SufficientStats& sweep(const VbSweep& sweep, const Vec* scale = nullptr) override;
    const SufficientStats& sweep(const OnOffSweep& sweep, const Vec* scale = nullptr) override;
    const SufficientStats& sweep(const OnOffMeansSweep& sweep, const Vec* scale = nullptr) override;
    OnOffRestarted restart(const OnOffRestart& restart) override;
    void settle(const VbSweep& sweep, int most, const Vec& scale) override;
    void code_supports(const SupportCoding& coding, const Vec& scale) override;
    void begin_record(bool on_off = false) override { record_.emplace(share_.count(), atom_count(), on_off); }
    CodeRecord take_record() override;
    [[nodiscard]] Mat reconstruct(const Mat& D, std::span<const std::size_t> signals) const override;
    [[nodiscard]] AtomPull pull_on(std::size_t atom) const override;
    void move_atom(std::size_t atom, const Vec& change) override;
    [[nodiscard]] Vec signal(std::size_t l) const override;
    [[nodiscard]] Mat spread_signals(std::size_t most) const override;
    [[nodiscard]] std::vector<std::size_t> densest_signals(std::size_t most) const override;
    [[nodiscard]] int threads() const override { return threads_; }
    void archive(StateArchive& archive) override;

    /// The signals of this rank.
    [[nodiscard]] const SignalShare& share() const { return share_; }
    /// The prior variance of every code entry: blocks of N x block_size, as BlockView::code_var.
    [[nodiscard]] std::vector<double> code_variances() const;
    /// The on/off codes of block number `block`, one row per signal of the block.
    [[nodiscard]] SparseCodes on_off_codes(std::size_t block) const;

private:
    using BlockWork = std::function<void(const BlockView&, SufficientStats&, Workspace&)>;

    /// The scratch of one thread for on/off codes.
    struct OnOffBench : BlockRestart::Scratch {
        OnOffStore::Room present;
    };

    /// Chooses this rank's part of the signals, and makes room for their state.
    void begin_share(const SignalShare& all);
    [[nodiscard]] bool is_mine(std::size_t l) const { return l - first_ < share_.count(); }
    /// The rank that has signal l.
    [[nodiscard]] int owner_of(std::size_t l) const;
    /// Statistics of single entries are asked for once, before the first sweep that needs them.
    void begin_seen(void (SufficientStats::*begin)());
    /// Runs `work` on every block.
    void run(const BlockWork& work, const BlockNeeds& needs = {});
    /// The block will soon be worked on.
    void prefetch(std::size_t block, const BlockNeeds& needs) const;
    [[nodiscard]] Eigen::Map<const Mat> signals_in(const BlockView& view) const {
        return {view.signals, share_.dim(), static_cast<Eigen::Index>(view.count)};
    }
    /// The number of the block.
    [[nodiscard]] std::size_t block_of(const BlockView& view) const {
        return (view.first_signal - share_.offset()) / block_size;
    }
    /// The bench of the thread to which the workspace belongs.
    OnOffBench& bench_of(const Workspace& workspace) {
        return on_off_benches_[static_cast<std::size_t>(&workspace - workspaces_.data())];
    }
    /// All codes off, unless there are codes.
    void begin_on_off_codes();
    /// Throws NumericError unless the codes are means of on/off codes, or are not: a changed checkpoint may say so.
    void require_means(bool wanted) const;
    /// For signals with gaps, a block's residuals, and after the sweep the users of each atom.
    void keep_residuals(const BlockView& view, const Mat& left);
    void list_users();
    void add_on_off_statistics(const BlockView& view, const SparseCodes& codes, SufficientStats& sums) const;
    void add_up();
    /// The state of a block that has this number among those of all ranks.
    void archive_block(StateArchive& archive, std::size_t block, bool on_off);

    mutable RankGroup ranks_;
    SignalShare share_;
    std::size_t first_ = 0;  // of the share, among all signals
    Partition chunks_;       // the blocks of this rank in chunks
    const KernelSet& kernels_;
    int threads_;
    int threads_of_first_;                // rank 0's, which decide the size of messages
    std::unique_ptr<GibbsKernel> gibbs_;  // made when they are first used
    std::unique_ptr<VbKernel> vb_;
    std::size_t chunk_number_ = 0;  // of all ranks
    CodeStorage storage_;
    CodeStore entries_;  // blocks of N x block_size: variances, or with has_means_ the means of on/off codes under VB
    OnOffStore on_off_;  // empty until the first sweep of on/off codes
    Mat residuals_;      // of on/off codes, NaN where an entry is missing; empty without gaps
    std::optional<MeanResiduals> mean_residuals_;  // of on/off means with gaps, until codes are drawn
    SparseCodes joined_;                           // the codes of all blocks, and by atom; the same
    std::optional<AtomUsers> users_;
    std::vector<double> density_;
    std::optional<CodeRecord> record_;
    std::vector<SufficientStats> chunk_stats_;
    std::vector<double> sum_;  // all numbers of the total, while it is summed
    SufficientStats total_;
    std::vector<Workspace> workspaces_;  // one per thread, like the next
    std::vector<std::vector<double>> signal_buffer_;
    std::vector<AlignedDoubles> code_buffer_;
    std::vector<AlignedDoubles> entry_room_;
    std::vector<OnOffBench> on_off_benches_;
    bool has_on_off_ = false, has_means_ = false;    // which codes there are, also for a rank without signals
    const SupportCoding* support_coding_ = nullptr;  // what the next were made for
    std::vector<SupportChain> support_chains_;       // one per thread
};

/// How many chunks a pass has. A large number is a power of two, so that as many threads finish together.
std::size_t chunk_count(std::size_t signals, std::size_t dim, std::size_t atoms);

}  // namespace sbdl
