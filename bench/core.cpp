// ./dev bench core: the speed of a Gibbs sweep as a fraction of the DGEMM rate measured in the same run, on 1 thread
// and on all.
//
// Counted: M(M+1)N + M^3/3 + 4MN flops per signal, which is only the arithmetic of the M x M form; the time is that of
// the whole sweep, including random numbers, statistics and dictionary update.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "dgemm_rate.hpp"
#include "figures.hpp"
#include "kernels/cpu/cpu_kernels.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "pass/thread_pass.hpp"
#include "random_signals.hpp"

namespace {

using namespace sbdl;
using bench::dgemm_rate, bench::seconds_of, bench::Shape;

double sweep_seconds(const Shape& shape, int threads) {
    const Matrix rows = bench::random_signals(shape);
    const MemorySource source{rows};
    GibbsOptions options;
    options.atoms = static_cast<int>(shape.N);
    options.burn_in = 1000000;  // never ends here: all sweeps are the same
    options.refresh_every = 0;
    const CpuKernels kernels(GibbsPath::dense);  // the other path has bench/sparse_path.cpp
    ThreadPass pass({source}, 1.0, shape.N, kernels, threads);
    GibbsChain chain(pass, options, 1, 0);
    int sweep = 0;
    const int batch = shape.L < 5000 ? 50 : 1;
    const auto some = [&] {
        for (int i = 0; i < batch; ++i) chain.sweep(sweep++);
    };
    some();
    double best = 1e300;
    for (int round = 0; round < 5; ++round) best = std::min(best, seconds_of(some) / batch);
    return best;
}

}  // namespace

int main(int count, char** arguments) {
    const bench::Figures figures(count, arguments);
    const ComputeScope scope;
    const int all = resolve_threads(0);
    fmt::print("{:<18} {:>7} {:>10} {:>12} {:>12} {:>9}\n", "(M, N, L)", "threads", "ms/sweep", "GFLOP/s", "DGEMM",
               "fraction");
    std::vector<int> thread_counts{1};
    if (all > 1) thread_counts.push_back(all);
    struct Case {
        Shape shape;
        double target;
    };
    for (const auto& [shape, target] : {Case{{20, 50, 2000}, 0.35}, Case{{64, 256, 15625}, 0.65}}) {
        double alone = 0.0;
        for (const int threads : thread_counts) {
            const double before = dgemm_rate(threads);
            const double seconds = sweep_seconds(shape, threads);
            const double rate =
                std::max(before, dgemm_rate(threads));  // the stricter of two readings on a noisy machine
            const auto M = static_cast<double>(shape.M), N = static_cast<double>(shape.N),
                       L = static_cast<double>(shape.L);
            const double flops = L * (M * (M + 1) * N + M * M * M / 3 + 4 * M * N);
            fmt::print("{:<18} {:>7} {:>10.3f} {:>12.1f} {:>12.1f} {:>9.2f}\n",
                       fmt::format("({}, {}, {})", shape.M, shape.N, shape.L), threads, 1e3 * seconds,
                       1e-9 * flops / seconds, 1e-9 * rate, flops / seconds / rate);
            const std::string name = fmt::format("gibbs sweep/{} x {} x {}", shape.M, shape.N, shape.L);
            figures.add(fmt::format("{}/of DGEMM/threads {}", name, threads), flops / seconds / rate, "fraction",
                        bench::Better::higher, target);
            figures.add(fmt::format("{}/time/threads {}", name, threads), 1e3 * seconds, "ms", bench::Better::lower);
            if (threads == 1)
                alone = seconds;
            else
                figures.add(fmt::format("{}/threads {} against 1", name, threads), alone / seconds, "times",
                            bench::Better::higher, shape.M == 64 && threads == 2 ? std::optional(1.85) : std::nullopt);
        }
    }
    return 0;
}
