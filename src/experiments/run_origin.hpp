// What every experiment is given beside its own options: where its numbers come from, and a way to stop it.
//
// A run lives in a folder. Each finished trial is one line of trials.csv there, so a run that was stopped resumes where
// it was, and rows, cells or trials can be added later. The tables and figures in the folder are made from these lines.
#pragma once

#include <functional>
#include <string>

namespace sbdl {

/// What a report says about the origin of its numbers; empty fields are left out.
struct RunOrigin {
    std::string program;  ///< version and commit, stored with each trial; empty: the library's version
    std::string command;
    std::string date;
    std::string machine;
};

using StopCheck = std::function<bool()>;

}  // namespace sbdl
