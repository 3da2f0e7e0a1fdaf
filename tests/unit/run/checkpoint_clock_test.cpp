// A checkpoint that takes long to write does not take most of the time of the run.
#include "run/checkpoint_clock.hpp"

#include <gtest/gtest.h>

namespace sbdl {
namespace {

using std::chrono::seconds;

TEST(CheckpointClock, WaitsTenTimesAsLongAsWritingTook) {
    const CheckpointClock::Time start{};
    CheckpointClock clock(60.0, start);
    EXPECT_FALSE(clock.due(start + seconds(59)));
    EXPECT_TRUE(clock.due(start + seconds(60)));

    clock.written(start + seconds(60), start + seconds(90));
    EXPECT_FALSE(clock.due(start + seconds(90 + 299)));
    EXPECT_TRUE(clock.due(start + seconds(90 + 300)));

    clock.written(start + seconds(400), start + seconds(401));
    EXPECT_FALSE(clock.due(start + seconds(401 + 59))) << "writing takes no time, what was asked for counts";
    EXPECT_TRUE(clock.due(start + seconds(401 + 60)));
}

TEST(CheckpointClock, AfterEverySweepMeansEverySweep) {
    const CheckpointClock::Time start{};
    CheckpointClock clock(0.0, start);
    EXPECT_TRUE(clock.due(start));
    clock.written(start, start + seconds(5));
    EXPECT_TRUE(clock.due(start + seconds(5)));
}

}  // namespace
}  // namespace sbdl
