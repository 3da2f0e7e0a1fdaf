// The arguments of `sbdl reproduce`, and what its experiments share.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "common.hpp"
#include "experiments/run_origin.hpp"
#include "sbdl/observers.hpp"
#include "verbs.hpp"

namespace sbdl::app {

struct ReproduceArguments {
    std::optional<int> trials;  ///< no value: the default of the table
    std::vector<std::string> cells;
    std::vector<std::string> rows;
    int threads = 0;
    std::uint64_t seed = 0;
    std::filesystem::path out_dir;
    Output output;
    RunOrigin origin;
    // Table II only.
    std::filesystem::path images;
    std::vector<int> sigmas;
    std::string figures;

    /// Fills in the options that both tables have.
    template <class Options>
    void fill(Options& options) const {
        static_cast<RunOrigin&>(options) = origin;
        if (trials) options.trials = *trials;
        options.cells = cells;
        options.rows = rows;
        options.threads = threads;
        options.seed = seed;
        options.out_dir = out_dir;
    }
};

int reproduce_table1(const ReproduceArguments& arguments);
int reproduce_table2(const ReproduceArguments& arguments);
int reproduce_convergence(const ReproduceArguments& arguments);

/// Leaves out the trials of earlier runs; otherwise the time left would be wrong.
class TrialMeter {
public:
    TrialMeter() : meter_(std::cerr, progress_on_terminal()) {}

    void show(int done, int planned, const std::string& text) {
        if (!started_) {
            found_ = done - 1;
            meter_.start(std::size_t(planned - found_));
            started_ = true;
        }
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        meter_.show(std::size_t(done - found_), seconds, text);
    }
    void finish() {
        if (started_) meter_.finish();
    }

private:
    ProgressMeter meter_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    int found_ = 0;
    bool started_ = false;
};

constexpr const char* stopping_notice = "\nstopping; interrupt again to end now\n";

template <class Summary>
std::string trials_text(const Summary& summary) {
    return fmt::format("trials      {} run, {} finished before, {} left\n", summary.trials_run, summary.trials_reused,
                       summary.trials_left);
}

/// The exit status; says how to resume when trials are left.
template <class Summary>
int status_of(const Summary& summary, const Output& output) {
    if (summary.trials_left == 0) return done;
    if (!output.quiet) std::cerr << "sbdl reproduce: interrupted; run the same command again to resume\n";
    return interrupted;
}

}  // namespace sbdl::app
