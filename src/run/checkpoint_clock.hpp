// When the next checkpoint of a run is due.
#pragma once

#include <algorithm>
#include <chrono>

namespace sbdl {

/// What writing takes does not count, and where it takes long, checkpoints are written less often than is asked for, so
/// that a run spends at most a tenth of its time on them.
class CheckpointClock {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// `every_s`: seconds between two of them; 0: one is always due.
    CheckpointClock(double every_s, Time start) : every_s_(every_s), last_(start) {}

    [[nodiscard]] bool due(Time now) const {
        constexpr double rest = 10.0;  // times what writing takes
        return every_s_ == 0.0 || seconds(last_, now) >= std::max(every_s_, rest * writing_s_);
    }

    void written(Time begin, Time end) {
        writing_s_ = seconds(begin, end);
        last_ = end;
    }

private:
    static double seconds(Time from, Time to) { return std::chrono::duration<double>(to - from).count(); }

    double every_s_, writing_s_ = 0.0;
    Time last_;
};

}  // namespace sbdl
