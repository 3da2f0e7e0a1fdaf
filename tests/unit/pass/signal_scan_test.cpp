// What is determined about signals before a run: in two reads, in any units, with and without gaps.
#include "pass/signal_scan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbdl/error.hpp"
#include "support/counting_source.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

double root_mean_square(const Matrix& rows, MissingValues how = MissingValues::rejected) {
    return scan_signals(MemorySource{rows}, how).root_mean_square;
}

TEST(SignalScan, TheRootMeanSquareHoldsForExtremeUnitsAndForNothing) {
    for (const double unit : {1e-200, 1e-6, 1.0, 1e6, 1e200}) {
        const Matrix rows(300, 2, -3.0 * unit);
        EXPECT_LE(relative_error(root_mean_square(rows), 3.0 * unit), 1e-14);
        EXPECT_LE(relative_error(root_mean_square(rows, MissingValues::allowed), 3.0 * unit), 1e-13);
    }
    const Matrix nothing(5, 4);
    EXPECT_EQ(root_mean_square(nothing), 1.0);
    Matrix one_entry(1, 4);
    one_entry(0, 2) = 8.0;
    EXPECT_NEAR(root_mean_square(one_entry), 4.0, 1e-15);
}

TEST(SignalScan, CountsWhatIsThere) {
    Matrix rows(4, 3, 2.0);
    for (double& value : rows.row(1)) value = missing;
    for (std::size_t l = 0; l < 4; ++l) rows(l, 2) = missing;
    rows(3, 1) = -6.0;
    const SignalFacts facts = scan_signals(MemorySource{rows}, MissingValues::allowed);
    EXPECT_EQ(facts.values, 6.0);
    EXPECT_EQ(facts.signals, 3U);
    EXPECT_EQ(facts.columns, 2U);
    EXPECT_EQ(facts.largest, 6.0);
    EXPECT_TRUE(facts.gaps);
    EXPECT_EQ(facts.first_empty, 1U);
    EXPECT_NEAR(facts.root_mean_square, std::sqrt((5.0 * 4.0 + 36.0) / 6.0), 1e-14);

    const Matrix whole(4, 3, 2.0);
    const SignalFacts complete = scan_signals(MemorySource{whole}, MissingValues::allowed);
    EXPECT_FALSE(complete.gaps);
    EXPECT_FALSE(complete.first_empty);
    EXPECT_EQ(complete.values, 12.0);
    EXPECT_EQ(complete.signals, 4U);
    EXPECT_EQ(complete.columns, 3U);
}

TEST(SignalScan, RejectsWhatCannotBeUsed) {
    Matrix rows(300, 3, 1.0);
    rows(290, 1) = missing;
    expect_error<InputError>([&] { scan_signals(MemorySource{rows}); }, {"row 290, column 1", "nan", "missing value"});
    EXPECT_NO_THROW(scan_signals(MemorySource{rows}, MissingValues::allowed));
    rows(290, 1) = std::numeric_limits<double>::infinity();
    expect_error<InputError>([&] { scan_signals(MemorySource{rows}, MissingValues::allowed); },
                             {"row 290, column 1", "inf"});
    const Matrix none(0, 3);
    expect_error<InputError>([&] { scan_signals(MemorySource{none}); }, {"signals in memory"});
}

// So that a run on complete signals is the same whether or not its method accepts others.
TEST(SignalScan, CompleteSignalsHaveTheSameFactsToTheLastBit) {
    const Matrix rows = to_rows(Numbers(3).normals(7, 400));
    const SignalFacts strict = scan_signals(MemorySource{rows}),
                      lenient = scan_signals(MemorySource{rows}, MissingValues::allowed);
    EXPECT_EQ(strict.root_mean_square, lenient.root_mean_square);
    EXPECT_EQ(strict.hash, lenient.hash);
}

TEST(SignalScan, AllPatternsOfNaNAreOne) {
    Matrix one(3, 2, 1.0), other = one;
    one(1, 1) = missing;
    other(1, 1) = -std::nan("77");
    EXPECT_EQ(scan_signals(MemorySource{one}, MissingValues::allowed).hash,
              scan_signals(MemorySource{other}, MissingValues::allowed).hash);
    EXPECT_EQ(hash_signals(MemorySource{one}), hash_signals(MemorySource{other}));
    other(0, 0) = missing;
    EXPECT_NE(hash_signals(MemorySource{one}), hash_signals(MemorySource{other}));
}

TEST(SignalScan, ReadsEverySignalTwice) {
    const Matrix rows(1000, 3, 1.0);
    const MemorySource source{rows};
    const CountingSource counted(source);
    scan_signals(counted);
    EXPECT_EQ(counted.signals_read(), 2000U);
    hash_signals(counted);
    EXPECT_EQ(counted.signals_read(), 3000U);
}

TEST(SignalScan, TheHashIsThatOfEveryValue) {
    Matrix rows = to_rows(Numbers(115).normals(5, 400));
    const std::uint64_t want = hash_signals(MemorySource{rows});
    EXPECT_EQ(scan_signals(MemorySource{rows}).hash, want);
    for (const std::size_t at : {std::size_t{0}, std::size_t{999}, rows.size() - 1}) {
        const double before = rows.data()[at];
        rows.data()[at] = std::nextafter(before, 10.0);
        EXPECT_NE(hash_signals(MemorySource{rows}), want) << "entry " << at;
        rows.data()[at] = before;
    }
    std::swap(rows(7, 0), rows(300, 0));
    EXPECT_NE(hash_signals(MemorySource{rows}), want) << "the order matters";
}

}  // namespace
}  // namespace sbdl::test
