// The verdict follows from the numbers and says what to do.
#include "report/settling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unit/report/report_case.hpp"

namespace sbdl::report {
namespace {

using test::has;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Model chain(const Diagnostics& diagnostics, int chains = 2) {
    Model model = test::line_model(5, 4);
    model.diagnostics = diagnostics;
    model.trace = test::made_trace(chains, 100);
    return model;
}

std::string all_advice(const Settling& settling) {
    std::string text;
    for (const std::string& advice : settling.advice) text += advice + "\n";
    return text;
}

TEST(Settling, GoodNumbersAreSettled) {
    const Settling settling = judge_settling(chain({1.01, 150.0, 1.05, 100.0}));
    EXPECT_EQ(settling.settled, Settled::yes);
    EXPECT_TRUE(settling.advice.empty());
    EXPECT_TRUE(has(settling.reason, "1.01")) << settling.reason;
}

TEST(Settling, ASingleChainHasItsLimitsNamed) {
    EXPECT_TRUE(has(judge_settling(chain({1.01, 150.0, 1.02, 120.0}, 1)).reason, "cannot show where another chain"));
    EXPECT_FALSE(has(judge_settling(chain({1.01, 150.0, 1.02, 120.0}, 2)).reason, "cannot show where another chain"));
}

TEST(Settling, TheWorseOfTheTwoDecides) {
    EXPECT_EQ(judge_settling(chain({1.01, 150.0, 1.5, 150.0})).settled, Settled::no);
    EXPECT_EQ(judge_settling(chain({1.5, 150.0, 1.01, 150.0})).settled, Settled::no);
    EXPECT_EQ(judge_settling(chain({1.01, 150.0, 1.01, 5.0})).settled, Settled::nearly);
    EXPECT_EQ(judge_settling(chain({1.1, 40.0, 1.01, 150.0})).settled, Settled::nearly);
    EXPECT_EQ(judge_settling(chain({1.1, 4.0, 1.01, 150.0})).settled, Settled::no);
}

TEST(Settling, AdviceNamesTheOptionsAndWhatTheyWere) {
    const std::string two = all_advice(judge_settling(chain({1.8, 3.0, 1.5, 3.6}, 2)));
    EXPECT_TRUE(has(two, "--burn-in 120</code> (was 60)")) << two;
    EXPECT_TRUE(has(two, "--draws 200</code> (was 40)")) << two;
    EXPECT_FALSE(has(two, "--chains")) << two;
    EXPECT_TRUE(has(all_advice(judge_settling(chain({1.8, 3.0, 1.5, 3.6}, 1))), "--chains 2"));
}

TEST(Settling, WithoutOptionsTheirNamesStandAlone) {
    Model model = chain({1.8, 3.0, 1.5, 3.6});
    for (const char* options : {"", "not JSON", "[1,2]", R"({"draws":"many"})", R"({"draws":9223372036854775807})"}) {
        model.options_json = options;
        EXPECT_TRUE(has(all_advice(judge_settling(model)), "<code>--draws</code>")) << options;
    }
}

TEST(Settling, WhatCouldNotBeComputedIsNotJudged) {
    for (const Diagnostics& diagnostics :
         {Diagnostics{nan, nan, nan, nan}, Diagnostics{1.01, 150.0, nan, 150.0}, Diagnostics{1.01, 150.0, 1.0, nan}}) {
        const Settling settling = judge_settling(chain(diagnostics));
        EXPECT_EQ(settling.settled, Settled::unknown);
        EXPECT_FALSE(has(settling.reason, "nan"));
        EXPECT_TRUE(has(all_advice(settling), "--draws"));
    }
}

TEST(Settling, RunsThatWereCutShortAreNamed) {
    Model model = chain({nan, nan, nan, nan});
    model.stop_reason = "time_limit";
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "--time-limit"));
    model.stop_reason = "observer";
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "--start"));
}

TEST(Settling, VbSettlesWithItsBound) {
    Model model = chain({nan, nan, nan, nan}, 1);
    model.method = "vb";
    model.options_json = R"({"sweeps":200,"tolerance":1e-5})";
    model.stop_reason = "converged";
    EXPECT_EQ(judge_settling(model).settled, Settled::yes);
    model.stop_reason = "sweeps_done";
    model.trace.objective = {-400.0, -200.0};
    const Settling settling = judge_settling(model);
    EXPECT_EQ(settling.settled, Settled::no);
    EXPECT_TRUE(has(all_advice(settling), "--sweeps 400</code> (was 200)"));
    EXPECT_TRUE(has(settling.reason, "changed it by 1 of its size")) << settling.reason;
    model.patch = {8, 8, 1};  // for an image few sweeps are enough
    EXPECT_EQ(judge_settling(model).settled, Settled::nearly);
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "--sweeps 400</code>"));
    model.trace = {};
    EXPECT_TRUE(has(judge_settling(model).reason, "unknown"));
}

/// A run of the given number of passes; the objective of pass i is 100 + way(i).
template <class Way>
Model passes(int count, const Way& way) {
    Model model = chain({nan, nan, nan, nan}, 1);
    model.method = "online";
    model.options_json = R"({"sweeps":12})";
    model.trace = test::made_trace(1, count);
    for (int i = 0; i < count; ++i) model.trace.objective[static_cast<std::size_t>(i)] = 100.0 + way(i);
    return model;
}

TEST(Settling, OthersAreJudgedByTheirObjective) {
    const Settling yes = judge_settling(passes(12, [](int i) { return 50.0 * std::pow(0.3, i); }));
    EXPECT_EQ(yes.settled, Settled::yes);
    EXPECT_TRUE(has(yes.reason, "objective") && has(yes.reason, "the last 4 of 12 passes it fell")) << yes.reason;
    EXPECT_TRUE(yes.advice.empty());
    const Settling nearly = judge_settling(passes(12, [](int i) { return -0.5 * i; }));
    EXPECT_EQ(nearly.settled, Settled::nearly);
    EXPECT_TRUE(has(nearly.reason, "it fell by 0.52 % per pass (settled: at most 0.1 % per pass)")) << nearly.reason;
    EXPECT_TRUE(has(all_advice(nearly), "--sweeps 24</code> (was 12)")) << all_advice(nearly);
    EXPECT_EQ(judge_settling(passes(12, [](int i) { return -2.0 * i; })).settled, Settled::no);
    const Settling rising = judge_settling(passes(12, [](int i) { return 2.0 * i; }));
    EXPECT_EQ(rising.settled, Settled::no);
    EXPECT_TRUE(has(rising.reason, "it rose")) << rising.reason;
}

TEST(Settling, ForSignalsWithoutNoiseTheRestIsRounding) {
    const Settling settled =
        judge_settling(passes(12, [](int i) { return i < 4 ? 50.0 : -100.0 + 1e-14 * (i % 2 == 0 ? 1.0 : 7.0); }));
    EXPECT_EQ(settled.settled, Settled::yes) << settled.reason;
    const Settling falling = judge_settling(passes(6, [](int i) { return i < 5 ? 50.0 : -100.0; }));
    EXPECT_EQ(falling.settled, Settled::no);
    EXPECT_TRUE(has(falling.reason, "it fell by 50 % per pass")) << falling.reason;
    EXPECT_TRUE(has(judge_settling(passes(12, [](int) { return 0.0; })).reason, "it did not change"));
}

TEST(Settling, WithoutEnoughOfATraceOthersAreNotJudged) {
    const auto level = [](int) { return 0.0; };
    Model broken = passes(12, level);
    broken.trace.objective[5] = nan;
    Model zero = passes(12, level);
    zero.trace.objective.assign(12, 0.0);
    for (const Model& model : {passes(3, level), passes(0, level), broken, zero}) {
        const Settling settling = judge_settling(model);
        EXPECT_EQ(settling.settled, Settled::unknown);
        EXPECT_EQ(settling.headline, "It is not known whether the learner has settled");
        EXPECT_TRUE(settling.advice.empty());
    }
    EXPECT_EQ(judge_settling(passes(4, level)).settled, Settled::yes);
    Model to_an_error = passes(12, level);
    to_an_error.options_json = R"({"sweeps":12,"max_error":0.3})";
    EXPECT_EQ(judge_settling(to_an_error).settled, Settled::unknown);
    EXPECT_TRUE(has(judge_settling(to_an_error).reason, "stop at a given error")) << judge_settling(to_an_error).reason;
    to_an_error.options_json = R"({"sweeps":12,"max_error":"none"})";
    EXPECT_EQ(judge_settling(to_an_error).settled, Settled::yes);
    Model stopped = passes(12, [](int i) { return -2.0 * i; });
    stopped.stop_reason = "observer";
    EXPECT_TRUE(has(all_advice(judge_settling(stopped)), "--start"));
    EXPECT_FALSE(has(all_advice(judge_settling(stopped)), "--sweeps"));
}

// The options of `sbdl denoise`: burn-in and draws together, one chain, another seed.
TEST(Settling, ChainsOfAnImageNeedMoreSweeps) {
    Model model = chain({1.8, 3.0, 1.5, 3.6}, 1);
    model.patch = {2, 2, 1};
    for (const char* method : {"gibbs", "bpfa"}) {
        model.method = method;
        for (const Diagnostics& diagnostics :
             {Diagnostics{1.8, 3.0, 1.5, 3.6}, Diagnostics{1.01, 5.0, 1.01, 150.0}, Diagnostics{nan, nan, nan, nan}}) {
            model.diagnostics = diagnostics;
            model.options_json = R"({"burn_in":60,"draws":40})";
            const std::string few = all_advice(judge_settling(model));
            EXPECT_TRUE(has(few, "--sweeps 500</code> (was 100)")) << "200 of them kept: " << few;
            EXPECT_TRUE(has(few, "<code>--seed</code>")) << few;
            model.options_json = R"({"burn_in":600,"draws":400})";
            const std::string many = all_advice(judge_settling(model));
            EXPECT_TRUE(has(many, "--sweeps 2000</code> (was 1000)")) << many;
            model.options_json = R"({"burn_in":9223372036854775807,"draws":40})";
            const std::string unknown = all_advice(judge_settling(model));
            EXPECT_TRUE(has(unknown, "<code>--sweeps</code>")) << unknown;
            for (const char* foreign : {"--burn-in", "--draws", "--chains"})
                EXPECT_FALSE(has(few + many + unknown, foreign)) << foreign;
        }
    }
}

TEST(Settling, NamesNoOptionThatDenoisingDoesNotHave) {
    Model model = chain({nan, nan, nan, nan}, 1);
    model.stop_reason = "observer";
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "--start"));
    model.patch = {8, 8, 1};
    EXPECT_FALSE(has(all_advice(judge_settling(model)), "--start"));
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "let it finish"));
}

}  // namespace
}  // namespace sbdl::report
