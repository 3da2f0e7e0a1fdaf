// ./dev bench denoise: the stages of denoising a synthetic image, in seconds and as the number of flops that matrix
// products, measured in the same run, do in that time; and the peak memory. One size per process, because the peak is
// that of the process.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "dgemm_rate.hpp"
#include "process_memory.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"

namespace {

using namespace sbdl;

constexpr double sigma = 25.0;

/// The total time of each stage, which may occur several times. In the order of first occurrence.
std::vector<StageTime> stage_totals(const std::vector<StageTime>& stages) {
    std::vector<StageTime> sums;
    for (const StageTime& stage : stages) {
        const auto place =
            std::find_if(sums.begin(), sums.end(), [&](const StageTime& s) { return s.stage == stage.stage; });
        if (place == sums.end())
            sums.push_back(stage);
        else
            place->seconds += stage.seconds;
    }
    return sums;
}

double rate_on_all_threads() {
    const ComputeScope scope;
    return bench::dgemm_rate(resolve_threads(0));
}

void measure(std::size_t side) {
    const Image truth = make_image(side, side, /*colour=*/false, 1);
    const Image noisy = make_noisy(truth, sigma, 1);
    const double before = rate_on_all_threads();
    DenoiseResult result;
    const double total = bench::seconds_of([&] { result = denoise(noisy); });
    const double memory = bench::peak_memory() / 1048576.0;
    const double rate = std::max(before, rate_on_all_threads());  // the stricter of two readings on a noisy machine

    fmt::print("{0} x {0}, sigma {1}, {2} threads, DGEMM {3:.1f} GFLOP/s\n", side, sigma, resolve_threads(0),
               1e-9 * rate);
    fmt::print("{:<12} {:>10} {:>24}\n", "stage", "seconds", "GFLOP at the DGEMM rate");
    const auto line = [&](const std::string& stage, double seconds) {
        fmt::print("{:<12} {:>10.3f} {:>24.1f}\n", stage, seconds, 1e-9 * rate * seconds);
    };
    for (const StageTime& stage : stage_totals(result.stages)) line(stage.stage, stage.seconds);
    line("total", total);
    fmt::print("peak memory {:.0f} MiB; {} training patches; estimated noise {:.2f}; PSNR {:.2f} dB, before {:.2f}\n\n",
               memory, result.training_patches, result.noise_sd, psnr(truth, result.image, 255.0),
               psnr(truth, noisy, 255.0));
}

}  // namespace

int main(int count, char** arguments) {
    std::size_t side = 0;
    const std::string text = count == 2 ? arguments[1] : "";
    std::from_chars(text.data(), text.data() + text.size(), side);
    if (side == 0) {
        fmt::print(stderr, "usage: {} SIDE, the pixels per side of the image\n", arguments[0]);
        return 2;
    }
    try {
        measure(side);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
