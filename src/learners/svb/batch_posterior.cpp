#include "learners/svb/batch_posterior.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/products.hpp"
#include "learners/svb/stats_sums.hpp"

namespace sbdl {
namespace {

constexpr int settling_sweeps = 2;        // of a batch, at the inferred noise
constexpr std::size_t most_chunks = 32;   // of a batch, each with statistics of its own
constexpr double signal_precision = 1.0;  // in the learner's units

}  // namespace

BatchPosterior::BatchPosterior(Eigen::Index dim, Eigen::Index atoms, int sweeps, int threads)
    : dim_(dim),
      atoms_(atoms),
      sweeps_(sweeps),
      threads_(threads),
      total_(dim, atoms),
      benches_(static_cast<std::size_t>(threads)) {}

std::vector<OnOffMeans> BatchPosterior::plan(const OnOffPosterior& q, const Vec& prior_log_odds) const {
    const double noise = q.noise.mean();
    const int rising = std::max(1, sweeps_ - settling_sweeps);
    std::vector<OnOffMeans> plan;
    for (int sweep = 0; sweep < sweeps_; ++sweep) {
        const double way = std::min(1.0, static_cast<double>(sweep) / rising);
        plan.emplace_back(OnOffMeansSweep{.dictionary = &q.atoms,
                                          .atom_spread = &q.spread,
                                          .prior_log_odds = &prior_log_odds,
                                          .noise_precision = signal_precision * std::pow(noise / signal_precision, way),
                                          .code_precision = q.codes.mean(),
                                          .log_code_precision = q.codes.mean_log(),
                                          .statistics = sweep + 1 == sweeps_});
    }
    return plan;
}

const SufficientStats& BatchPosterior::code(const Mat& Y, const OnOffPosterior& q, const Record* record) {
    const Blocks blocks(static_cast<std::size_t>(Y.cols()), block_size);
    const Parts chunks(blocks.number(), std::min(blocks.number(), most_chunks));
    codes_.assign(blocks.number() * block_size * static_cast<std::size_t>(atoms_), 0.0);
    while (chunks_.size() < chunks.number()) chunks_.emplace_back(dim_, atoms_);
    const Vec prior_log_odds = q.log_on - q.log_off;
    const std::vector<OnOffMeans> sweeps = plan(q, prior_log_odds);
    parallel_for(chunks, threads_, [&](const IndexRange& chunk, int thread) {
        SufficientStats& stats = chunks_[chunk.number];
        stats.set_zero();
        for (std::size_t block = chunk.first; block < chunk.end(); ++block)
            code_block(Y, blocks[block], sweeps, static_cast<std::size_t>(thread), stats, record);
    });
    total_.set_zero();
    for (std::size_t i = 0; i < chunks.number(); ++i) add(total_, chunks_[i]);
    total_.mirror();
    total_.objective.log_code_var = total_.users.sum() * std::log(sweeps.back().code_var());
    return total_;
}

void BatchPosterior::code_block(const Mat& Y, const IndexRange& block, const std::vector<OnOffMeans>& plan,
                                std::size_t thread, SufficientStats& stats, const Record* record) {
    const std::size_t entries = block_size * static_cast<std::size_t>(atoms_);
    Bench& bench = benches_[thread];
    BlockView view{.first_signal = block.first,
                   .count = block.size,
                   .signals = Y.col(static_cast<Eigen::Index>(block.first)).data(),
                   .codes = codes_.data() + block.number * entries};
    if (record != nullptr) {
        bench.var.resize(entries);
        bench.on.resize(entries);
        view.codes_var = bench.var.data();
        view.codes_on = bench.on.data();
    }
    for (const OnOffMeans& sweep : plan) sweep.block(view, stats, bench.workspace);
    if (record != nullptr) record->record->replace(view, record->first_row + block.first, *record->scale);
}

Mat BatchPosterior::residuals(const Mat& Y, const OnOffPosterior& q) const {
    Mat left = Y;
    for (const IndexRange& block : Blocks(static_cast<std::size_t>(Y.cols()), block_size)) {
        const auto count = static_cast<Eigen::Index>(block.size);
        const Eigen::Map<const Mat, 0, Eigen::OuterStride<>> X(
            codes_.data() + block.number * block_size * static_cast<std::size_t>(atoms_), count, atoms_,
            Eigen::OuterStride<>(block_size));
        multiply_by_transposed(q.atoms, X, left.middleCols(static_cast<Eigen::Index>(block.first), count), -1.0, 1.0);
    }
    return left;
}

}  // namespace sbdl
