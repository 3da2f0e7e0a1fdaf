// What `sbdl reproduce` was told, and what both tables do with it alike.
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
#include "sbdl/observers.hpp"
#include "sbdl/reproduce.hpp"
#include "verbs.hpp"

namespace sbdl::app {

struct ReproduceArguments {
    std::optional<int> trials;  ///< nothing: as many as the table likes
    std::vector<std::string> cells;
    std::vector<std::string> rows;
    int threads = 0;
    std::uint64_t seed = 0;
    std::filesystem::path out_dir;
    Output output;
    RunOrigin origin;
    // Of Table II alone.
    std::filesystem::path images;
    std::vector<int> sigmas;
    std::string figures;

    /// Fills in what the options of both tables have alike.
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

/// Trials of earlier runs are no work of this one, so the meter leaves them out: else the time left would be wrong.
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

constexpr const char* stopping_notice = "\nstopping; again to end now\n";

template <class Summary>
std::string trials_text(const Summary& summary) {
    return fmt::format("trials      {} run, {} found finished, {} left\n", summary.trials_run, summary.trials_reused,
                       summary.trials_left);
}

/// The exit status, and a word about going on where it is due.
template <class Summary>
int status_of(const Summary& summary, const Output& output) {
    if (summary.trials_left == 0) return done;
    if (!output.quiet) std::cerr << "sbdl reproduce: interrupted; the same command goes on where it was\n";
    return interrupted;
}

}  // namespace sbdl::app
