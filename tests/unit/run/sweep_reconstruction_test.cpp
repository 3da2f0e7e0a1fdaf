// The reconstructed signals in a sweep's report are made of the atoms and codes that the sweep drew.
#include <gtest/gtest.h>

#include <array>

#include "sbdl/sbdl.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"

namespace sbdl::test {
namespace {

constexpr std::array<std::size_t, 3> some_signals{0, 199, 130};  // in both blocks, and in any order

class Reconstructions : public Observer {
public:
    explicit Reconstructions(Phase wanted) : wanted_(wanted) {}
    Flow on_sweep(const SweepReport& report) override {
        if (report.phase == wanted_) seen.push_back(report.reconstruct(some_signals));
        return Flow::go_on;
    }
    std::vector<Matrix> seen;

private:
    Phase wanted_;
};

template <class Options>
TrainResult train_with(Observer& observer, const Options& options) {
    static const SynthSet set = easy_set(200);
    const std::array<Observer*, 1> observers{&observer};
    return train(MemorySource{set.signals}, options, {.execution = {.threads = 1}}, observers);
}

GibbsOptions one_draw() {
    GibbsOptions options = GibbsOptions::preset(Preset::standard, 12);
    options.burn_in = 60;
    options.draws = 1;
    options.keep_codes = true;
    return options;
}

TEST(SweepReconstruction, OfAKeptSweepIsItsCodesTimesItsAtoms) {
    Reconstructions kept(Phase::kept);
    const Model model = train_with(kept, one_draw()).model;  // whose means are those of a single draw
    ASSERT_EQ(kept.seen.size(), 1U);
    const Matrix& made = kept.seen.front();
    ASSERT_EQ(made.rows(), some_signals.size());
    for (std::size_t i = 0; i < some_signals.size(); ++i)
        for (std::size_t m = 0; m < made.cols(); ++m) {
            double sum = 0.0;
            for (std::size_t n = 0; n < 12; ++n) sum += model.codes(some_signals[i], n) * model.dictionary(n, m);
            EXPECT_NEAR(made(i, m), sum, 1e-12);
        }
}

TEST(SweepReconstruction, EveryChainHasItsOwn) {
    GibbsOptions options = one_draw();
    options.chains = 2;
    Reconstructions kept(Phase::kept);
    train_with(kept, options);
    ASSERT_EQ(kept.seen.size(), 2U);
    for (const Matrix& made : kept.seen) EXPECT_EQ(made.rows(), some_signals.size());
    EXPECT_NE(values_of(kept.seen[0]), values_of(kept.seen[1]));
}

TEST(SweepReconstruction, IsEmptyWhereCodesAreNotDrawn) {
    Reconstructions bound(Phase::kept);
    train_with(bound, short_vb(12));
    ASSERT_FALSE(bound.seen.empty());
    EXPECT_EQ(bound.seen.front().rows(), 0U);
    EXPECT_EQ(bound.seen.back().rows(), some_signals.size()) << "the closing chain draws codes";
    GibbsOptions options = short_gibbs(12);
    Reconstructions search(Phase::burn_in);
    train_with(search, options);
    ASSERT_FALSE(search.seen.empty());
    EXPECT_EQ(search.seen.front().rows(), 0U) << "the search has other codes";
    options.prior = CodePrior::student_t;
    Reconstructions dense(Phase::kept);
    train_with(dense, options);
    ASSERT_FALSE(dense.seen.empty());
    EXPECT_EQ(dense.seen.back().rows(), 0U);
}

TEST(SweepReconstruction, ASignalThatDoesNotExistIsRejected) {
    class AskTooFar : public Observer {
    public:
        Flow on_sweep(const SweepReport& report) override {
            const std::array<std::size_t, 1> none{200};
            if (report.phase != Phase::kept) return Flow::go_on;
            expect_error<InputError>([&] { report.reconstruct(none); }, {"signal is 200", "below 200"});
            asked = true;
            return Flow::stop;
        }
        bool asked = false;
    } observer;
    train_with(observer, short_gibbs(12));
    EXPECT_TRUE(observer.asked);
}

}  // namespace
}  // namespace sbdl::test
