// What `learn` was asked to do, and how it tells the outcome.
#pragma once

#include <filesystem>
#include <string>

#include "common.hpp"
#include "sbdl/context.hpp"
#include "sbdl/train.hpp"

namespace sbdl::app {

struct LearnArguments {
    std::filesystem::path signals;
    std::filesystem::path model;
    std::filesystem::path trace;           ///< empty: none
    std::filesystem::path start;           ///< model to go on from; empty: none
    std::filesystem::path mask;            ///< what of the signals was observed; empty: all that is not NaN
    std::filesystem::path reconstruction;  ///< where to write the signals as the method understood them; empty: nowhere
    std::string command;                   ///< as it can be typed again
    std::string dataset;
    std::string method = "gibbs";
    std::string preset = "standard";
    Context context;
    Output output;
};

/// The summary for people, the JSON object for programs: whichever was asked for. Says how to go on when interrupted.
void tell_result(const LearnArguments& arguments, const TrainResult& result, int chains);

}  // namespace sbdl::app
