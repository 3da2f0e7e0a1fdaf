// ./dev bench stream: where the time of online l1 learning from patches goes, batch by batch, on one thread and on
// THREADS (default: all cores): sbdl_bench_stream [THREADS]. With many threads it is limited by the update of the
// atoms, which move one after another, and by how fast threads start and stop.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "denoise/patches.hpp"
#include "dgemm_rate.hpp"
#include "learners/online/online_learner.hpp"
#include "learners/stream/batch_coder.hpp"
#include "learners/stream/code_tally.hpp"
#include "learners/stream/signal_batches.hpp"
#include "sbdl/synth.hpp"

namespace {

using namespace sbdl;

constexpr std::size_t side = 512, patch = 8, patches_used = 32'768;
constexpr double sigma = 25.0;
constexpr int atoms = 256, batch = 512, passes = 3;

/// Seconds of each part, summed over the batches.
struct BatchTimes {
    double read = 0.0, codes = 0.0, tally = 0.0, atoms = 0.0, atoms_alone = 0.0;
    int batches = 0;
};

BatchTimes learn(const SignalSource& patches, int threads) {
    Context context;
    context.execution.threads = threads;
    const SignalShare share{patches, 1.0};
    const auto dim = static_cast<Eigen::Index>(patches.dim());
    OnlineLearner learner(strong_signals(share, atoms, 1), Mat::Zero(atoms, atoms), Mat::Zero(dim, atoms), 1.0,
                          static_cast<double>(patches.count()), threads);
    BatchCoder::Rule rule;
    rule.lambda = noise_lambda(atoms);
    BatchCoder coder(rule, threads);
    SignalBatches batches(share, StreamOrder::shuffled, batch, context);
    CodeTally tally(atoms);
    BatchTimes times;
    for (std::uint32_t pass = 1; pass <= passes; ++pass)
        for (batches.begin(pass); batches.taken() < patches.count(); ++times.batches) {
            const Mat* Y = nullptr;
            const SparseCodes* codes = nullptr;
            times.read += bench::seconds_of([&] { Y = &batches.next(); });
            times.codes += bench::seconds_of([&] { codes = &coder.code(learner.dictionary(), *Y); });
            times.tally += bench::seconds_of([&] { tally.add(*Y, *codes); });
            times.atoms += bench::seconds_of([&] { learner.learn(*Y, *codes); });
        }
    // Without codes, only the atoms move.
    times.atoms_alone = bench::seconds_of([&] {
        for (int i = 0; i < times.batches; ++i) learner.learn(Mat(dim, 0), {});
    });
    return times;
}

/// Seconds that a loop over nothing takes: threads start and stop.
double loop_seconds(int threads) {
    constexpr int loops = 2000;
    return bench::seconds_of([&] {
               for (int i = 0; i < loops; ++i)
                   parallel_for(static_cast<std::size_t>(threads), threads, [](std::size_t, int) {});
           }) /
           loops;
}

void measure(int threads) {
    const ComputeScope scope;
    const Image noisy = make_noisy(make_image(side, side, /*colour=*/false, 1), sigma, 1);
    const PatchSource patches(noisy.planes, {sigma}, patch_grid(side, side, patch, 1), patches_used);
    fmt::print("{} patches, {} atoms, batches of {}; microseconds per batch\n", patches_used, atoms, batch);
    fmt::print("{:>7} {:>8} {:>8} {:>8} {:>18} {:>12} {:>8} {:>11}\n", "threads", "read", "codes", "tally",
               "products and atoms", "atoms alone", "total", "empty loop");
    for (const int count : std::vector<int>{1, threads}) {
        const BatchTimes times = learn(patches, count);
        const double scale = 1e6 / times.batches;
        fmt::print("{:>7} {:>8.1f} {:>8.1f} {:>8.1f} {:>18.1f} {:>12.1f} {:>8.1f} {:>11.1f}\n", count,
                   scale * times.read, scale * times.codes, scale * times.tally, scale * times.atoms,
                   scale * times.atoms_alone, scale * (times.read + times.codes + times.tally + times.atoms),
                   1e6 * loop_seconds(count));
    }
}

}  // namespace

int main(int count, char** arguments) {
    try {
        measure(resolve_threads(count > 1 ? std::atoi(arguments[1]) : 0));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
