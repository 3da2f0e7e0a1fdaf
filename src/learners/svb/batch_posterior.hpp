// q(x, z) of the signals of a batch (docs/math.md, W1 and X2): begun anew for every batch, brought to rest with
// everything else fixed, and forgotten but for its statistics.
//
// All codes start at zero. At the noise that has been inferred they would stay with the first atoms they meet, so the
// noise precision first rises to it from that of the signals.
#pragma once

#include <vector>

#include "base/aligned.hpp"
#include "base/partition.hpp"
#include "kernels/kernel_set.hpp"
#include "learners/vb/on_off_vb.hpp"
#include "pass/code_record.hpp"
#include "pass/on_off_means.hpp"

namespace sbdl {

class BatchPosterior {
public:
    /// `sweeps` over the codes of each batch, of signals with a mean square of about 1.
    BatchPosterior(Eigen::Index dim, Eigen::Index atoms, int sweeps, int threads);

    /// Where to put the moments of the codes: into these rows of a record, entries multiplied by `scale`.
    struct Record {
        CodeRecord* record;
        std::size_t first_row;
        const Vec* scale;
    };

    /// Codes the columns of Y. Returns their expected statistics, which the number of threads does not change; their
    /// log_code_var is the sum of w ln eta. Valid until the next call.
    const SufficientStats& code(const Mat& Y, const OnOffPosterior& q, const Record* record = nullptr);

    /// What the means of the codes leave of the columns of Y, the last batch.
    [[nodiscard]] Mat residuals(const Mat& Y, const OnOffPosterior& q) const;

private:
    /// The sweeps over the codes, in order.
    [[nodiscard]] std::vector<OnOffMeans> plan(const OnOffPosterior& q, const Vec& prior_log_odds) const;
    void code_block(const Mat& Y, const IndexRange& block, const std::vector<OnOffMeans>& plan, std::size_t thread,
                    SufficientStats& stats, const Record* record);

    /// A thread's own.
    struct Bench {
        Workspace workspace;
        AlignedDoubles var, on;  // of a block, if they are recorded
    };

    Eigen::Index dim_, atoms_;
    int sweeps_, threads_;
    AlignedDoubles codes_;  // <x> of the batch: blocks of N x block_size
    std::vector<SufficientStats> chunks_;
    SufficientStats total_;
    std::vector<Bench> benches_;
};

}  // namespace sbdl
