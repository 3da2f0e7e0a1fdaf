// What both passes have in common: rows on threads (or stretches of the only row), correlations of their patches by one
// matrix product, counting, averaging. They differ in the estimate of one patch.
#include "denoise/image_passes.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/linalg.hpp"
#include "base/small_system.hpp"
#include "base/stop.hpp"
#include "denoise/pass_journal.hpp"
#include "denoise/patch_average.hpp"
#include "denoise/patches.hpp"
#include "denoise/row_workers.hpp"
#include "denoise/white_patches.hpp"

namespace sbdl {
namespace {

constexpr double mean_freedom = 0.5;  // degrees of freedom at which a patch's own mean has a share of a half

/// The estimate of a patch: pixels minus their mean, variances, and the weight of the patch.
struct PatchEstimate {
    std::vector<double> pixels;
    std::vector<double> variances;
    double weight = 1.0;
    double own_mean = 1.0;  ///< share of the noisy patch's mean in the estimated mean; the rest is the coded patch's
    std::size_t atoms = 0;
};

/// The squared norm of a patch of noise of tolerance * sigma.
double patch_error2(double tolerance, const PassSetting& setting) {
    return tolerance * tolerance * setting.sigma * setting.sigma * static_cast<double>(setting.omp.dim());
}

/// The atoms as they appear in the image.
MatrixView pixel_atoms(const PassSetting& setting) {
    return setting.white != nullptr ? setting.white->pixel_atoms() : setting.dictionary;
}

/// Variance of the noise of a patch's mean.
double mean_noise_variance(const PassSetting& setting) {
    return setting.white != nullptr ? setting.white->whitening().mean_variance()
                                    : setting.sigma * setting.sigma / static_cast<double>(setting.omp.dim());
}

/// Makes the noise of patches white, if it is not.
void whiten(const PassSetting& setting, double* patches, std::size_t count) {
    if (setting.white == nullptr) return;
    const Mat& by = setting.white->whitening().whiten();
    Eigen::Map<Mat> columns(patches, by.cols(), static_cast<Eigen::Index>(count));
    columns = (by * columns).eval();
}

/// What the code leaves of a patch, in units of the image. `patch` is replaced by it.
void leave_rest(const PassSetting& setting, const BatchOmp::Code& code, std::span<double> patch) {
    for (std::size_t k = 0; k < code.atoms.size(); ++k) {
        const std::span<const double> atom = setting.dictionary.row(code.atoms[k]);
        for (std::size_t i = 0; i < patch.size(); ++i) patch[i] -= code.values[k] * atom[i];
    }
    if (setting.white == nullptr) return;
    Eigen::Map<Vec> rest(patch.data(), static_cast<Eigen::Index>(patch.size()));
    rest = (setting.white->whitening().colour() * rest).eval();
}

/// The patches that a thread takes at a time: a row of them. The only row of a signal is cut into stretches, each of
/// which shares pixels with the two beside it alone.
class Stretches {
public:
    explicit Stretches(const PatchGrid& grid)
        : across_(grid.cols.size()),
          length_(grid.rows.size() > 1 ? across_ : std::min(across_, std::max(usual_length, grid.patch.width))),
          count_(grid.rows.size() > 1 ? grid.rows.size() : (across_ + length_ - 1) / length_),
          rows_(grid.rows.size()) {}

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t most_patches() const { return length_; }
    [[nodiscard]] std::size_t row(std::size_t stretch) const { return rows_ > 1 ? stretch : 0; }
    [[nodiscard]] std::size_t first_col(std::size_t stretch) const { return rows_ > 1 ? 0 : stretch * length_; }
    [[nodiscard]] std::size_t patches(std::size_t stretch) const {
        return std::min(length_, across_ - first_col(stretch));
    }
    /// How many stretches one after another may share a pixel.
    [[nodiscard]] std::size_t reach(const PatchGrid& grid) const { return rows_ > 1 ? grid.patch.height : 2; }

private:
    static constexpr std::size_t usual_length = 256;
    std::size_t across_, length_, count_, rows_;
};

/// Codes every patch of `coded` to a residual of squared norm max_error2 and runs estimator(code, patch of `noisy`,
/// out), with the means of the patches subtracted. Each thread has its own estimator, made by make_estimator().
template <class MakeEstimator>
PassResult run_pass(const Plane& noisy, const Plane& coded, double max_error2, const PassSetting& setting,
                    const MakeEstimator& make_estimator) {
    if (setting.journal != nullptr)
        if (std::optional<PassResult> finished = setting.journal->next()) return std::move(*finished);
    const PatchSize patch = setting.patch;
    const std::size_t dim = patch.size();
    const PatchGrid grid = patch_grid(noisy.rows(), noisy.cols(), patch, 1);
    const Stretches stretches(grid);
    const bool itself = &noisy == &coded;
    PatchAverage average(noisy, patch, setting.with_std);

    /// What one thread needs for a stretch of patches.
    struct Worker {
        Worker(const MakeEstimator& make, const PassSetting& setting, std::size_t across, std::size_t dim)
            : estimator(make()),
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
    RowWorkers<Worker> workers(setting.threads, stretches.count(), setting.progress);
    const auto estimate_row = [&](std::size_t stretch, int thread) {
        Worker& w = workers.of(thread, make_estimator, setting, stretches.most_patches(), dim);
        const std::size_t row = stretches.row(stretch), first = stretches.first_col(stretch);
        const std::size_t across = stretches.patches(stretch);
        for (std::size_t col = 0; col < across; ++col)
            w.means[col] = read_patch(coded, row, first + col, patch, 1.0, w.patches.data() + col * dim);
        whiten(setting, w.patches.data(), across);
        w.block.load(w.patches.data(), across, max_error2);
        for (std::size_t col = 0; col < across; ++col) {
            look_for_stop();
            const BatchOmp::Code code = w.block.code(col);
            double* const own = w.patches.data() + col * dim;
            const double mean = itself ? w.means[col] : read_patch(noisy, row, first + col, patch, 1.0, w.other.data());
            if (!itself) whiten(setting, w.other.data(), 1);
            w.estimate.atoms = code.atoms.size();
            w.estimator(code, std::span<const double>(itself ? own : w.other.data(), dim), w.estimate);
            const double level = w.means[col] + w.estimate.own_mean * (mean - w.means[col]);
            const bool unexplained =
                setting.short_codes && code.residual2 > max_error2 && code.atoms.size() == setting.omp.most_nonzeros();
            if (unexplained)
                leave_rest(setting, code, {own, dim});
            else
                std::fill_n(own, dim, 0.0);
            for (std::size_t i = 0; i < dim; ++i) own[i] += w.estimate.pixels[i] + level;
            w.weights[col] = w.estimate.weight;
            if (setting.with_std && unexplained)  // all of the noise is left
                std::fill_n(w.variances.data() + col * dim, dim, setting.sigma * setting.sigma);
            else if (setting.with_std)
                std::ranges::copy(w.estimate.variances, w.variances.data() + col * dim);
            ++w.sizes[w.estimate.atoms];
        }
    };
    const auto add_row = [&](std::size_t stretch, int thread) {
        const Worker& w = workers.made(thread);
        const std::size_t row = stretches.row(stretch), first = stretches.first_col(stretch);
        for (std::size_t col = 0; col < stretches.patches(stretch); ++col)
            average.add(row, first + col, w.weights[col], std::span(w.patches).subspan(col * dim, dim),
                        std::span(w.variances).subspan(setting.with_std ? col * dim : 0));
        workers.count_row();
    };
    const auto finish = [&](std::size_t end) {
        if (end == stretches.count())
            average.finish_rows(noisy.rows());
        else if (grid.rows.size() > 1)
            average.finish_rows(grid.rows[end]);
    };
    for_each_row(stretches.count(), stretches.reach(grid), strip_rows, setting.threads, estimate_row, add_row, finish);

    PatchAverage::Result averaged = std::move(average).result();
    PassResult result{std::move(averaged.mean), std::move(averaged.std),
                      std::vector<int>(setting.omp.most_nonzeros() + 1)};
    for (const std::optional<Worker>& w : workers.all())
        for (std::size_t k = 0; w && k < w->sizes.size(); ++k) result.code_sizes[k] += w->sizes[k];
    while (result.code_sizes.size() > 1 && result.code_sizes.back() == 0) result.code_sizes.pop_back();
    if (setting.journal != nullptr) setting.journal->add(result);
    return result;
}

class PursuitEstimator {
public:
    PursuitEstimator(const PassSetting& setting, bool sparse_counts_more)
        : setting_(setting), sparse_counts_more_(sparse_counts_more) {}

    void operator()(const BatchOmp::Code& code, std::span<const double>, PatchEstimate& out) {
        out.weight = sparse_counts_more_ ? 1.0 / (1.0 + static_cast<double>(out.atoms)) : 1.0;
        std::fill(out.pixels.begin(), out.pixels.end(), 0.0);
        for (std::size_t k = 0; k < code.atoms.size(); ++k) {
            const std::span<const double> atom = pixel_atoms(setting_).row(code.atoms[k]);
            for (std::size_t i = 0; i < atom.size(); ++i) out.pixels[i] += code.values[k] * atom[i];
        }
        if (setting_.with_std) add_variances(code.atoms, out);
    }

private:
    // Least squares on the chosen atoms: sigma^2 times the projection onto their span, plus the variance of the mean.
    void add_variances(std::span<const std::uint32_t> atoms, PatchEstimate& out) {
        const auto dim = static_cast<Eigen::Index>(setting_.omp.dim());
        const double variance = setting_.sigma * setting_.sigma;
        std::fill(out.variances.begin(), out.variances.end(), mean_noise_variance(setting_));
        if (atoms.empty()) return;
        chosen_.resize(dim, static_cast<Eigen::Index>(atoms.size()));
        for (std::size_t k = 0; k < atoms.size(); ++k)
            chosen_.col(static_cast<Eigen::Index>(k)) =
                Eigen::Map<const Vec>(setting_.dictionary.row(atoms[k]).data(), dim);
        Mat basis = Eigen::HouseholderQR<Mat>(chosen_).householderQ() * Mat::Identity(dim, chosen_.cols());
        if (setting_.white != nullptr) basis = (setting_.white->whitening().colour() * basis).eval();
        for (Eigen::Index i = 0; i < dim; ++i)
            out.variances[static_cast<std::size_t>(i)] += variance * basis.row(i).squaredNorm();
    }

    const PassSetting& setting_;
    bool sparse_counts_more_;
    Mat chosen_;
};

// With S the atoms of the pilot's code and a its coefficients, the model of a noisy patch z is z = D_S x + w with
// x_k ~ N(0, a_k^2). It is written with x = diag(a) u, so that small coefficients do no harm:
//
//     Q = diag(a) D_S^T D_S diag(a) + sigma^2 I
//     mean of x = diag(a) Q^-1 diag(a) D_S^T z,   covariance of x = sigma^2 diag(a) Q^-1 diag(a)
//
// The patch keeps tr(Q^-1 diag(a) D_S^T D_S diag(a)) = |S| - sigma^2 tr Q^-1 degrees of freedom of its noise.
class PosteriorEstimator {
public:
    explicit PosteriorEstimator(const PassSetting& setting)
        : setting_(setting), noise_(setting.sigma * setting.sigma) {}

    void operator()(const BatchOmp::Code& code, std::span<const double> noisy, PatchEstimate& out) {
        const std::size_t count = code.atoms.size();
        system_.resize(count);
        mean_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            mean_[i] = code.values[i] * atom(code.atoms[i]).dot(as_vector(noisy));
            for (std::size_t k = 0; k <= i; ++k)
                system_.at(i, k) =
                    code.values[i] * code.values[k] * setting_.omp.atom_product(code.atoms[i], code.atoms[k]);
            system_.at(i, i) += noise_;
        }
        system_.factor(noise_);  // no pivot is smaller, except by rounding
        system_.solve(mean_.data());

        Eigen::Map<Vec> pixels(out.pixels.data(), static_cast<Eigen::Index>(out.pixels.size()));
        pixels.setZero();
        for (std::size_t i = 0; i < count; ++i)
            pixels += code.values[i] * mean_[i] * as_vector(pixel_atoms(setting_).row(code.atoms[i]));
        const double most = static_cast<double>(count);
        const double freedom = std::clamp(most - noise_ * system_.inverse_trace(column_), 0.0, most);
        out.weight = 1.0 / (1.0 + freedom);
        // In a quiet patch the mean of the first estimate, which averages many patches, is better than that of one
        // noisy patch; in a patch with much detail the first estimate may be too smooth.
        out.own_mean = freedom / (freedom + mean_freedom);
        if (setting_.with_std) add_variances(code, out);
    }

private:
    static Eigen::Map<const Vec> as_vector(std::span<const double> values) {
        return {values.data(), static_cast<Eigen::Index>(values.size())};
    }
    [[nodiscard]] Eigen::Map<const Vec> atom(std::size_t n) const { return as_vector(setting_.dictionary.row(n)); }

    // For pixel m: sigma^2 v^T Q^-1 v with v = diag(a) times row m of D_S, plus the variance of the mean.
    void add_variances(const BatchOmp::Code& code, PatchEstimate& out) {
        const MatrixView atoms = pixel_atoms(setting_);
        const double of_mean = mean_noise_variance(setting_);
        for (std::size_t m = 0; m < out.variances.size(); ++m) {
            for (std::size_t k = 0; k < mean_.size(); ++k) mean_[k] = code.values[k] * atoms(code.atoms[k], m);
            system_.forward(mean_.data(), 0);
            const double kept = std::inner_product(mean_.begin(), mean_.end(), mean_.begin(), 0.0);
            out.variances[m] = noise_ * kept + of_mean;
        }
    }

    const PassSetting& setting_;
    double noise_;
    SmallSystem system_;
    std::vector<double> mean_;    // of u
    std::vector<double> column_;  // scratch
};

}  // namespace

PassResult pursuit_pass(const Plane& noisy, double tolerance, bool sparse_counts_more, const PassSetting& setting) {
    return run_pass(noisy, noisy, patch_error2(tolerance, setting), setting,
                    [&] { return PursuitEstimator(setting, sparse_counts_more); });
}

PassResult posterior_pass(const Plane& noisy, const Plane& pilot, double tolerance, const PassSetting& setting) {
    return run_pass(noisy, pilot, patch_error2(tolerance, setting), setting,
                    [&] { return PosteriorEstimator(setting); });
}

}  // namespace sbdl
