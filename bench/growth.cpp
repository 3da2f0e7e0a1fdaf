// ./dev bench growth: a Gibbs sweep over a million signals against one over ten thousand, time a signal, and the memory
// it takes beside the signals, which are read where the file is mapped. Signals of length 64, 256 atoms, all threads.
// The file (512 MB) is made in a temporary folder, and goes with it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "dgemm_rate.hpp"
#include "figures.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "random_signals.hpp"

namespace {

using namespace sbdl;
namespace fs = std::filesystem;

constexpr std::size_t M = 64, N = 256, few = 10'000, many = 1'000'000;

/// A line of /proc/self/status, in bytes; 0 where the system does not say.
double status_bytes(std::string_view key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key)) return 1024.0 * std::strtod(line.c_str() + key.size(), nullptr);
    return 0.0;
}

/// Seconds a signal of the best of `rounds` sweeps, after one that warms up.
double seconds_a_signal(const SignalSource& source, int threads, int rounds) {
    GibbsOptions options;
    options.atoms = static_cast<int>(N);
    options.burn_in = 1000000;  // never ends here: every sweep is alike
    options.refresh_every = 0;
    BlockSweep signals(source, 1.0, N, threads);
    GibbsChain chain(signals, options, cpu_kernels(), 1, 0);
    int sweep = 0;
    chain.sweep(sweep++);
    double best = 1e300;
    for (int round = 0; round < rounds; ++round)
        best = std::min(best, bench::seconds_of([&] { chain.sweep(sweep++); }));
    return best / static_cast<double>(source.count());
}

/// `count` signals: the same few over and over, since a sweep takes as long whatever they are.
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
        return seconds_a_signal(*open_signals(path), threads, rounds);
    };
    const double before = time_of(small, 9);
    const auto source = open_signals(large);
    const double per_signal = seconds_a_signal(*source, threads, 2);
    const double peak = status_bytes("VmHWM:");
    const double mapped = static_cast<double>(many * M * sizeof(double));
    const double per_signal_of_few = std::min(before, time_of(small, 9));
    const double growth = per_signal / per_signal_of_few;
    const double memory = (peak - mapped) / static_cast<double>(many * N * sizeof(double));
    fmt::print("us a signal and sweep: {:.2f} at L = {}, {:.2f} at L = {}: {:.3f} times ({} threads)\n",
               1e6 * per_signal_of_few, few, 1e6 * per_signal, many, growth, threads);
    fmt::print("peak memory {:.0f} MiB, of which {:.0f} mapped signals; the rest is {:.2f} times N x L doubles\n",
               peak / 1048576, mapped / 1048576, memory);
    figures.add("growth/time a signal, L 1000000 against 10000", growth, "times", bench::Better::lower, 1.15);
    if (peak > 0.0)
        figures.add("growth/memory beside the signals, of N x L doubles", memory, "times", bench::Better::lower, 1.2);
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
