// What both passes over the patches of a plane have in common: rows on threads, correlations of a row of patches by
// one matrix product, counting, averaging.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include "coders/omp_block.hpp"
#include "denoise/image_passes.hpp"
#include "denoise/pass_journal.hpp"
#include "denoise/patch_average.hpp"
#include "denoise/patch_grid.hpp"
#include "denoise/patches.hpp"

namespace sbdl {

/// The estimate of a patch: pixels minus their mean, variances, and the weight of the patch.
struct PatchEstimate {
    std::vector<double> pixels;
    std::vector<double> variances;
    double weight = 1.0;
    double own_mean = 1.0;  ///< share of the noisy patch's mean in the estimated mean; the rest is the coded patch's
    std::size_t atoms = 0;
};

/// The squared norm of a patch of noise of tolerance * sigma.
inline double patch_error2(double tolerance, const PassSetting& setting) {
    return tolerance * tolerance * setting.sigma * setting.sigma * static_cast<double>(setting.omp.dim());
}

/// Codes every patch of `coded` to a residual of squared norm max_error2 and runs estimator(code, patch of `noisy`,
/// out), with the means of the patches subtracted. Each thread has its own estimator, made by make_estimator().
template <class MakeEstimator>
PassResult run_pass(const Matrix& noisy, const Matrix& coded, double max_error2, const PassSetting& setting,
                    const MakeEstimator& make_estimator) {
    if (setting.journal != nullptr)
        if (std::optional<PassResult> finished = setting.journal->next()) return std::move(*finished);
    const std::size_t patch = setting.patch;
    const std::size_t dim = patch * patch;
    const PatchGrid grid = patch_grid(noisy.rows(), noisy.cols(), patch, 1);
    const std::size_t across = grid.cols.size();
    const bool itself = &noisy == &coded;
    PatchAverage average(noisy.rows(), noisy.cols(), patch, setting.with_std);

    /// What one thread needs for one row of patches.
    struct Worker {
        Worker(decltype(make_estimator()) from, const PassSetting& setting, std::size_t across, std::size_t dim)
            : estimator(std::move(from)),
              block(setting.omp, across),
              patches(across * dim),
              variances(setting.with_std ? across * dim : 0),
              means(across),
              weights(across),
              other(dim),
              sizes(setting.omp.most_nonzeros() + 1) {
            estimate.pixels.resize(dim);
            if (setting.with_std) estimate.variances.resize(dim);
        }
        decltype(make_estimator()) estimator;
        OmpBlock block;
        std::vector<double> patches;  // one by one replaced by their estimates
        std::vector<double> variances, means, weights, other;
        PatchEstimate estimate;
        std::vector<int> sizes;
    };
    std::vector<Worker> workers;
    workers.reserve(static_cast<std::size_t>(setting.threads));
    for (int t = 0; t < setting.threads; ++t) workers.emplace_back(make_estimator(), setting, across, dim);
    const auto estimate_row = [&](std::size_t row, int thread) {
        Worker& w = workers[static_cast<std::size_t>(thread)];
        for (std::size_t col = 0; col < across; ++col)
            w.means[col] = read_patch(coded, row, col, patch, 1.0, w.patches.data() + col * dim);
        w.block.load(w.patches.data(), across, max_error2);
        for (std::size_t col = 0; col < across; ++col) {
            const BatchOmp::Code code = w.block.code(col);
            double* const own = w.patches.data() + col * dim;
            const double mean = itself ? w.means[col] : read_patch(noisy, row, col, patch, 1.0, w.other.data());
            w.estimate.atoms = code.atoms.size();
            w.estimator(code, std::span<const double>(itself ? own : w.other.data(), dim), w.estimate);
            const double level = w.means[col] + w.estimate.own_mean * (mean - w.means[col]);
            for (std::size_t i = 0; i < dim; ++i) own[i] = w.estimate.pixels[i] + level;
            w.weights[col] = w.estimate.weight;
            if (setting.with_std) std::ranges::copy(w.estimate.variances, w.variances.data() + col * dim);
            ++w.sizes[w.estimate.atoms];
        }
    };
    std::atomic<std::size_t> rows_done{0};
    const auto add_row = [&](std::size_t row, int thread) {
        const Worker& w = workers[static_cast<std::size_t>(thread)];
        for (std::size_t col = 0; col < across; ++col)
            average.add(row, col, w.weights[col], std::span(w.patches).subspan(col * dim, dim),
                        std::span(w.variances).subspan(setting.with_std ? col * dim : 0));
        if (setting.progress)
            setting.progress(static_cast<double>(++rows_done) / static_cast<double>(grid.rows.size()));
    };
    for_each_row(grid.rows.size(), patch, setting.threads, estimate_row, add_row);

    PassResult result{average.mean(), setting.with_std ? average.std() : Matrix{},
                      std::vector<int>(setting.omp.most_nonzeros() + 1)};
    for (const Worker& w : workers)
        for (std::size_t k = 0; k < w.sizes.size(); ++k) result.code_sizes[k] += w.sizes[k];
    while (result.code_sizes.size() > 1 && result.code_sizes.back() == 0) result.code_sizes.pop_back();
    if (setting.journal != nullptr) setting.journal->add(result);
    return result;
}

}  // namespace sbdl
