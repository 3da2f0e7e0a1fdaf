// The share of a run that is done, with a clock of the test's own.
#include "denoise/whole_progress.hpp"

#include <gtest/gtest.h>

namespace sbdl {
namespace {

class WholeProgressTest : public testing::Test {
protected:
    double now_ = 0.0;
    std::function<double()> clock_ = [this] { return now_; };
    DenoiseProgress at(WholeProgress& progress, double now, std::size_t step, double share) {
        now_ = now;
        return progress.at(step, share);
    }
};

TEST_F(WholeProgressTest, FollowsTheTimeWhenAllIsAsExpected) {
    WholeProgress progress({{1.0, true}, {3.0, false}}, clock_);
    EXPECT_NEAR(at(progress, 0.5, 0, 0.5).share, 0.125, 1e-4);
    EXPECT_NEAR(at(progress, 1.0, 0, 1.0).share, 0.25, 1e-4);
    const DenoiseProgress later = at(progress, 2.5, 1, 0.5);
    EXPECT_NEAR(later.share, 0.625, 1e-4);
    EXPECT_NEAR(later.seconds_left, 1.5, 1e-12);
    const DenoiseProgress end = at(progress, 4.0, 1, 1.0);
    EXPECT_LT(end.share, 1.0) << "1 is for the one who knows that all is done";
    EXPECT_GT(end.share, 0.999);
    EXPECT_EQ(end.seconds_left, 0.0);
}

TEST_F(WholeProgressTest, LearnsHowSlowTheMachineIs) {
    WholeProgress progress({{1.0, false}, {1.0, false}}, clock_);
    EXPECT_NEAR(at(progress, 5.0, 0, 0.5).seconds_left, 15.0, 1e-12) << "of 20 s, not of 2";
    EXPECT_NEAR(at(progress, 10.0, 1, 0.0).seconds_left, 10.0, 1e-12);
}

TEST_F(WholeProgressTest, LearningSaysLittleOfTheOtherSteps) {
    WholeProgress progress({{1.0, true}, {1.0, false}, {1.0, false}}, clock_);
    EXPECT_NEAR(at(progress, 100.0, 0, 1.0).seconds_left, 200.0, 1e-9) << "all that is known";
    EXPECT_NEAR(at(progress, 100.5, 1, 0.5).seconds_left, 1.5, 1e-9) << "the passes are as fast as usual";
}

TEST_F(WholeProgressTest, NeverFallsOrStandsStillAlthoughAStepTakesLonger) {
    WholeProgress progress({{1.0, true}, {1.0, false}}, clock_);
    double last = at(progress, 1.0, 0, 1.0).share;
    EXPECT_NEAR(last, 0.5, 1e-4);
    for (int i = 1; i <= 20; ++i) {  // 20 s instead of 1
        const DenoiseProgress now = at(progress, 1.0 + i, 1, i / 20.0);
        EXPECT_NEAR(now.seconds_left, 20.0 - i, 1e-9);
        EXPECT_GT(now.share, last + 0.02);
        last = now.share;
    }
    EXPECT_GT(last, 0.999);
}

TEST_F(WholeProgressTest, StepsThatAreLeftOutTellNothing) {
    WholeProgress progress({{1.0, false}, {1.0, false}, {1.0, false}}, clock_);
    EXPECT_NEAR(at(progress, 0.5, 2, 0.5).seconds_left, 0.5, 1e-12);
}

TEST_F(WholeProgressTest, AStepApartTellsNothingOfTheOthers) {
    WholeProgress progress({{1.0, false, true}, {2.0, true}, {3.0, false}}, clock_);
    EXPECT_NEAR(at(progress, 40.0, 0, 1.0).seconds_left, 5.0, 1e-12) << "it took 40 times as long as usual";
    EXPECT_NEAR(at(progress, 41.0, 1, 1.0).seconds_left, 1.5, 1e-12) << "learning took half";
}

TEST_F(WholeProgressTest, AStepThatIsNotNeededIsNotWaitedFor) {
    WholeProgress progress({{1.0, false}, {10.0, false}, {2.0, false}}, clock_);
    progress.leave_out(1);
    EXPECT_NEAR(at(progress, 1.0, 0, 1.0).seconds_left, 2.0, 1e-12);
}

TEST_F(WholeProgressTest, NothingExpectedIsNoDivisionByZero) {
    WholeProgress progress({{0.0, false}}, clock_);
    EXPECT_EQ(at(progress, 0.0, 0, 1.0).share, 0.0);
    EXPECT_GT(at(progress, 1.0, 0, 1.0).share, 0.9);
}

}  // namespace
}  // namespace sbdl
