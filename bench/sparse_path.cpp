// ./dev bench sparse_path, or sbdl_bench_sparse_path IMAGE: a Gibbs sweep over the patches of a noisy image after
// burn-in, with the dense path forced and with each block on its cheaper path; and by how much the results differ.
//
// The chain is like that of a denoiser: it starts from an l1 dictionary, on patches whose noise is 1. The noise of the
// chain is fixed near that: at 1.1, as for weak images, and at the value that `sbdl denoise` uses for this image; with
// less noise signals have more active atoms. Without a file the image is a synthetic one.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "denoise/patch_dictionary.hpp"
#include "denoise/patches.hpp"
#include "dgemm_rate.hpp"
#include "figures.hpp"
#include "kernels/cpu/cpu_kernels.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "pass/signal_scan.hpp"
#include "pass/thread_pass.hpp"
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

/// A set whose Gibbs kernel takes the path it is given here.
class SwitchedKernels final : public KernelSet {
public:
    [[nodiscard]] std::unique_ptr<GibbsKernel> gibbs() const override;
    [[nodiscard]] std::unique_ptr<VbKernel> vb() const override { return make_vb_cpu(); }

    GibbsPath path = GibbsPath::cheaper;
    bool comparing = false;          ///< sweeps leave the prior variances as they were, and are counted
    mutable GibbsPathCounts counts;  ///< of the cheaper path, while comparing
};

class SwitchedKernel final : public GibbsKernel {
public:
    explicit SwitchedKernel(const SwitchedKernels& set)
        : set_(set), counted_(make_gibbs_cpu(GibbsPath::cheaper, &set.counts)) {}
    void begin_sweep(const GibbsSweep& sweep) override { now().begin_sweep(sweep); }
    void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const override {
        if (!set_.comparing) return now().block(view, stats, workspace);
        const AlignedDoubles before(view.code_var, view.code_var + atoms * block_size);
        now().block(view, stats, workspace);
        std::copy(before.begin(), before.end(), view.code_var);
    }

private:
    [[nodiscard]] GibbsKernel& now() const {
        if (set_.path == GibbsPath::dense) return *dense_;
        return set_.comparing ? *counted_ : *cheaper_;
    }
    const SwitchedKernels& set_;
    std::unique_ptr<GibbsKernel> dense_ = make_gibbs_cpu(GibbsPath::dense), cheaper_ = make_gibbs_cpu(), counted_;
};

std::unique_ptr<GibbsKernel> SwitchedKernels::gibbs() const {
    return std::make_unique<SwitchedKernel>(*this);
}

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

GibbsOptions chain_options(double fixed_noise) {
    GibbsOptions options = GibbsOptions::preset(Preset::standard, atoms);
    options.prior = CodePrior::student_t;  // the prior of the sparse path; on/off codes have a sweep of their own
    options.code_rate = 1e-6;
    options.noise_shape = 1e9;
    options.noise_rate = options.noise_shape * fixed_noise * fixed_noise;
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

/// The prior variances of the codes, atoms x signals.
Mat variances(const ThreadPass& pass) {
    using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Mat all(atoms, static_cast<Eigen::Index>(pass.signal_count()));
    for (Eigen::Index first = 0; first < all.cols(); first += block_size) {
        const Eigen::Index count = std::min<Eigen::Index>(block_size, all.cols() - first);
        all.middleCols(first, count) =
            Eigen::Map<const Lanes>(pass.code_variances().data() + first * atoms, atoms, block_size).leftCols(count);
    }
    return all;
}

/// Both paths from the state that the pass is in.
Difference compare(ThreadPass& pass, SwitchedKernels& kernels, const Mat& D, GibbsSweep sweep) {
    sweep.dictionary = &D;
    const double gamma = sweep.noise_precision;
    const Vec ones = Vec::Ones(atoms);
    const auto run = [&](GibbsPath path, Mat& codes) -> SufficientStats {
        kernels.path = path;
        pass.begin_record();
        SufficientStats stats = pass.sweep(sweep, &ones);
        codes = as_columns(pass.take_record().mean());
        return stats;
    };
    kernels.comparing = true;
    Mat x, error;
    const SufficientStats want = run(GibbsPath::dense, x), got = run(GibbsPath::cheaper, error);
    kernels.comparing = false;
    error -= x;
    const Mat variance = variances(pass);
    const Vec norm = D.colwise().norm().transpose();
    const auto plain = [&](const Mat& values) -> Eigen::ArrayXd {
        return (norm.asDiagonal() * values).colwise().norm().transpose();
    };
    const auto posterior = [&](const Mat& values) -> Eigen::ArrayXd {
        return (gamma * (D * values).colwise().squaredNorm() +
                values.cwiseAbs2().cwiseQuotient(variance).colwise().sum())
            .cwiseSqrt()
            .transpose();
    };
    const Mat atom_error = (got.y_xt - D * got.x_xt) - (want.y_xt - D * want.x_xt);
    const Eigen::ArrayXd precision = gamma * want.x_xt.diagonal().array();
    return {
        .plain = (plain(error) / plain(x)).maxCoeff(),
        .posterior = (posterior(error) / posterior(x)).maxCoeff(),
        .atoms = (gamma * atom_error.colwise().norm().transpose().array() / (precision * D.rows()).sqrt()).maxCoeff()};
}

void measure(const std::string& image, const SignalSource& patches, const Model& start, double fixed_noise, int threads,
             const bench::Figures& figures) {
    const GibbsOptions options = chain_options(fixed_noise);
    SwitchedKernels kernels;
    ThreadPass pass({patches}, scan_signals(patches).root_mean_square, atoms, kernels, threads);
    GibbsChain chain(pass, options, 1, 0, &start);
    int sweep = 0;
    double gamma = 0.0;
    for (; sweep < burnt_in; ++sweep) gamma = chain.sweep(sweep).gamma;

    const Difference difference = compare(
        pass, kernels, chain.dictionary(),
        {.noise_precision = gamma, .code_prior = {options.code_shape, *options.code_rate}, .seed = 5, .sweep = 9});
    double dense = 1e300, cheaper = 1e300;
    for (int round = 0; round < rounds; ++round)
        for (const GibbsPath path : {GibbsPath::dense, GibbsPath::cheaper}) {
            kernels.path = path;
            double& best = path == GibbsPath::dense ? dense : cheaper;
            best = std::min(best, bench::seconds_of([&] { chain.sweep(sweep++); }));
        }
    const auto L = static_cast<double>(pass.signal_count());
    const auto tiles = static_cast<double>(kernels.counts.sparse_tiles);
    fmt::print(
        "{:>5.2f} {:>7} {:>10.2f} {:>10.2f} {:>7.2f} {:>13.1f} {:>12.2f} {:>12.3f} {:>9} {:>9.1e} {:>9.1e} {:>9.1e}\n",
        fixed_noise, threads, 1e6 * dense / L, 1e6 * cheaper / L, dense / cheaper,
        static_cast<double>(kernels.counts.active) / L, static_cast<double>(kernels.counts.steps) / tiles,
        tiles / (tiles + static_cast<double>(kernels.counts.dense_tiles)), kernels.counts.given_up.load(),
        difference.plain, difference.posterior, difference.atoms);
    const std::string where = fmt::format("{}, noise fixed at {:.2f}/threads {}", image, fixed_noise, threads);
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
                   "dense us", "sparse us", "ratio", "active atoms", "steps/tile", "sparse share", "given up", "plain",
                   "posterior", "atoms");
        std::vector<int> thread_counts{1};
        if (resolve_threads(0) > 1) thread_counts.push_back(resolve_threads(0));
        for (const double fixed_noise : {weak_noise, chain_noise(patches)})
            for (const int threads : thread_counts) measure(name, patches, start, fixed_noise, threads, figures);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
