// The folder of a run, and the checks of options that all runs share.
#pragma once

#include <filesystem>

#include "experiments/run_origin.hpp"

namespace sbdl {

constexpr int most_trials = 10000;  // in a cell: the plan of a run is kept in memory

/// Throws InputError for numbers out of bounds, no folder, and a program that does not fit into a CSV field.
void check_run(int trials, int threads, const std::filesystem::path& out_dir, const RunOrigin& origin);

/// Throws FileError when it does not exist and cannot be created.
void make_folder(const std::filesystem::path& folder);

}  // namespace sbdl
