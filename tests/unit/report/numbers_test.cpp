// Numbers as the page shows them.
#include "report/numbers.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/markup.hpp"

namespace sbdl::report {
namespace {

TEST(ReportNumbers, NumbersHaveTheDigitsAskedFor) {
    EXPECT_EQ(number(0.0), "0");
    EXPECT_EQ(number(25.0), "25");
    EXPECT_EQ(number(3.14159), "3.142");
    EXPECT_EQ(number(-3.14159, 2), "−3.1");
    EXPECT_EQ(number(0.00012347), "0.0001235");
    EXPECT_EQ(number(123456.0, 3), "123456");
}

TEST(ReportNumbers, VeryLargeAndSmallNumbersHavePowers) {
    EXPECT_EQ(number(1.25e-7), "1.25·10⁻⁷");
    EXPECT_EQ(number(-2e12), "−2·10¹²");
    EXPECT_EQ(number(9.99999e7, 3), "1·10⁸");
    EXPECT_EQ(power_of_ten(1), "10");
    EXPECT_EQ(power_of_ten(-30), "10⁻³⁰");
}

TEST(ReportNumbers, WhatIsNotFiniteIsUnknown) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}) {
        EXPECT_EQ(number(value), "unknown");
        EXPECT_EQ(fixed(value, 2), "unknown");
        EXPECT_EQ(plus_minus(value, 1.0), "unknown");
        EXPECT_EQ(plus_minus(2.5, value), "2.5");
    }
}

TEST(ReportNumbers, RoundedNothingHasNoSign) {
    EXPECT_EQ(fixed(-0.001, 2), "0.00");
    EXPECT_EQ(fixed(-0.006, 2), "−0.01");
}

TEST(ReportNumbers, UncertaintyDecidesTheDigits) {
    EXPECT_EQ(plus_minus(19.26734, 0.80956), "19.27 ± 0.81");
    EXPECT_EQ(plus_minus(0.0386678, 0.0010017), "0.0387 ± 0.0010");
    EXPECT_EQ(plus_minus(1234.5, 67.0), "1234 ± 67");
    EXPECT_EQ(plus_minus(3.0e-9, 2.0e-10), "3·10⁻⁹ ± 2·10⁻¹⁰");
    EXPECT_EQ(plus_minus(7.5, 0.0), "7.5");
}

TEST(ReportNumbers, Counts) {
    EXPECT_EQ(count(0), "0");
    EXPECT_EQ(count(9999), "9999");
    EXPECT_EQ(count(12345), "12\u202f345");
    EXPECT_EQ(count(1234567), "1\u202f234\u202f567");
    EXPECT_EQ(count_of(1, "atom"), "1 atom");
    EXPECT_EQ(count_of(0, "atom"), "0 atoms");
    EXPECT_EQ(ordinal(1), "1st");
    EXPECT_EQ(ordinal(12), "12th");
    EXPECT_EQ(ordinal(22), "22nd");
    EXPECT_EQ(ordinal(103), "103rd");
    EXPECT_EQ(ordinal(111), "111th");
}

TEST(ReportNumbers, TextFromOutsideIsMadeSafe) {
    EXPECT_EQ(escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; 'd'");
}

}  // namespace
}  // namespace sbdl::report
