#include "options/split_sweeps.hpp"

#include "sbdl/gibbs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"

namespace sbdl {
namespace {

GibbsOptions split(int sweeps, GibbsOptions options = {}, bool burn_in_given = false, bool draws_given = false) {
    split_sweeps(sweeps, burn_in_given, draws_given, options.burn_in, options.draws);
    return options;
}

TEST(SplitSweeps, KeepsTheProportionOfTheOptionsAndShortRunsBurnInForHalf) {
    const GibbsOptions usual;
    EXPECT_EQ(split(usual.burn_in + usual.draws).burn_in, usual.burn_in);
    EXPECT_EQ(split(2 * (usual.burn_in + usual.draws)).burn_in, 2 * usual.burn_in);
    EXPECT_EQ(split(2000).burn_in, 900);
    EXPECT_EQ(split(1000).burn_in, 500);
    EXPECT_EQ(split(18).burn_in, 9);
    EXPECT_EQ(split(18).draws, 9);
    GibbsOptions longer;
    longer.burn_in = 300;
    longer.draws = 100;
    EXPECT_EQ(split(20, longer).burn_in, 15);
    EXPECT_EQ(split(20, longer).draws, 5);
    EXPECT_EQ(split(1).burn_in, 0);  // something must be kept
    EXPECT_EQ(split(1).draws, 1);
    EXPECT_EQ(split(30, GibbsOptions::preset(Preset::paper, 4)).draws, 1);
}

TEST(SplitSweeps, LeavesWhatWasGiven) {
    GibbsOptions options;
    options.burn_in = 3;
    EXPECT_EQ(split(16, options, true).draws, 13);
    options.draws = 9;
    EXPECT_EQ(split(16, options, false, true).burn_in, 7);
    EXPECT_EQ(split(12, options, true, true).burn_in, 3);
}

TEST(SplitSweeps, RejectsWhatDoesNotAddUp) {
    GibbsOptions options;
    options.burn_in = 8;
    options.draws = 9;
    test::expect_error<InputError>([&] { split(0); }, {"sweeps is 0", "at least 1"});
    test::expect_error<InputError>([&] { split(8, options, true); },
                                   {"burn_in is 8, must be below", "which is 8; leave out sweeps"});
    test::expect_error<InputError>([&] { split(8, options, false, true); },
                                   {"draws is 9, must be at most", "which is 8"});
    test::expect_error<InputError>([&] { split(16, options, true, true); }, {"make 17; leave out sweeps"});
}

/// The options after `sweeps`, if any, and the named ones were given.
GibbsOptions applied(std::optional<int> sweeps, const std::vector<std::string>& given) {
    AnyOptions options{GibbsOptions{}};
    apply_sweeps(options, sweeps,
                 [&](const char* name) { return std::find(given.begin(), given.end(), name) != given.end(); });
    return options.as<GibbsOptions>();
}

TEST(ApplySweeps, ANumberThatWasGivenIsExact) {
    const GibbsOptions usual;
    EXPECT_EQ(applied({}, {}).most_draws, usual.most_draws);
    EXPECT_EQ(applied({}, {"burn_in"}).most_draws, usual.most_draws);
    EXPECT_EQ(applied({}, {"draws"}).most_burn_in, usual.most_burn_in);
    EXPECT_EQ(applied({}, {"burn_in"}).most_burn_in, 0);
    EXPECT_EQ(applied(1000, {}).most_burn_in, 0);
    EXPECT_EQ(applied(1000, {"most_burn_in"}).most_burn_in, usual.most_burn_in);
    EXPECT_EQ(applied({}, {"draws"}).most_draws, 0);
    EXPECT_EQ(applied(1000, {}).most_draws, 0);
    EXPECT_EQ(applied(1000, {}).draws, 500);
    EXPECT_EQ(applied(1000, {"most_draws"}).most_draws, usual.most_draws);
    EXPECT_EQ(applied({}, {"draws", "most_draws"}).most_draws, usual.most_draws);

    const auto closing = [](const std::vector<std::string>& given) {
        AnyOptions options{VbOptions::preset(Preset::standard, 5)};
        apply_sweeps(options, {},
                     [&](const char* name) { return std::find(given.begin(), given.end(), name) != given.end(); });
        return options.as<VbOptions>().most_closing_sweeps;
    };
    EXPECT_EQ(closing({}), VbOptions().most_closing_sweeps);
    EXPECT_EQ(closing({"closing_sweeps"}), 0);
    EXPECT_EQ(closing({"closing_sweeps", "most_closing_sweeps"}), VbOptions().most_closing_sweeps);
}

}  // namespace
}  // namespace sbdl
