// The share of a run that is done, with a clock of the test's own.
#include "denoise/whole_progress.hpp"

#include <gtest/gtest.h>

namespace sbdl {
namespace {

class WholeProgressTest : public testing::Test {
protected:
    double now_ = 0.0;
    std::function<double()> clock_ = [this] { return now_; };
    double at(WholeProgress& progress, double now, std::size_t step, double share) {
        now_ = now;
        return progress.at(step, share);
    }
};

TEST_F(WholeProgressTest, FollowsTheTimeWhenAllIsAsExpected) {
    WholeProgress progress({{1.0, true}, {3.0, false}}, clock_);
    EXPECT_NEAR(at(progress, 0.5, 0, 0.5), 0.125, 1e-12);
    EXPECT_NEAR(at(progress, 1.0, 0, 1.0), 0.25, 1e-12);
    EXPECT_NEAR(at(progress, 2.5, 1, 0.5), 0.625, 1e-12);
    EXPECT_LT(at(progress, 4.0, 1, 1.0), 1.0) << "1 is for the one who knows that all is done";
    EXPECT_GT(progress.last(), 0.999);
}

TEST_F(WholeProgressTest, LearnsHowSlowTheMachineIs) {
    WholeProgress progress({{1.0, false}, {1.0, false}}, clock_);
    EXPECT_NEAR(at(progress, 5.0, 0, 0.5), 0.25, 1e-12) << "a quarter of 20 s, not of 2";
    EXPECT_NEAR(at(progress, 10.0, 1, 0.0), 0.5, 1e-12);
}

TEST_F(WholeProgressTest, LearningSaysLittleOfTheOtherSteps) {
    WholeProgress progress({{1.0, true}, {1.0, false}, {1.0, false}}, clock_);
    at(progress, 100.0, 0, 1.0);  // a slow learner
    const double before = progress.last();
    // The passes turn out to be as fast as usual: half of one is left, and another.
    EXPECT_NEAR(at(progress, 100.5, 1, 0.5), std::max(before, 100.5 / 102.0), 1e-12);
}

TEST_F(WholeProgressTest, NeverFallsAlthoughAStepTakesLonger) {
    WholeProgress progress({{1.0, true}, {1.0, false}}, clock_);
    const double before = at(progress, 1.0, 0, 1.0);
    EXPECT_NEAR(before, 0.5, 1e-12);
    EXPECT_EQ(at(progress, 3.0, 1, 0.1), before) << "18 s more, instead of 1";
    EXPECT_GT(at(progress, 50.0, 1, 0.9), before);
}

TEST_F(WholeProgressTest, StepsThatAreLeftOutTellNothing) {
    WholeProgress progress({{1.0, false}, {1.0, false}, {1.0, false}}, clock_);
    EXPECT_NEAR(at(progress, 0.5, 2, 0.5), 0.5, 1e-12);
}

TEST_F(WholeProgressTest, NothingExpectedIsNoDivisionByZero) {
    WholeProgress progress({{0.0, false}}, clock_);
    EXPECT_EQ(at(progress, 0.0, 0, 1.0), 0.0);
}

}  // namespace
}  // namespace sbdl
