// Measures the time of each stage of a run.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "sbdl/denoise.hpp"

namespace sbdl {

/// Appends a StageTime when it goes out of scope.
class StageClock {
public:
    StageClock(std::string stage, std::vector<StageTime>& stages)
        : stage_(std::move(stage)), stages_(stages), start_(std::chrono::steady_clock::now()) {}
    StageClock(const StageClock&) = delete;
    StageClock& operator=(const StageClock&) = delete;
    ~StageClock() {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
        stages_.push_back({std::move(stage_), passed.count()});
    }

private:
    std::string stage_;
    std::vector<StageTime>& stages_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace sbdl
