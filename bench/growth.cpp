// ./dev bench growth: the time per signal of a Gibbs sweep over a million signals against one over ten thousand, and
// the memory it needs in addition to the signals, which are mapped from a file. Signals of length 64, 256 atoms, all
// threads. The file (512 MB) is in a temporary folder, which is removed at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "dgemm_rate.hpp"
#include "figures.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "pass/thread_pass.hpp"
#include "process_memory.hpp"
#include "random_signals.hpp"

namespace {

using namespace sbdl;
namespace fs = std::filesystem;

constexpr std::size_t M = 64, N = 256, few = 10'000, many = 1'000'000;

/// Seconds per signal in the best of `rounds` sweeps, after one to warm up.
double seconds_per_signal(const SignalSource& source, int threads, int rounds) {
    GibbsOptions options;
    options.atoms = static_cast<int>(N);
    options.burn_in = 1000000;  // never ends here: all sweeps are the same
    options.refresh_every = 0;
    ThreadPass pass({source}, 1.0, N, cpu_kernels(), threads);
    GibbsChain chain(pass, options, 1, 0);
    int sweep = 0;
    chain.sweep(sweep++);
    double best = 1e300;
    for (int round = 0; round < rounds; ++round)
        best = std::min(best, bench::seconds_of([&] { chain.sweep(sweep++); }));
    return best / static_cast<double>(source.count());
}

/// `count` signals: the same few again and again, since the time of a sweep does not depend on them.
void write_signals(const fs::path& path, const Matrix& some, std::size_t count) {
    NpyWriter writer(path, count, M);
    for (std::size_t done = 0; done < count; done += some.rows()) writer.append(some);
    writer.finish();
}

class TemporaryFolder {
public:
    TemporaryFolder() : path_((fs::temp_directory_path() / "sbdl-bench-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr) throw fs::filesystem_error("no temporary folder", path_, {});
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] fs::path path() const { return path_; }

private:
    std::string path_;
};

void measure(const bench::Figures& figures) {
    const ComputeScope scope;
    const int threads = resolve_threads(0);
    const TemporaryFolder folder;
    const fs::path small = folder.path() / "few.npy", large = folder.path() / "many.npy";
    {
        const Matrix some = bench::random_signals({M, N, few});
        write_signals(small, some, few);
        write_signals(large, some, many);
    }
    const auto time_of = [&](const fs::path& path, int rounds) {
        return seconds_per_signal(*open_signals(path), threads, rounds);
    };
    const double before = time_of(small, 9);
    const auto source = open_signals(large);
    const double per_signal = seconds_per_signal(*source, threads, 2);
    const double peak = bench::peak_memory();
    const double mapped = static_cast<double>(many * M * sizeof(double));
    const double per_signal_of_few = std::min(before, time_of(small, 9));
    const double growth = per_signal / per_signal_of_few;
    const double memory = (peak - mapped) / static_cast<double>(many * N * sizeof(double));
    fmt::print("us per signal and sweep: {:.2f} at L = {}, {:.2f} at L = {}: {:.3f} times ({} threads)\n",
               1e6 * per_signal_of_few, few, 1e6 * per_signal, many, growth, threads);
    fmt::print("peak memory {:.0f} MiB, of which {:.0f} mapped signals; the rest is {:.2f} times N x L doubles\n",
               peak / 1048576, mapped / 1048576, memory);
    figures.add("growth/time per signal, L 1000000 against 10000", growth, "times", bench::Better::lower, 1.15);
    if (peak > 0.0)
        figures.add("growth/memory without the signals, of N x L doubles", memory, "times", bench::Better::lower, 1.2);
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
