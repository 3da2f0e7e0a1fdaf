// The list of methods, as everything that offers a choice of them sees it.
#include "sbdl/methods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "sbdl/error.hpp"
#include "sbdl/train.hpp"
#include "support/easy_set.hpp"
#include "support/every_method.hpp"
#include "support/expect_error.hpp"

namespace sbdl::test {
namespace {

TEST(Methods, AreListedOnceWithAllThatIsShownOfThem) {
    const std::vector<Method> all = methods();
    std::set<std::string_view> names, titles;
    for (const Method& method : all) {
        names.insert(method.name);
        titles.insert(method.title);
        EXPECT_FALSE(method.summary.empty()) << method.name;
        EXPECT_EQ(method_named(method.name).title, method.title);
    }
    EXPECT_EQ(names.size(), all.size());
    EXPECT_EQ(titles.size(), all.size());
    EXPECT_EQ(all.front().name, "gibbs") << "the default comes first";
}

TEST(Methods, UnknownNamesAreRejectedWithTheKnownOnes) {
    expect_error<InputError>([] { method_named("lars"); }, {"'lars' is not a method", "gibbs, vb, svb, ksvd", "bpfa"});
    expect_error<InputError>([] { method_options("", Preset::standard, 3); }, {"'' is not a method"});
}

class MethodList : public ::testing::TestWithParam<std::string> {};

TEST_P(MethodList, HasOptionsOfEveryMethod) {
    for (const Preset preset : {Preset::standard, Preset::paper}) {
        AnyOptions options = method_options(GetParam(), preset, 9);
        EXPECT_EQ(options.method(), GetParam());
        EXPECT_EQ(options.atoms(), 9);
        std::set<std::string_view> names;
        for (const OptionRef& option : options.options()) {
            names.insert(option.name);
            EXPECT_FALSE(option.help.empty()) << option.name;
        }
        EXPECT_EQ(names.size(), options.options().size());
        EXPECT_TRUE(names.contains("atoms"));
    }
    EXPECT_NO_THROW(validate(quick_options(GetParam())));
}

// The memory estimate, available before a run, grows with the run.
TEST_P(MethodList, SaysHowMuchMemoryARunTakes) {
    const SynthSet few = easy_set(100), many = easy_set(3000);
    const AnyOptions small = quick_options(GetParam(), 4), large = quick_options(GetParam(), 400);
    const MemorySource few_signals{few.signals}, many_signals{many.signals};
    EXPECT_GT(memory_needed(small, few_signals), 0.0);
    EXPECT_GT(memory_needed(small, many_signals), memory_needed(small, few_signals)) << "codes are kept";
    EXPECT_GT(memory_needed(large, few_signals), memory_needed(small, few_signals));
    const double signals = static_cast<double>(many_signals.count() * many_signals.dim());
    EXPECT_EQ(memory_needed(small, many_signals, true) - memory_needed(small, many_signals), 3.0 * signals)
        << "reconstructed signals";
}

TEST_P(MethodList, SaysWhatAMethodCanDo) {
    const Method method = method_named(GetParam());
    const SynthSet set = easy_set(60);
    const MemorySource source{set.signals};
    const AnyOptions options = quick_options(GetParam(), 6);
    const TrainResult result = train(source, options);
    const Model& model = result.model;
    EXPECT_EQ(model.method, method.name);
    EXPECT_EQ(!model.dictionary_std.empty(), method.can.posterior);
    EXPECT_EQ(model.noise_sd_std > 0.0, method.can.posterior);
    EXPECT_EQ(std::isfinite(model.diagnostics.noise_ess), method.can.posterior && !method.can.streaming);
    EXPECT_EQ(model.stream.signals_seen > 0, method.can.streaming);
    EXPECT_EQ(model.sbdl.has_value() || model.on_off.has_value(), method.can.posterior);
    EXPECT_TRUE(result.reconstruction.empty());

    Matrix gappy = set.signals;
    gappy(3, 2) = std::numeric_limits<double>::quiet_NaN();
    const MemorySource with_gaps{gappy};
    if (method.can.missing) {
        EXPECT_EQ(train(with_gaps, options, {.reconstruct = true}).reconstruction.rows(), 60U);
    } else {
        EXPECT_THROW(train(with_gaps, options), InputError);
        expect_error<InputError>([&] { train(source, options, {.reconstruct = true}); },
                                 {"reconstruct does not apply to method", GetParam()});
    }
}

INSTANTIATE_TEST_SUITE_P(Each, MethodList, ::testing::ValuesIn(method_names()), name_of_parameter);

}  // namespace
}  // namespace sbdl::test
