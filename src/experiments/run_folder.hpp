// What every experiment is given beside its own options: where its numbers come from, a folder, and a way to stop it.
//
// A run lives in a folder. Each finished trial is one line of trials.csv there, so a run that was stopped resumes where
// it was, and rows, cells or trials can be added later. The tables and figures in the folder are made from these lines.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace sbdl {

/// What a report says about the origin of its numbers; empty fields are left out.
struct RunOrigin {
    std::string program;  ///< version and commit, stored with each trial; empty: the library's version
    std::string command;
    std::string date;
    std::string machine;

    [[nodiscard]] std::string program_or_version() const;
};

using StopCheck = std::function<bool()>;

constexpr int most_trials = 10000;  // in a cell: the plan of a run is kept in memory

/// Throws InputError for numbers out of bounds, no folder, and a program that does not fit into a CSV field.
void check_run(int trials, int threads, const std::filesystem::path& out_dir, const RunOrigin& origin);

/// Throws FileError when it does not exist and cannot be created.
void make_folder(const std::filesystem::path& folder);

}  // namespace sbdl
