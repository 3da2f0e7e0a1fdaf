// What `learn` was asked to do, and how it reports the result.
#pragma once

#include <filesystem>
#include <string>

#include "common.hpp"
#include "outputs.hpp"
#include "sbdl/context.hpp"
#include "sbdl/train.hpp"

namespace sbdl::app {

struct LearnArguments {
    std::filesystem::path signals;
    std::filesystem::path model;
    std::filesystem::path trace;           ///< empty: none
    std::filesystem::path start;           ///< model for a warm start; empty: none
    std::filesystem::path mask;            ///< which entries were observed; empty: all that are not NaN
    std::filesystem::path reconstruction;  ///< where to write the reconstructed signals; empty: nowhere
    std::string command;                   ///< as it can be typed again
    std::string dataset;
    std::string method = "gibbs";
    std::string preset = "standard";
    Context context;
    MemoryLimit memory;
    Output output;
};

/// Learns, writes the files and reports. The checkpoint is removed once the model is saved, unless the run was stopped
/// before its end. Returns the exit status.
int learn(const LearnArguments& arguments, const AnyOptions& options);

/// The summary for people, or the JSON object for programs. Says how to go on when interrupted.
void report_result(const LearnArguments& arguments, const TrainResult& result, int chains, const Outputs& outputs);

}  // namespace sbdl::app
