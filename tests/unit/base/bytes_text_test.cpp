// Amounts in messages: what a message says is needed must be enough, in the units that a user types.
#include "base/bytes_text.hpp"

#include <gtest/gtest.h>

namespace sbdl {
namespace {

TEST(BytesText, IsRoundedToTheSafeSide) {
    EXPECT_EQ(needed_text(0.5501 * 1048576.0), "563.31 KiB");
    EXPECT_EQ(present_text(0.5501 * 1048576.0), "563.3 KiB");
    EXPECT_EQ(needed_text(1.0), "1 B");
    EXPECT_EQ(present_text(1023.0), "1023 B");
    EXPECT_EQ(present_text(4.0 * 1073741824.0 - 1.0), "4 GiB") << "4 GiB but for a byte in four thousand million";
    EXPECT_EQ(present_text(3.999 * 1073741824.0), "3.99 GiB");
}

TEST(BytesText, WhatIsTypedStaysTheSame) {
    for (const double round : {0.55, 1.1, 1.15, 2.3, 600.0, 999.99}) {
        EXPECT_EQ(needed_text(round * 1048576.0), present_text(round * 1048576.0)) << round;
    }
    EXPECT_EQ(present_text(1.15 * 1048576.0), "1.15 MiB");
    EXPECT_EQ(present_text(600.0 * 1024.0), "600 KiB");
    EXPECT_EQ(needed_text(5.0 * 1099511627776.0), "5 TiB");
}

}  // namespace
}  // namespace sbdl
