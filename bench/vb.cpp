// ./dev bench vb: the speed of a VB sweep as a fraction of the DGEMM rate measured in the same run, on 1 thread and on
// all.
//
// Counted are the operations that the algebra needs per signal (docs/math.md, V1):
//
//     atoms one at a time, M < N     M(M+1)N    S = I + gamma D T D^T, one triangle
//     (the M x M form)             + M^3/3      its Cholesky factor K
//                                  + M^2 N      Z = K^{-1} D, a column for each variance
//                                  + N(N+1)M    sum of T Z^T Z T over the signals, one triangle, for <X X^T>
//
//     whole dictionary at once       N^3        Cholesky factor, its inverse, and their product Sigma, a third each
//
// The time is that of the whole sweep: it includes right-hand sides, means, q(alpha), the other statistics, the bound
// and the dictionary update, which are not counted.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "dgemm_rate.hpp"
#include "figures.hpp"
#include "learners/vb/vb_learner.hpp"
#include "pass/thread_pass.hpp"
#include "random_signals.hpp"

namespace {

using namespace sbdl;
using bench::dgemm_rate, bench::seconds_of, bench::Shape;

double sweep_seconds(const Shape& shape, DictionaryUpdate update, int threads) {
    const Matrix rows = bench::random_signals(shape);
    const MemorySource source{rows};
    VbOptions options;
    options.atoms = static_cast<int>(shape.N);
    options.prior = CodePrior::student_t;
    options.update = update;
    options.start_sweeps = 0;
    options.reestimate_noise = false;
    ThreadPass pass({source}, 1.0, shape.N, kernel_set("cpu"), threads);  // which SBDL_CPU can slow down
    VbLearner learner(pass, options, 1);
    int sweep = 0;
    const int batch = shape.N < 100 ? 20 : 1;
    const auto some = [&] {
        for (int i = 0; i < batch; ++i) learner.sweep(sweep++);
    };
    some();
    double best = 1e300;
    for (int round = 0; round < 5; ++round) best = std::min(best, seconds_of(some) / batch);
    return best;
}

double flops(const Shape& shape, DictionaryUpdate update) {
    const auto M = static_cast<double>(shape.M), N = static_cast<double>(shape.N), L = static_cast<double>(shape.L);
    if (update == DictionaryUpdate::joint) return L * N * N * N;
    return L * (M * (M + 1) * N + M * M * M / 3 + M * M * N + N * (N + 1) * M);
}

}  // namespace

int main(int count, char** arguments) {
    const bench::Figures figures(count, arguments);
    const ComputeScope scope;
    const int all = resolve_threads(0);
    fmt::print("{:<18} {:<11} {:>7} {:>10} {:>9} {:>9} {:>9}\n", "(M, N, L)", "update", "threads", "ms/sweep",
               "GFLOP/s", "DGEMM", "fraction");
    std::vector<int> thread_counts{1};
    if (all > 1) thread_counts.push_back(all);
    struct Case {
        Shape shape;
        DictionaryUpdate update;
    };
    for (const int threads : thread_counts)
        for (const auto& [shape, update] :
             {Case{{20, 50, 2000}, DictionaryUpdate::sequential}, Case{{20, 50, 2000}, DictionaryUpdate::joint},
              Case{{64, 256, 15625}, DictionaryUpdate::sequential}, Case{{64, 256, 4096}, DictionaryUpdate::joint}}) {
            const double before = dgemm_rate(threads);
            const double seconds = sweep_seconds(shape, update, threads);
            const double rate =
                std::max(before, dgemm_rate(threads));  // the stricter of two readings on a noisy machine
            const double made = flops(shape, update) / seconds;
            fmt::print("{:<18} {:<11} {:>7} {:>10.3f} {:>9.1f} {:>9.1f} {:>9.2f}\n",
                       fmt::format("({}, {}, {})", shape.M, shape.N, shape.L), to_string(update), threads,
                       1e3 * seconds, 1e-9 * made, 1e-9 * rate, made / rate);
            figures.add(fmt::format("vb sweep, {}/{} x {} x {}/of DGEMM/threads {}", to_string(update), shape.M,
                                    shape.N, shape.L, threads),
                        made / rate, "fraction", bench::Better::higher, 0.55);
        }
    return 0;
}
