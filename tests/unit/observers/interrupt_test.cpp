// Stopping on request.
#include <atomic>

#include <gtest/gtest.h>

#include "sbdl/observers.hpp"

namespace sbdl {
namespace {

TEST(Interrupt, StopsOnceTheFlagIsSet) {
    std::atomic<bool> flag{false};
    InterruptObserver interrupt(flag);
    EXPECT_EQ(interrupt.on_sweep({}), Flow::go_on);
    flag = true;
    EXPECT_EQ(interrupt.on_sweep({}), Flow::stop);
}

}  // namespace
}  // namespace sbdl
