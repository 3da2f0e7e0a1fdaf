// ./dev bench sparse_path, or sbdl_bench_sparse_path IMAGE: a Gibbs sweep over the patches of a noisy image after
// burn-in, with the dense path forced and with each block on its cheaper path; and by how much the two differ.
//
// The chain is like that of a denoiser: it starts from an l1 dictionary, on patches whose noise is 1, and is held at
// about that: at 1.1 times it, as for weak images, and at what `sbdl denoise` takes for this one; signals have more
// active atoms where that is less. Without a file the image is the painted one.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "denoise/patch_dictionary.hpp"
#include "denoise/patches.hpp"
#include "dgemm_rate.hpp"
#include "figures.hpp"
#include "kernels/cpu/cpu_kernels.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "sbdl/image.hpp"
#include "sbdl/online.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"

namespace {

using namespace sbdl;

constexpr double sigma = 25.0;
constexpr int atoms = 256;
constexpr std::size_t patch = 8, most_patches = 15625;
constexpr int burnt_in = 40, rounds = 8;
constexpr double weak_noise = 1.1;

/// A chain's kernel that can be told which path to take.
class SwitchedKernel final : public GibbsKernel {
public:
    explicit SwitchedKernel(const GibbsPath& path) : path_(path) {}
    void begin_sweep(const GibbsSweep& sweep) override { now().begin_sweep(sweep); }
    void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const override {
        now().block(view, stats, workspace);
    }

private:
    [[nodiscard]] GibbsKernel& now() const { return path_ == GibbsPath::dense ? *dense_ : *cheaper_; }
    const GibbsPath& path_;
    std::unique_ptr<GibbsKernel> dense_ = make_gibbs_cpu(GibbsPath::dense), cheaper_ = make_gibbs_cpu();
};

class SwitchedKernels final : public KernelSet {
public:
    [[nodiscard]] std::string_view name() const override { return "cpu"; }
    [[nodiscard]] std::unique_ptr<GibbsKernel> gibbs() const override { return std::make_unique<SwitchedKernel>(path); }
    [[nodiscard]] std::unique_ptr<VbKernel> vb() const override { return make_vb_cpu(); }
    GibbsPath path = GibbsPath::cheaper;
};

Model l1_start(const SignalSource& patches) {
    OnlineOptions online = OnlineOptions::preset(Preset::standard, atoms);
    online.sweeps = 5;
    online.lambda = std::sqrt(std::log(static_cast<double>(atoms)));
    Model start = train(patches, online).model;
    start.noise_sd = 1.0;
    start.trace = {};
    start.atom_norm.assign(atoms, static_cast<double>(patch));
    return start;
}

GibbsOptions chain_options(double held_noise) {
    GibbsOptions options = GibbsOptions::preset(Preset::standard, atoms);
    options.code_rate = 1e-6;
    options.noise_shape = 1e9;
    options.noise_rate = options.noise_shape * held_noise * held_noise;
    options.anneal_growth = 0.0;
    options.refresh_every = 0;
    options.burn_in = burnt_in / 2;
    return options;
}

/// By how much the paths differ, from the same state.
struct Difference {
    // The largest difference of a signal's codes, relative to their size.
    double plain = 0.0;      ///< each code times its atom's norm
    double posterior = 0.0;  ///< in posterior standard deviations, the norm of gamma D^T D + diag(alpha)
    // The largest difference that the statistics make to the mean of an atom given the others, entry by entry (rms), in
    // its standard deviations.
    double atoms = 0.0;
};

/// Both paths from the state that the signals are in; `counts` are those of the sparse one.
Difference compare(BlockSweep& signals, const Mat& D, GibbsSweep sweep, GibbsPathCounts& counts) {
    sweep.dictionary = &D;
    const double gamma = sweep.noise_precision;
    std::vector<Mat> dense_codes((signals.signal_count() + block_size - 1) / block_size);
    const auto run = [&](GibbsKernel& kernel, const auto& seen) -> SufficientStats {
        kernel.begin_sweep(sweep);
        return signals.run([&](BlockView view, SufficientStats& stats, Workspace& workspace) {
            using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
            const std::size_t size = atoms * block_size;
            AlignedDoubles before(view.code_var, view.code_var + size), codes(size);
            view.codes = codes.data();
            kernel.block(view, stats, workspace);
            std::copy(before.begin(), before.end(), view.code_var);
            const auto of = [&](AlignedDoubles& rows) -> Mat {
                const auto count = static_cast<Eigen::Index>(view.count);
                return Eigen::Map<Lanes>(rows.data(), atoms, block_size).leftCols(count);
            };
            seen(view.first_signal / block_size, of(codes), of(before));
        });
    };
    const auto dense = make_gibbs_cpu(GibbsPath::dense), cheaper = make_gibbs_cpu(GibbsPath::cheaper, &counts);
    const SufficientStats want =
        run(*dense, [&](std::size_t block, const Mat& codes, const Mat&) { dense_codes[block] = codes; });
    const Vec norm = D.colwise().norm().transpose();
    Difference worst;
    std::mutex mutex;
    const SufficientStats got = run(*cheaper, [&](std::size_t block, const Mat& codes, const Mat& variance) {
        const Mat &x = dense_codes[block], error = codes - x;
        const auto plain = [&](const Mat& values) -> Eigen::ArrayXd {
            return (norm.asDiagonal() * values).colwise().norm().transpose();
        };
        const auto posterior = [&](const Mat& values) -> Eigen::ArrayXd {
            return (gamma * (D * values).colwise().squaredNorm() +
                    values.cwiseAbs2().cwiseQuotient(variance).colwise().sum())
                .cwiseSqrt()
                .transpose();
        };
        const std::lock_guard lock(mutex);
        worst.plain = std::max(worst.plain, (plain(error) / plain(x)).maxCoeff());
        worst.posterior = std::max(worst.posterior, (posterior(error) / posterior(x)).maxCoeff());
    });
    const Mat error = (got.y_xt - D * got.x_xt) - (want.y_xt - D * want.x_xt);
    const Eigen::ArrayXd precision = gamma * want.x_xt.diagonal().array();
    worst.atoms = (gamma * error.colwise().norm().transpose().array() / (precision * D.rows()).sqrt()).maxCoeff();
    return worst;
}

void measure(const std::string& image, const SignalSource& patches, const Model& start, double held_noise, int threads,
             const bench::Figures& figures) {
    const GibbsOptions options = chain_options(held_noise);
    SwitchedKernels kernels;
    BlockSweep signals(patches, 1.0, atoms, threads);
    GibbsChain chain(signals, options, kernels, 1, 0, &start);
    int sweep = 0;
    double gamma = 0.0;
    for (; sweep < burnt_in; ++sweep) gamma = chain.sweep(sweep).gamma;

    GibbsPathCounts counts;
    const Difference difference = compare(
        signals, chain.dictionary(),
        {.noise_precision = gamma, .code_prior = {options.code_shape, *options.code_rate}, .seed = 5, .sweep = 9},
        counts);
    double dense = 1e300, cheaper = 1e300;
    for (int round = 0; round < rounds; ++round)
        for (const GibbsPath path : {GibbsPath::dense, GibbsPath::cheaper}) {
            kernels.path = path;
            double& best = path == GibbsPath::dense ? dense : cheaper;
            best = std::min(best, bench::seconds_of([&] { chain.sweep(sweep++); }));
        }
    const auto L = static_cast<double>(signals.signal_count());
    const auto tiles = static_cast<double>(counts.sparse_tiles);
    fmt::print(
        "{:>5.2f} {:>7} {:>10.2f} {:>10.2f} {:>7.2f} {:>13.1f} {:>12.2f} {:>12.3f} {:>9} {:>9.1e} {:>9.1e} {:>9.1e}\n",
        held_noise, threads, 1e6 * dense / L, 1e6 * cheaper / L, dense / cheaper,
        static_cast<double>(counts.active) / L, static_cast<double>(counts.steps) / tiles,
        tiles / (tiles + static_cast<double>(counts.dense_tiles)), counts.given_up.load(), difference.plain,
        difference.posterior, difference.atoms);
    const std::string where = fmt::format("{}, noise held at {:.2f}/threads {}", image, held_noise, threads);
    figures.add("gibbs sweep, sparse path against dense/" + where, dense / cheaper, "times", bench::Better::higher,
                2.5);
    figures.add("gibbs sweep, sparse path/difference of codes/" + where, difference.posterior, "relative",
                bench::Better::lower);
    figures.add("gibbs sweep, sparse path/difference of atoms/" + where, difference.atoms, "standard deviations",
                bench::Better::lower);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        const ComputeScope scope;
        const bench::Figures figures(count, arguments);
        const bool given = count > 1 && std::string_view(arguments[1]) != "--json";
        const Image truth = given ? read_image(arguments[1]) : make_image(256, 256, /*colour=*/false, /*seed=*/1);
        const std::string name = given ? std::filesystem::path(arguments[1]).stem().string() : "painted";
        const Image noisy = make_noisy(truth, sigma, 1);
        const PatchSource patches(noisy.planes, {sigma}, patch_grid(noisy.height(), noisy.width(), patch, 1),
                                  most_patches);
        const Model start = l1_start(patches);
        fmt::print("{:>5} {:>7} {:>10} {:>10} {:>7} {:>13} {:>12} {:>12} {:>9} {:>9} {:>9} {:>9}\n", "noise", "threads",
                   "dense us", "sparse us", "ratio", "active atoms", "steps a tile", "sparse share", "given up",
                   "plain", "posterior", "atoms");
        std::vector<int> thread_counts{1};
        if (resolve_threads(0) > 1) thread_counts.push_back(resolve_threads(0));
        for (const double held_noise : {weak_noise, chain_noise(patches)})
            for (const int threads : thread_counts) measure(name, patches, start, held_noise, threads, figures);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
