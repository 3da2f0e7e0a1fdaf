// Signals per second of orthogonal matching pursuit down to a given error. The input comes from files, so that other
// packages can use the same: sbdl_bench_pursuit SIGNALS.npy DICTIONARY.npy ERROR THREADS [--json]. The best of several
// rounds, without the time to read the files.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "dgemm_rate.hpp"
#include "figures.hpp"
#include "sbdl/encode.hpp"

int main(int count, char** arguments) {
    using namespace sbdl;
    if (count < 5) {
        fmt::print(stderr, "usage: {} SIGNALS.npy DICTIONARY.npy ERROR THREADS [--json]\n", arguments[0]);
        return 2;
    }
    try {
        const Matrix signals = load_matrix(arguments[1]), dictionary = load_matrix(arguments[2]);
        const double error = std::strtod(arguments[3], nullptr);
        Context context;
        context.execution.threads = std::atoi(arguments[4]);
        SparseCodes codes;
        double best = 1e300;
        for (int round = 0; round < 3; ++round)
            best = std::min(best, bench::seconds_of([&] {
                                codes = encode(dictionary, signals, OmpOptions{.max_error = error}, context).sparse;
                            }));
        const double rate = static_cast<double>(signals.rows()) / best;
        const double nonzeros = static_cast<double>(codes.value.size()) / static_cast<double>(signals.rows());
        fmt::print("{:.0f} signals per second, {:.4f} atoms per signal, {} threads\n", rate, nonzeros,
                   context.execution.threads);
        const bench::Figures figures(count, arguments);
        figures.add("rate", rate, "1/s", bench::Better::higher);
        figures.add("atoms per signal", nonzeros, "atoms", bench::Better::lower);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
