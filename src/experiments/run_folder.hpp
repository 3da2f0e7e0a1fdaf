// The folder of a run, and what every run's options must be like.
#pragma once

#include <filesystem>

#include "sbdl/reproduce.hpp"

namespace sbdl {

constexpr int most_trials = 10000;  // in a cell: the plan of a run is held in memory

/// Throws InputError for numbers out of bounds, no folder, and a program that does not fit into a CSV field.
void check_run(int trials, int threads, const std::filesystem::path& out_dir, const RunOrigin& origin);

/// Throws FileError when it is not there and cannot be made.
void make_folder(const std::filesystem::path& folder);

}  // namespace sbdl
