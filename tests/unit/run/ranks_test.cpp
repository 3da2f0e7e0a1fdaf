// A run that several ranks share ends with the same result as that of one process, to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "sbdl/bpfa.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/mod.hpp"
#include "support/rank_runs.hpp"
#include "support/same_result.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

void expect_same_on(std::initializer_list<int> ranks, const SignalSource& source, const AnyOptions& options) {
    const Context context{.seed = 5};
    const TrainResult want = train(source, options, context);
    for (const int count : ranks) {
        SCOPED_TRACE(::testing::Message() << count << " ranks");
        for (const TrainResult& got : train_on(count, source, options, context)) expect_same_result(got, want);
    }
}

BpfaOptions short_bpfa(int atoms) {
    BpfaOptions options = BpfaOptions::preset(Preset::standard, atoms);
    options.burn_in = 30;
    options.most_burn_in = 0;
    options.draws = 8;
    options.refresh_every = 5;
    return options;
}

/// How many atoms a run replaces.
class ReplacedAtoms final : public Observer {
public:
    Flow on_sweep(const SweepReport& report) override {
        count += report.atoms_refreshed;
        return Flow::go_on;
    }

    int count = 0;
};

TEST_F(RanksShareARun, OfGibbs) {
    GibbsOptions options = short_gibbs(14);  // more atoms than the truth has, so that some are replaced
    options.chains = 2;
    expect_same_on({1, 2, 3, 4, 6}, source_, options);
}

TEST_F(RanksShareARun, OfGibbsWithThePapersPrior) {
    GibbsOptions options = short_gibbs(14);
    options.prior = CodePrior::student_t;
    expect_same_on({2, 3}, source_, options);
}

TEST_F(RanksShareARun, OfGibbsInItsSearch) {
    GibbsOptions options = short_gibbs(14);
    options.burn_in = 120;  // long enough for signals to get a second chance
    expect_same_on({4}, source_, options);
}

TEST_F(RanksShareARun, WithLargeStatisticsAndOtherNumbersOfThreads) {
    GibbsOptions options = short_gibbs(70);  // a set of statistics takes several messages
    options.burn_in = 4;
    options.draws = 2;
    expect_same_on({2, 3}, source_, options);
}

TEST_F(RanksShareARun, WhoseFirstHasNoSignals) {
    for (const AnyOptions& options :
         {AnyOptions(short_gibbs(14)), AnyOptions(short_vb(14)), AnyOptions(short_bpfa(14))}) {
        const TrainResult want = train(source_, options, {.seed = 5});
        for (const int ranks : {2, 4})
            for (const TrainResult& got : train_on(ranks, source_, options, {.seed = 5}, nullptr, 1))
                expect_same_result(got, want);
    }
    for (const AnyOptions& options :
         {AnyOptions(short_rounds<ModOptions>(14)), AnyOptions(short_rounds<KsvdOptions>(14))}) {
        const TrainResult want = train(in_parts_, options, {.seed = 5});
        for (const TrainResult& got : train_on(4, in_parts_, options, {.seed = 5}, nullptr, 1))
            expect_same_result(got, want);
    }
}

TEST_F(RanksShareARun, OfSixteen) {
    GibbsOptions options = short_gibbs(14);
    options.burn_in = 8;
    options.draws = 3;
    expect_same_on({16}, in_parts_, options);  // seventeen blocks
}

TEST_F(RanksShareARun, OfVb) {
    expect_same_on({2, 3, 4}, source_, short_vb(14));
}

TEST_F(RanksShareARun, OfVbWithThePapersPrior) {
    VbOptions options = short_vb(14);
    options.prior = CodePrior::student_t;
    expect_same_on({2, 5}, source_, options);
}

TEST_F(RanksShareARun, OfBpfa) {
    BpfaOptions options = short_bpfa(14);
    options.chains = 2;
    expect_same_on({2, 3, 4}, source_, options);
    expect_same_on({3}, gaps_, short_bpfa(14));
}

TEST_F(RanksShareARun, OfMod) {
    const ModOptions options = short_rounds<ModOptions>(14);
    expect_same_on({1, 2, 3, 4}, in_parts_, options);
    ReplacedAtoms replaced;
    train_on(3, in_parts_, options, {.seed = 5}, &replaced);
    EXPECT_GT(replaced.count, 0);
}

TEST_F(RanksShareARun, OfKsvd) {
    for (const KsvdUpdate update : {KsvdUpdate::approximate, KsvdUpdate::exact}) {
        KsvdOptions options = short_rounds<KsvdOptions>(14);
        options.update = update;
        expect_same_on({1, 2, 3, 4}, in_parts_, options);
        ReplacedAtoms replaced;
        train_on(3, in_parts_, options, {.seed = 5}, &replaced);
        EXPECT_GT(replaced.count, 0) << to_string(update);
    }
}

TEST_F(RanksShareARun, OfRoundsInWhichAtomsHaveNoUsers) {
    KsvdOptions options = short_rounds<KsvdOptions>(40);
    std::vector<double> norms;
    for (std::size_t l = 0; l < larger_.signals.rows(); ++l) {
        double sum = 0.0;
        for (const double value : larger_.signals.row(l)) sum += value * value;
        norms.push_back(std::sqrt(sum));
    }
    std::ranges::sort(norms);
    options.sparsity.reset();
    options.max_error = norms[norms.size() - 30];  // so few signals have a code at all
    options.duplicate_correlation = 1.0;
    options.least_users = 0;
    options.least_share = 0.0;
    for (const KsvdUpdate update : {KsvdUpdate::approximate, KsvdUpdate::exact}) {
        options.update = update;
        expect_same_on({3}, in_parts_, options);
    }
}

TEST_F(RanksShareARun, OfRoundsWithMoreRanksThanParts) {
    for (const AnyOptions& options :
         {AnyOptions(short_rounds<ModOptions>(14)), AnyOptions(short_rounds<KsvdOptions>(14))}) {
        const TrainResult want = train(in_parts_, options, {.seed = 5});
        for (const TrainResult& got : train_on(6, in_parts_, options, {.seed = 5})) {
            expect_same_model(got.model, want.model);
            ASSERT_EQ(got.warnings.size(), 1U);
            EXPECT_EQ(got.warnings[0], "2 of 6 ranks have nothing to do: the signals are divided into 4 parts");
        }
    }
}

TEST_F(RanksShareARun, WithMissingEntries) {
    for (const CodePrior prior : {CodePrior::on_off, CodePrior::student_t}) {
        GibbsOptions gibbs = short_gibbs(12);
        gibbs.prior = prior;
        expect_same_on({3}, gaps_, gibbs);
        VbOptions vb = short_vb(12);
        vb.prior = prior;
        expect_same_on({3}, gaps_, vb);
    }
}

TEST_F(RanksShareARun, AndThoseWithNothingToDoAreMentioned) {
    const GibbsOptions options = short_gibbs(12);
    const TrainResult want = train(source_, options, {.seed = 5});
    for (const TrainResult& got : train_on(8, source_, options, {.seed = 5})) {
        expect_same_model(got.model, want.model);
        ASSERT_EQ(got.warnings.size(), want.warnings.size() + 1);
        EXPECT_EQ(got.warnings.back(), "2 of 8 ranks have nothing to do: the signals are divided into 6 parts");
    }
}

/// Stops a run after a sweep, or lets it go on.
class StopAt final : public Observer {
public:
    explicit StopAt(int at) : at_(at) {}
    Flow on_sweep(const SweepReport&) override { return ++made_ == at_ ? Flow::stop : Flow::go_on; }

private:
    int at_, made_ = 0;
};

TEST_F(RanksShareARun, ThatIsResumedByAnotherNumberOfThem) {
    const TempFolder folder;
    for (const AnyOptions& options :
         {AnyOptions(short_gibbs(12)), AnyOptions(short_vb(12)), AnyOptions(short_bpfa(12))}) {
        const TrainResult want = train(source_, options, {.seed = 5});
        for (const auto& [before, after] : {std::pair{4, 3}, std::pair{8, 1}}) {
            for (const int sweep : {3, 29, 48}) {
                if (sweep >= want.sweeps) continue;
                SCOPED_TRACE(::testing::Message() << before << " ranks, then " << after << ", after sweep " << sweep);
                Context context{.seed = 5, .checkpoint = {.path = folder / "checkpoint", .every_s = 3600.0}};
                StopAt stop(sweep);
                for (const TrainResult& stopped : train_on(before, source_, options, context, &stop)) {
                    EXPECT_EQ(stopped.reason, StopReason::observer);
                    EXPECT_EQ(stopped.sweeps, sweep);
                }
                context.checkpoint.resume = true;
                for (const TrainResult& got : train_on(after, source_, options, context))
                    expect_same_model(got.model, want.model);
            }
        }
    }
}

TEST_F(RanksShareARun, InRoundsThatAreResumedByAnotherNumberOfThem) {
    const TempFolder folder;
    for (const AnyOptions& options :
         {AnyOptions(short_rounds<ModOptions>(14)), AnyOptions(short_rounds<KsvdOptions>(14))}) {
        const TrainResult want = train(in_parts_, options, {.seed = 5});
        for (const int sweep : {1, 5}) {
            SCOPED_TRACE(::testing::Message() << options.method() << " after round " << sweep);
            Context context{.seed = 5, .checkpoint = {.path = folder / "checkpoint", .every_s = 3600.0}};
            StopAt stop(sweep);
            train_on(4, in_parts_, options, context, &stop);
            context.checkpoint.resume = true;
            for (const TrainResult& got : train_on(3, in_parts_, options, context))
                expect_same_model(got.model, want.model);
        }
    }
}

TEST_F(RanksShareARun, AndACheckpointThatCannotBeWrittenIsMissedByAll) {
    const TempFolder folder;
    std::filesystem::create_directory(folder / "some");
    /// Takes the folder away.
    class Remover final : public Observer {
    public:
        explicit Remover(std::filesystem::path path) : path_(std::move(path)) {}
        Flow on_sweep(const SweepReport& report) override {
            if (report.sweep == 3) std::filesystem::remove_all(path_);
            return Flow::go_on;
        }

    private:
        std::filesystem::path path_;
    } remover(folder / "some");
    const GibbsOptions options = short_gibbs(12);
    const TrainResult want = train(source_, options, {.seed = 5});
    const Context context{.seed = 5, .checkpoint = {.path = folder / "some" / "checkpoint", .every_s = 0.0}};
    for (const TrainResult& got : train_on(3, source_, options, context, &remover)) {
        expect_same_model(got.model, want.model);
        EXPECT_NE(got.checkpoint_error.find("went on without checkpoints"), std::string::npos) << got.checkpoint_error;
    }
}

}  // namespace
}  // namespace sbdl::test
