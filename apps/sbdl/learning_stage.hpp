// Where a first Ctrl-C ends the learning of a dictionary, with which the image is then cleaned.
#pragma once

#include <optional>
#include <string_view>

#include "interrupt.hpp"

namespace sbdl::app {

class LearningStage {
public:
    /// `notice` is what Ctrl-C says, as for GentleStop.
    LearningStage(bool can_end, const char* notice) : can_end_(can_end), notice_(notice) {}

    /// The stage that the run is in; empty: none that learns.
    void follow(std::string_view stage) {
        // Learning begins when the noise is known.
        const bool learns = stage == "noise" || stage == "start" || stage == "learn";
        if (!can_end_ || learns == gentle_.has_value()) return;
        if (learns)
            gentle_.emplace(notice_);
        else
            gentle_.reset();
    }

private:
    bool can_end_;
    const char* notice_;
    std::optional<GentleStop> gentle_;
};

}  // namespace sbdl::app
