// ./dev bench on_off: a kept sweep of gibbs with on/off codes (the standard preset) against one with the paper's prior,
// which it replaced, at the sizes of Table I and of image patches. Both chains start at the true atoms and noise of the
// same signals, and take turns, so that the machine's good and bad moments meet both. The ratio is the median of the
// rounds; it is to be at most 1.1.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "dgemm_rate.hpp"
#include "figures.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "pass/signal_scan.hpp"
#include "pass/thread_pass.hpp"
#include "sbdl/synth.hpp"

namespace {

using namespace sbdl;

constexpr int burn_in = 60, rounds = 9;
constexpr double most_dear = 1.1;

struct Case {
    std::size_t M, N, L, K;
    int batch;  // sweeps per round, together a few tenths of a second
};

/// A chain whose burn-in is over.
class KeptSweeps {
public:
    KeptSweeps(const SignalSource& source, double rms, const Model& truth, CodePrior prior, int threads)
        : options_(GibbsOptions::preset(Preset::standard, static_cast<int>(truth.atom_count()))),
          pass_({source, rms}, rms, truth.atom_count(), kernel_set("cpu"), threads) {
        options_.prior = prior;
        options_.burn_in = burn_in;
        chain_.emplace(pass_, options_, 1, 0, &truth);
        some(burn_in);
    }
    void some(int sweeps) {
        for (int i = 0; i < sweeps; ++i) last_ = chain_->sweep(sweep_++);
    }
    [[nodiscard]] double nonzeros() const { return last_.mean_nonzeros; }

private:
    GibbsOptions options_;
    ThreadPass pass_;
    std::optional<GibbsChain> chain_;
    int sweep_ = 0;
    ChainSweep last_;
};

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + rounds / 2, values.end());
    return values[rounds / 2];
}

void measure(const Case& shape, int threads, const bench::Figures& figures) {
    const SynthSet set = synthesize({.dim = shape.M,
                                     .atoms = shape.N,
                                     .signals = shape.L,
                                     .sparsity_min = shape.K,
                                     .sparsity_max = shape.K,
                                     .snr_db = 20.0,
                                     .seed = 1});
    const MemorySource source{set.signals};
    const double rms = scan_signals(source).root_mean_square;
    Model truth;
    truth.dictionary = set.dictionary;
    truth.noise_sd = set.noise_sd;
    truth.atom_norm.assign(shape.N, 1.0);
    KeptSweeps student_t(source, rms, truth, CodePrior::student_t, threads);
    KeptSweeps on_off(source, rms, truth, CodePrior::on_off, threads);

    std::vector<double> ratios, before, now;
    for (int round = 0; round < rounds; ++round) {
        before.push_back(bench::seconds_of([&] { student_t.some(shape.batch); }) / shape.batch);
        now.push_back(bench::seconds_of([&] { on_off.some(shape.batch); }) / shape.batch);
        ratios.push_back(now.back() / before.back());
    }
    fmt::print("{:<18} {:>7} {:>14.3f} {:>11.3f} {:>7.2f} {:>14.2f}\n",
               fmt::format("({}, {}, {})", shape.M, shape.N, shape.L), threads, 1e3 * median(before), 1e3 * median(now),
               median(ratios), on_off.nonzeros());
    const std::string name = fmt::format("gibbs sweep, on/off codes/{} x {} x {}", shape.M, shape.N, shape.L);
    figures.add(fmt::format("{}/of student-t/threads {}", name, threads), median(ratios), "times", bench::Better::lower,
                most_dear);
    figures.add(fmt::format("{}/time/threads {}", name, threads), 1e3 * median(now), "ms", bench::Better::lower);
}

}  // namespace

int main(int count, char** arguments) {
    const bench::Figures figures(count, arguments);
    const ComputeScope scope;
    fmt::print("{:<18} {:>7} {:>14} {:>11} {:>7} {:>14}\n", "(M, N, L)", "threads", "student-t ms", "on/off ms",
               "ratio", "atoms/signal");
    std::vector<int> thread_counts{1};
    if (resolve_threads(0) > 1) thread_counts.push_back(resolve_threads(0));
    for (const Case& shape : {Case{20, 50, 1000, 3, 50}, Case{20, 50, 2000, 5, 25}, Case{64, 256, 4096, 5, 2}})
        for (const int threads : thread_counts) measure(shape, threads, figures);
    return 0;
}
