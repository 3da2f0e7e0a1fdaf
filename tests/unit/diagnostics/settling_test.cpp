// The verdict follows from the numbers and says what to do.
#include "sbdl/settling.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <cmath>
#include <limits>

#include "unit/report/report_case.hpp"

namespace sbdl {
namespace {

using test::has;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// R-hat and effective sample size of the noise, then of the log density.
Diagnostics numbers(double noise_rhat, double noise_ess, double objective_rhat, double objective_ess) {
    return {.noise_rhat = noise_rhat,
            .noise_ess = noise_ess,
            .objective_rhat = objective_rhat,
            .objective_ess = objective_ess};
}

Model chain(const Diagnostics& diagnostics, int chains = 2) {
    Model model = test::line_model(5, 4);
    model.diagnostics = diagnostics;
    model.dictionary_std = model.dictionary;
    model.trace = test::made_trace(chains, 100);
    model.options_json = R"({"burn_in":60,"draws":40,"chains":)" + std::to_string(chains) + "}";
    return model;
}

std::string all_advice(const Settling& settling) {
    std::string text;
    for (const std::string& advice : settling.advice) text += advice + "\n";
    return text;
}

TEST(Settling, GoodNumbersAreSettled) {
    const Settling settling = judge_settling(chain(numbers(1.01, 150.0, 1.05, 100.0)));
    EXPECT_EQ(settling.settled, Settled::yes);
    EXPECT_TRUE(settling.advice.empty());
    EXPECT_EQ(settling.reason,
              "R-hat is at most 1.05 and the effective sample size at least 100 (required: at most 1.05 and at least "
              "100)");
}

TEST(Settling, ASingleChainHasItsLimitsNamed) {
    const Diagnostics good = numbers(1.01, 150.0, 1.02, 120.0);
    EXPECT_TRUE(
        has(judge_settling(chain(good, 1)).reason, "it is unknown whether another would reach the same result"));
    EXPECT_FALSE(has(judge_settling(chain(good, 2)).reason, "a single chain"));
}

// A chain may differ in an atom that R-hat does not look at. "Settled" beside "no other chain agrees" would contradict
// it.
TEST(Settling, ChainsThatDifferAreNotSettled) {
    Model model = chain(numbers(1.01, 150.0, 1.02, 120.0), 3);
    model.diagnostics.pooled_chains = 3.0;
    EXPECT_EQ(judge_settling(model).settled, Settled::yes);
    model.diagnostics.pooled_chains = 2.0;
    const Settling two = judge_settling(model);
    EXPECT_EQ(two.settled, Settled::no);
    EXPECT_EQ(two.reason.find("2 of 3 chains agree in atoms and noise (required: all); R-hat is at most 1.02"), 0U)
        << two.reason;
    EXPECT_TRUE(has(all_advice(two),
                    "Lengthen the burn-in, so that the chains find the same atoms and noise: `--burn-in 120` (was 60)"))
        << all_advice(two);
    model.diagnostics.pooled_chains = 1.0;
    EXPECT_TRUE(has(judge_settling(model).reason, "no other chain agrees in atoms and noise; R-hat is at most 1.02"))
        << judge_settling(model).reason;
    model.options_json = R"({"burn_in":60,"draws":40,"chains":3,"average":false})";
    EXPECT_EQ(judge_settling(model).settled, Settled::yes) << "single sweeps are not compared";
}

// The numbers are those of the chains that kept most sweeps, so one that was cut short is no second opinion.
TEST(Settling, AChainThatWasCutShortDoesNotCount) {
    Model model = chain(numbers(1.01, 150.0, 1.02, 120.0), 2);
    model.stop_reason = "time_limit";
    model.trace.kept.back() = 0;
    const Settling good = judge_settling(model);
    EXPECT_EQ(good.settled, Settled::yes);
    EXPECT_EQ(good.headline, "The chain has settled");
    EXPECT_TRUE(has(good.reason, "it is unknown whether another would reach the same result")) << good.reason;
    model.diagnostics = numbers(1.01, 10.0, 1.01, 20.0);
    const std::string advice = all_advice(judge_settling(model));
    EXPECT_TRUE(has(advice, "--time-limit")) << advice;
    EXPECT_TRUE(has(advice, "`--draws 800` (was 50)")) << "the 49 of the other are not worth anything: " << advice;
    EXPECT_FALSE(has(advice, "--chains")) << "there would have been two: " << advice;
}

// Every number counts: each quantity alone can keep the verdict from being good.
TEST(Settling, TheWorstDecides) {
    const Diagnostics good{.noise_rhat = 1.01,
                           .noise_ess = 150.0,
                           .objective_rhat = 1.01,
                           .objective_ess = 150.0,
                           .atoms_rhat = 1.01,
                           .atoms_ess = 150.0,
                           .codes_rhat = 1.01,
                           .codes_ess = 150.0};
    EXPECT_EQ(judge_settling(chain(good)).settled, Settled::yes);
    const std::pair<double Diagnostics::*, const char*> rhats[] = {{&Diagnostics::noise_rhat, "the noise"},
                                                                   {&Diagnostics::objective_rhat, "the log density"},
                                                                   {&Diagnostics::atoms_rhat, "the atoms"},
                                                                   {&Diagnostics::codes_rhat, "the codes"}};
    for (const auto& [member, name] : rhats) {
        Diagnostics bad = good;
        bad.*member = 1.06;
        const Settling settling = judge_settling(chain(bad));
        EXPECT_EQ(settling.settled, Settled::no) << name;
        EXPECT_EQ(settling.reason, std::string("R-hat is 1.06 for ") + name + " (required: at most 1.05)");
    }
    const std::pair<double Diagnostics::*, const char*> sizes[] = {{&Diagnostics::noise_ess, "the noise"},
                                                                   {&Diagnostics::objective_ess, "the log density"},
                                                                   {&Diagnostics::atoms_ess, "the atoms"},
                                                                   {&Diagnostics::codes_ess, "the codes"}};
    for (const auto& [member, name] : sizes) {
        Diagnostics bad = good;
        bad.*member = 99.0;
        const Settling settling = judge_settling(chain(bad));
        EXPECT_EQ(settling.settled, Settled::no) << name;
        EXPECT_EQ(settling.reason,
                  std::string("the effective sample size is 99 for ") + name + " (required: at least 100)");
    }
    Diagnostics tails = good;
    tails.noise_ess_tail = tails.objective_ess_tail = tails.atoms_ess_tail = tails.codes_ess_tail = 3.0;
    EXPECT_EQ(judge_settling(chain(tails)).settled, Settled::yes) << "the tails are reported, not judged";
}

TEST(Settling, SeveralTroublesAreListedTogether) {
    const Settling settling =
        judge_settling(chain(numbers(1.573, 2.14, std::numeric_limits<double>::infinity(), 40.0)));
    EXPECT_EQ(
        settling.reason,
        "R-hat is 1.57 for the noise, infinite for the log density (required: at most 1.05); the effective sample "
        "size is 2.1 for the noise, 40 for the log density (required: at least 100)");
    EXPECT_EQ(settling.headline, "The chains have not settled");
}

// A chain whose R-hat is too large has not arrived: longer burn-in comes first. The 50 draws that were made count, not
// the 40 of the options.
TEST(Settling, AdviceNamesTheOptionsAndWhatTheyWere) {
    const Diagnostics bad = numbers(1.8, 3.0, 1.5, 3.6);
    const std::string one = all_advice(judge_settling(chain(bad, 1)));
    EXPECT_TRUE(has(one, "Check whether several chains agree: `--chains 4`.")) << one;
    EXPECT_TRUE(has(one, "`--draws 200` (was 50)")) << one;
    EXPECT_EQ(one.find("Lengthen the burn-in: `--burn-in 120` (was 60)."), 0u) << one;
    const std::string two = all_advice(judge_settling(chain(bad, 2)));
    EXPECT_TRUE(has(two, "`--burn-in 120` (was 60)")) << two;
    EXPECT_TRUE(has(two, "`--draws 200` (was 50)")) << two;
    EXPECT_FALSE(has(two, "--chains")) << two;
}

// 10,000 draws that did not help are not followed by the advice to make more, let alone fewer.
TEST(Settling, ALongChainThatHasNotMixedIsNotToldToDrawMore) {
    Model model = chain(numbers(1.8, 3.0, 1.5, 3.6), 1);
    model.trace = test::made_trace(1, 20'000);
    model.options_json = R"({"burn_in":10000,"draws":2000})";
    EXPECT_FALSE(has(all_advice(judge_settling(model)), "--draws")) << all_advice(judge_settling(model));
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "`--burn-in 20000` (was 10000)"));
    model.diagnostics = numbers(1.2, 30.0, 1.01, 150.0);
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "`--draws 20000` (was 10000)"))
        << all_advice(judge_settling(model));
}

// Where entries are missing, burn-in is longer than the option says: twice what was made, not twice the option.
TEST(Settling, ALongerBurnInIsCountedAsItWasMade) {
    Model model = chain(numbers(1.5, 20.0, 1.2, 30.0), 1);
    model.options_json = R"({"burn_in":30,"draws":40,"chains":1})";
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "`--burn-in 100` (was 50)"))
        << all_advice(judge_settling(model));
}

// Measured: with the paper's prior neither a longer burn-in nor more draws lower R-hat.
TEST(Settling, AChainThatDriftsIsNotToldToRunLonger) {
    Model model = chain(numbers(2.07, 3.0, 1.01, 150.0), 1);
    model.trace.kept.assign(600, 1);
    model.trace.chain.assign(600, 0);
    model.options_json =
        R"({"prior":"student-t","burn_in":500,"draws":600,"chains":1,"own_units":true,"anneal_growth":0.0125})";
    const std::string other_prior = "This prior's chain drifts, and more sweeps do not help: use `--prior on-off`.\n";
    EXPECT_EQ(all_advice(judge_settling(model)), other_prior);
    model.stop_reason = "time_limit";
    EXPECT_EQ(all_advice(judge_settling(model)), other_prior) << "nor does more time";
    model.stop_reason = "sweeps_done";

    model.preset = "paper";
    const std::string other_preset =
        "This prior's chain drifts, and more sweeps do not help: leave out `--preset paper`.\n";
    EXPECT_EQ(all_advice(judge_settling(model)), other_preset);
    model.preset = "custom";
    model.options_json =
        R"({"prior":"student-t","burn_in":299,"draws":600,"chains":1,"own_units":false,"anneal_growth":0.0})";
    EXPECT_EQ(all_advice(judge_settling(model)), other_preset) << "the paper's preset with more draws";

    for (const double rhat : {1.01, 1.2}) {
        model.diagnostics = numbers(rhat, 30.0, 1.01, 150.0);
        EXPECT_TRUE(has(all_advice(judge_settling(model)), "`--draws")) << "it does not drift, and is only short";
    }
    model.diagnostics = numbers(2.07, 3.0, 1.01, 150.0);
    model.trace.kept.assign(600, 0);
    std::fill_n(model.trace.kept.begin(), 100, 1);
    EXPECT_FALSE(has(all_advice(judge_settling(model)), "drifts")) << "too short to tell";
    model.trace.kept.assign(600, 1);
    model.patch = {2, 2, 1};
    EXPECT_FALSE(has(all_advice(judge_settling(model)), "drifts")) << "denoising has no such option";
}

TEST(Settling, AnRhatJustAboveTheBoundHasAThirdDigit) {
    const std::string reason = judge_settling(chain(numbers(1.0512, 150.0, 1.06, 150.0))).reason;
    EXPECT_TRUE(has(reason, "R-hat is 1.051 for the noise, 1.06 for the log density")) << reason;
}

// 50 kept sweeps of each chain are worth 10 draws in all, so 100 take 500 of each; and half as many again.
TEST(Settling, AMixedChainTellsHowManySweepsItNeeds) {
    const Diagnostics mixed = numbers(1.01, 10.0, 1.01, 20.0);
    const std::string one = all_advice(judge_settling(chain(mixed, 1)));
    EXPECT_TRUE(has(one, "`--draws 800` (was 50)")) << one;
    const std::string two = all_advice(judge_settling(chain(mixed, 2)));
    EXPECT_TRUE(has(two, "`--draws 800` (was 50)")) << two;
    EXPECT_FALSE(has(two, "--burn-in")) << "the chains agree: " << two;
}

TEST(Settling, WithoutOptionsTheirNamesStandAlone) {
    Model model = chain(numbers(1.8, 3.0, 1.5, 3.6));
    for (const char* options : {"", "not JSON", "[1,2]", R"({"draws":"many"})", R"({"draws":9223372036854775807})"}) {
        model.options_json = options;
        EXPECT_TRUE(has(all_advice(judge_settling(model)), "`--draws`")) << options;
    }
}

TEST(Settling, WhatCouldNotBeComputedIsNotJudged) {
    const Settling settling = judge_settling(chain({}));
    EXPECT_EQ(settling.settled, Settled::unknown);
    EXPECT_TRUE(has(settling.reason, "at least 4 kept sweeps")) << settling.reason;
    EXPECT_TRUE(has(all_advice(settling), "--draws"));
    // A number that is missing, as in the file of an older program, leaves the others.
    EXPECT_EQ(judge_settling(chain(numbers(1.01, 150.0, nan, nan))).settled, Settled::yes);
    EXPECT_EQ(judge_settling(chain(numbers(nan, nan, 1.2, 150.0))).settled, Settled::no);
}

TEST(Settling, RunsThatWereCutShortAreNamed) {
    Model model = chain({});
    model.stop_reason = "time_limit";
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "--time-limit"));
    model.stop_reason = "observer";
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "--start"));
}

TEST(Settling, InBurnInThereIsNoPosterior) {
    Model model = chain({}, 1);
    model.stop_reason = "time_limit";
    model.dictionary_std = {};
    EXPECT_EQ(judge_settling(model).reason,
              "stopped before two sweeps were kept: no posterior, no standard deviations");
    model.trace.kept.assign(model.trace.kept.size(), 0);
    const Settling settling = judge_settling(model);
    EXPECT_EQ(settling.settled, Settled::no);
    EXPECT_EQ(settling.reason, "stopped in burn-in: no posterior, no standard deviations");
    EXPECT_TRUE(has(all_advice(settling), "--time-limit"));
    model.method = "vb";
    model.options_json = R"({"start_sweeps":200})";
    EXPECT_EQ(judge_settling(model).settled, Settled::no);
    EXPECT_EQ(judge_settling(model).reason, "stopped in the Gibbs start: no posterior, no standard deviations");
    model.options_json = R"({"start_sweeps":99})";
    EXPECT_EQ(judge_settling(model).reason,
              "stopped while the noise was lowered, before there was a bound: no posterior, no standard deviations");
    // With a single draw, as in the paper's preset, nothing was cut short: it is only not known.
    model.method = "gibbs";
    model.stop_reason = "sweeps_done";
    EXPECT_EQ(judge_settling(model).settled, Settled::unknown);
}

TEST(Settling, VbSettlesWithItsBound) {
    Model model = chain({}, 1);
    model.method = "vb";
    model.options_json = R"({"sweeps":200,"tolerance":1e-5})";
    model.stop_reason = "converged";
    EXPECT_EQ(judge_settling(model).settled, Settled::yes);
    EXPECT_TRUE(has(judge_settling(model).reason,
                    "; without a closing chain the standard deviations are those of VB, which are too small"))
        << judge_settling(model).reason;
    model.stop_reason = "sweeps_done";
    model.trace.objective = {-400.0, -200.0};
    const Settling settling = judge_settling(model);
    EXPECT_EQ(settling.settled, Settled::no);
    EXPECT_TRUE(has(all_advice(settling), "`--sweeps 400` (was 200)"));
    EXPECT_TRUE(has(settling.reason, "changed it by 1 of its size")) << settling.reason;
    model.patch = {8, 8, 1};  // for an image few sweeps are enough
    EXPECT_EQ(judge_settling(model).headline, "The bound was still rising, which hardly matters");
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "`--sweeps 400`"));
    model.trace = {};
    EXPECT_TRUE(has(judge_settling(model).reason, "unknown"));
}

/// A run of the given number of passes; the objective of pass i is 100 + way(i).
template <class Way>
Model passes(int count, const Way& way) {
    Model model = chain({}, 1);
    model.method = "online";
    model.options_json = R"({"sweeps":12})";
    model.trace = test::made_trace(1, count);
    for (int i = 0; i < count; ++i) model.trace.objective[static_cast<std::size_t>(i)] = 100.0 + way(i);
    return model;
}

// Noise and standard deviations come from the chain after VB, so it is judged as well.
TEST(Settling, TheClosingChainOfVbIsJudged) {
    Model model = chain(numbers(1.01, 150.0, 1.02, 200.0), 1);
    model.method = "vb";
    model.stop_reason = "converged";
    for (std::size_t i = 60; i < model.trace.objective.size(); ++i) model.trace.objective[i] = nan;
    const Settling good = judge_settling(model);
    EXPECT_EQ(good.settled, Settled::yes);
    EXPECT_TRUE(has(good.reason, "in the closing chain, R-hat is at most 1.02")) << good.reason;
    EXPECT_FALSE(has(good.reason, "too small")) << good.reason;
    model.diagnostics = numbers(1.01, 12.0, 1.02, 200.0);
    const Settling bad = judge_settling(model);
    EXPECT_EQ(bad.settled, Settled::no);
    EXPECT_TRUE(has(bad.reason, "the effective sample size is 12 for the noise")) << bad.reason;
    EXPECT_TRUE(has(all_advice(bad), "`--closing-sweeps 80` (was 40)")) << all_advice(bad);
}

TEST(Settling, OthersAreJudgedByTheirObjective) {
    const Settling yes = judge_settling(passes(12, [](int i) { return 50.0 * std::pow(0.3, i); }));
    EXPECT_EQ(yes.settled, Settled::yes);
    EXPECT_TRUE(has(yes.reason, "objective") && has(yes.reason, "the last 4 of 12 passes the objective fell"))
        << yes.reason;
    EXPECT_TRUE(yes.advice.empty());
    const Settling nearly = judge_settling(passes(12, [](int i) { return -0.5 * i; }));
    EXPECT_EQ(nearly.settled, Settled::no);
    EXPECT_EQ(nearly.headline, "Learning has nearly settled");
    EXPECT_TRUE(has(nearly.reason, "the objective fell by 0.52 % per pass (required: at most 0.1 % per pass)"))
        << nearly.reason;
    EXPECT_TRUE(has(all_advice(nearly), "`--sweeps 24` (was 12)")) << all_advice(nearly);
    EXPECT_EQ(judge_settling(passes(12, [](int i) { return -2.0 * i; })).settled, Settled::no);
    const Settling rising = judge_settling(passes(12, [](int i) { return 2.0 * i; }));
    EXPECT_EQ(rising.settled, Settled::no);
    EXPECT_TRUE(has(rising.reason, "the objective rose")) << rising.reason;
}

TEST(Settling, ForSignalsWithoutNoiseTheRestIsRounding) {
    const Settling settled =
        judge_settling(passes(12, [](int i) { return i < 4 ? 50.0 : -100.0 + 1e-14 * (i % 2 == 0 ? 1.0 : 7.0); }));
    EXPECT_EQ(settled.settled, Settled::yes) << settled.reason;
    const Settling falling = judge_settling(passes(6, [](int i) { return i < 5 ? 50.0 : -100.0; }));
    EXPECT_EQ(falling.settled, Settled::no);
    EXPECT_TRUE(has(falling.reason, "the objective fell by 50 % per pass")) << falling.reason;
    EXPECT_TRUE(has(judge_settling(passes(12, [](int) { return 0.0; })).reason, "the objective did not change"));
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
    stopped.stop_reason = "interrupted";
    EXPECT_TRUE(has(all_advice(judge_settling(stopped)), "--start"));
    EXPECT_FALSE(has(all_advice(judge_settling(stopped)), "--sweeps"));
}

// The options of `sbdl denoise`: burn-in and draws together, one chain, another seed.
TEST(Settling, ChainsOfAnImageNeedMoreSweeps) {
    Model model = chain(numbers(1.8, 3.0, 1.5, 3.6), 1);
    model.patch = {2, 2, 1};
    for (const char* method : {"gibbs", "bpfa"}) {
        model.method = method;
        for (const Diagnostics& diagnostics :
             {numbers(1.8, 3.0, 1.5, 3.6), numbers(1.01, 40.0, 1.01, 150.0), Diagnostics{}}) {
            model.diagnostics = diagnostics;
            model.options_json = R"({"burn_in":60,"draws":40})";
            const std::string few = all_advice(judge_settling(model));
            EXPECT_TRUE(has(few, "--sweeps 440` (was 110)")) << "200 of them kept: " << few;
            EXPECT_EQ(has(few, "`--seed`"), !std::isnan(diagnostics.noise_rhat)) << few;
            model.options_json = R"({"burn_in":600,"draws":400})";
            const std::string many = all_advice(judge_settling(model));
            EXPECT_TRUE(has(many, "--sweeps 2000` (was 1000)")) << many;
            model.options_json = R"({"burn_in":9223372036854775807,"draws":40})";
            const std::string unknown = all_advice(judge_settling(model));
            EXPECT_TRUE(has(unknown, "`--sweeps`")) << unknown;
            for (const char* foreign : {"--burn-in", "--draws", "--chains"})
                EXPECT_FALSE(has(few + many + unknown, foreign)) << foreign;
        }
    }
}

TEST(Settling, NamesNoOptionThatDenoisingDoesNotHave) {
    Model model = chain({}, 1);
    model.stop_reason = "observer";
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "--start"));
    model.patch = {8, 8, 1};
    EXPECT_FALSE(has(all_advice(judge_settling(model)), "--start"));
    EXPECT_TRUE(has(all_advice(judge_settling(model)), "let it finish"));
}

}  // namespace
}  // namespace sbdl
