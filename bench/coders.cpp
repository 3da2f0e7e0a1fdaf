// ./dev bench coders: sparse codes of the patches of a noisy synthetic image, 64 entries and 256 atoms: signals per
// second by pursuit to the noise, by the lasso and by FISTA, a round of K-SVD, a pass of online learning. Each with one
// thread and with two, in seconds and as the number of flops that matrix products, measured in the same run, do in that
// time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/compute_scope.hpp"
#include "denoise/patches.hpp"
#include "dgemm_rate.hpp"
#include "figures.hpp"
#include "learners/dct/dct_dictionary.hpp"
#include "sbdl/dct.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/online.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"

namespace {

using namespace sbdl;

constexpr std::size_t image_side = 256;
constexpr std::size_t patch = 8;
constexpr int atoms = 256;
constexpr double sigma = 25.0;
constexpr std::size_t most_patches = 16'384;
constexpr std::size_t fista_patches = 2'048;  // FISTA is the slowest
constexpr double fista_tolerance = 1e-4;
constexpr int rounds = 3;  // the best one counts

/// Patches of the image without their means, in units of the noise.
Matrix noisy_patches() {
    const Image noisy = make_noisy(make_image(image_side, image_side, /*colour=*/false, 1), sigma, 1);
    const std::vector<double> noise{sigma};
    const PatchSource source(noisy.planes, noise, patch_grid(image_side, image_side, patch, 1), most_patches);
    Matrix rows(source.count(), source.dim());
    source.read(0, rows.rows(), rows.data());
    return rows;
}

struct Job {
    std::string_view name;
    std::size_t signals;
    std::function<void(int threads)> work;
};

void measure(const bench::Figures& figures) {
    const Matrix patches = noisy_patches();
    const MemorySource source(patches);
    const std::size_t all = patches.rows();
    const std::size_t some = std::min(all, fista_patches);
    const MatrixView few{patches.data(), some, patches.cols()};
    const Matrix dictionary = patch_dct_dictionary(atoms, patch);
    const double error = 1.15 * std::sqrt(static_cast<double>(patch * patch));
    const double lambda = std::sqrt(std::log(static_cast<double>(atoms)));
    const auto context = [](int threads) {
        Context made;
        made.execution.threads = threads;
        return made;
    };

    KsvdOptions ksvd = KsvdOptions::preset(Preset::standard, atoms);
    ksvd.sweeps = 1;
    ksvd.max_error = error;
    OnlineOptions online = OnlineOptions::preset(Preset::standard, atoms);
    online.sweeps = 1;
    online.lambda = lambda;
    const FistaOptions fista{.lambda = lambda, .tolerance = fista_tolerance};
    const std::vector<Job> jobs{
        {"OMP", all,
         [&](int threads) { encode(dictionary, patches, OmpOptions{.max_error = error}, context(threads)); }},
        {"ORMP", all,
         [&](int threads) {
             encode(dictionary, patches, OmpOptions{.max_error = error, .pursuit = Pursuit::ormp}, context(threads));
         }},
        {"lasso", all,
         [&](int threads) { encode(dictionary, patches, LassoOptions{.lambda = lambda}, context(threads)); }},
        {"FISTA", some, [&](int threads) { encode(dictionary, few, fista, context(threads)); }},
        {"K-SVD round", all, [&](int threads) { train(source, ksvd, context(threads)); }},
        {"online pass", all, [&](int threads) { train(source, online, context(threads)); }},
    };

    fmt::print("{} patches of {} x {}, {} atoms, sigma {}\n", patches.rows(), patch, patch, atoms, sigma);
    fmt::print("{:<12} {:>8} {:>10} {:>12} {:>24}\n", "task", "threads", "seconds", "signals/s",
               "GFLOP at the DGEMM rate");
    std::vector<double> alone(jobs.size());
    for (const int threads : {1, 2}) {
        const auto rate_now = [&] {
            const ComputeScope scope;
            return bench::dgemm_rate(threads);
        };
        double rate = rate_now();
        std::vector<double> best(jobs.size(), 1e300);
        for (int round = 0; round < rounds; ++round)
            for (std::size_t i = 0; i < jobs.size(); ++i)
                best[i] = std::min(best[i], bench::seconds_of([&] { jobs[i].work(threads); }));
        rate = std::max(rate, rate_now());  // the stricter of two readings on a noisy machine
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const double signals_per_second = static_cast<double>(jobs[i].signals) / best[i];
            fmt::print("{:<12} {:>8} {:>10.3f} {:>12.0f} {:>24.1f}\n", jobs[i].name, threads, best[i],
                       signals_per_second, 1e-9 * rate * best[i]);
            figures.add(fmt::format("{}/signals per second/threads {}", jobs[i].name, threads), signals_per_second,
                        "1/s", bench::Better::higher);
            if (threads == 1)
                alone[i] = best[i];
            else
                figures.add(fmt::format("{}/threads 2 against 1", jobs[i].name), alone[i] / best[i], "times",
                            bench::Better::higher, i == 0 ? std::optional(1.85) : std::nullopt);
        }
        fmt::print("{:<12} {:>8} {:>37.1f} GFLOP/s\n", "DGEMM", threads, 1e-9 * rate);
    }
}

}  // namespace

int main(int count, char** arguments) {
    try {
        measure(bench::Figures(count, arguments));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
