// The toy method, registered from here, is a method like any other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "run/method_info.hpp"
#include "sbdl/error.hpp"
#include "support/easy_set.hpp"
#include "support/every_method.hpp"
#include "support/expect_error.hpp"
#include "support/same_result.hpp"
#include "support/temp_folder.hpp"
#include "support/toy_method.hpp"

namespace sbdl::test {
namespace {

class ToyMethod : public ::testing::Test {
protected:
    static void SetUpTestSuite() { register_method(toy_method); }

    static ToyOptions options() { return toy_with_pull(12); }

    const SynthSet set_ = easy_set(100);
    const MemorySource source_{set_.signals};
};

TEST_F(ToyMethod, IsListedAndFoundByName) {
    const std::vector<Method> all = methods();
    EXPECT_EQ(all.back().name, "toy");
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Method& m) { return m.name == "toy"; }), 1);
    EXPECT_EQ(method_named("toy").title, "a toy");
    expect_error<InputError>([] { method_named("toys"); }, {"'toys' is not a method", "bpfa, toy"});
}

TEST_F(ToyMethod, HasOptionsThatCodeCanSetByName) {
    AnyOptions made = method_options("toy", Preset::paper, 7);
    EXPECT_EQ(made.atoms(), 7);
    EXPECT_EQ(made.as<ToyOptions>().step, 1.0);
    expect_error<InputError>([&] { validate(made); }, {"toy: pull is missing"});
    EXPECT_TRUE(set_option(made, "pull", 0.25));
    EXPECT_NO_THROW(validate(made));
    EXPECT_EQ(to_json(made), R"({"atoms":7,"sweeps":6,"step":1.0,"pull":0.25,"origin":"signals"})");
    set_option(made, "step", 1.5);
    expect_error<InputError>([&] { validate(made); }, {"toy: step is 1.5, must be at most 1"});
    EXPECT_THROW(static_cast<void>(made.as<GibbsOptions>()), std::bad_cast);
    EXPECT_EQ(memory_needed(made, source_), 70.0);
}

TEST_F(ToyMethod, IsTrainedLikeAnyOther) {
    const TrainResult result = train(source_, options(), {.seed = 5});
    const Model& model = result.model;
    EXPECT_EQ(model.method, "toy");
    EXPECT_EQ(model.preset, "standard");
    EXPECT_EQ(model.options_json, to_json(options()));
    EXPECT_EQ(model.seed, 5U);
    EXPECT_EQ(model.signal_count, 100U);
    EXPECT_EQ(model.stop_reason, "sweeps_done");
    EXPECT_EQ(result.sweeps, 6);
    EXPECT_EQ(model.trace.sweep, (std::vector<int>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(model.dictionary.rows(), 12U);
    ToyOptions custom = options();
    custom.start = ToyStart::zero;
    const Model other = train(source_, custom).model;
    EXPECT_EQ(other.preset, "custom");
    EXPECT_FALSE(same_bits(other.dictionary, model.dictionary));
    const TrainResult late = train(source_, options(), {.time_limit_s = 1e-9});
    EXPECT_EQ(late.reason, StopReason::time_limit);
    EXPECT_EQ(late.sweeps, 1);
}

TEST_F(ToyMethod, SavesItsModel) {
    const TempFolder folder;
    const Model model = train(source_, options()).model;
    save_model(model, folder / "model.h5");
    expect_same_model(load_model(folder / "model.h5"), model);
}

class ThrowAt final : public Observer {
public:
    explicit ThrowAt(int sweep) : sweep_(sweep) {}
    Flow on_sweep(const SweepReport& report) override {
        if (report.sweep == sweep_) throw Stopped();
        return Flow::go_on;
    }

private:
    int sweep_;
};

TEST_F(ToyMethod, ResumesFromItsCheckpoint) {
    const TempFolder folder;
    const TrainResult want = train(source_, options(), {.seed = 5});
    Context context{.seed = 5, .checkpoint = {.path = folder / "checkpoint", .every_s = 0.0}};
    ThrowAt killer(4);
    const std::array<Observer*, 1> observers{&killer};
    EXPECT_THROW(train(source_, options(), context, observers), Stopped);
    context.checkpoint.resume = true;
    expect_same_result(train(source_, options(), context), want);
    ToyOptions other = options();
    other.start = ToyStart::zero;
    expect_error<InputError>([&] { train(source_, other, context); },
                             {"belongs to another run", R"(option origin was "signals", is now "zero")"});
}

}  // namespace
}  // namespace sbdl::test
