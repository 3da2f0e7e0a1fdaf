// What both passes over the patches of a plane share: bands over threads, correlations of a row of patches by one
// matrix product, counting, averaging.
#pragma once

#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include "denoise/patch_average.hpp"
#include "denoise/patch_grid.hpp"
#include "denoise/patches.hpp"
#include "denoise/picture_passes.hpp"

namespace sbdl {

/// A patch's estimate: pixels about its mean, their variances, and the patch's weight.
struct PatchEstimate {
    std::vector<double> pixels;
    std::vector<double> variances;
    double weight = 1.0;
    double own_mean = 1.0;  ///< share of the noisy patch's mean in the patch's; the rest is that of the coded patch
    std::size_t atoms = 0;
};

/// Runs estimator(patch of `coded`, its correlations, patch of `noisy`, out) on every patch, both without their means;
/// one estimator a thread, made by make_estimator().
template <class MakeEstimator>
PassResult run_pass(const Matrix& noisy, const Matrix& coded, const PassSetting& setting,
                    const MakeEstimator& make_estimator) {
    const std::size_t patch = setting.patch;
    const std::size_t dim = patch * patch;
    const std::size_t atoms = setting.omp.atoms();
    const PatchGrid grid = patch_grid(noisy.rows(), noisy.cols(), patch, 1);
    const std::size_t across = grid.cols.size();
    PatchAverage average(noisy.rows(), noisy.cols(), patch, setting.with_deviation);

    struct Worker {
        Worker(decltype(make_estimator()) from, const PassSetting& setting, std::size_t across, std::size_t dim)
            : estimator(std::move(from)),
              patches(across * dim),
              correlations(across * setting.omp.atoms()),
              means(across),
              other(dim),
              sizes(setting.omp.most_nonzeros() + 1) {
            estimate.pixels.resize(dim);
            if (setting.with_deviation) estimate.variances.resize(dim);
        }
        decltype(make_estimator()) estimator;
        std::vector<double> patches, correlations, means, other;
        PatchEstimate estimate;
        std::vector<int> sizes;
    };
    std::vector<Worker> workers;
    workers.reserve(static_cast<std::size_t>(setting.threads));
    for (int t = 0; t < setting.threads; ++t) workers.emplace_back(make_estimator(), setting, across, dim);
    std::atomic<std::size_t> rows_done{0};
    for_each_band(grid.rows.size(), patch, setting.threads, [&](std::size_t first, std::size_t last, int thread) {
        Worker& w = workers[static_cast<std::size_t>(thread)];
        for (std::size_t row = first; row < last; ++row) {
            for (std::size_t col = 0; col < across; ++col)
                w.means[col] = read_patch(coded, row, col, patch, 1.0, w.patches.data() + col * dim);
            setting.omp.correlate(w.patches.data(), across, w.correlations.data());
            for (std::size_t col = 0; col < across; ++col) {
                const double mean = read_patch(noisy, row, col, patch, 1.0, w.other.data());
                w.estimator(std::span<const double>(w.patches.data() + col * dim, dim),
                            std::span<const double>(w.correlations.data() + col * atoms, atoms),
                            std::span<const double>(w.other), w.estimate);
                const double level = w.means[col] + w.estimate.own_mean * (mean - w.means[col]);
                for (double& pixel : w.estimate.pixels) pixel += level;
                average.add(row, col, w.estimate.weight, w.estimate.pixels, w.estimate.variances);
                ++w.sizes[w.estimate.atoms];
            }
        }
        if (setting.progress)
            setting.progress(static_cast<double>(rows_done += last - first) / static_cast<double>(grid.rows.size()));
    });

    PassResult result{average.mean(), setting.with_deviation ? average.deviation() : Matrix{},
                      std::vector<int>(setting.omp.most_nonzeros() + 1)};
    for (const Worker& w : workers)
        for (std::size_t k = 0; k < w.sizes.size(); ++k) result.code_sizes[k] += w.sizes[k];
    while (result.code_sizes.size() > 1 && result.code_sizes.back() == 0) result.code_sizes.pop_back();
    return result;
}

}  // namespace sbdl
