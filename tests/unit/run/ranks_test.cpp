// A run that several ranks share ends with the same result as that of one process, to the last bit; an error of one
// ends it on all.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/rank_group.hpp"
#include "base/state_archive.hpp"
#include "pass/rank_share.hpp"
#include "run/checkpoint_file.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/mod.hpp"
#include "sbdl/simco.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/gaps.hpp"
#include "support/same_result.hpp"
#include "support/temp_folder.hpp"
#include "support/thread_ranks.hpp"

namespace sbdl::test {
namespace {

constexpr std::size_t signals = 700;  // six blocks, in six chunks

/// The signals that a rank may read: its own, and once those that all ranks compare, here blocks all over the set.
class RankSource final : public SignalSource {
public:
    RankSource(const SignalSource& all, const IndexRange& own) : all_(all), own_(own) {}
    [[nodiscard]] std::size_t count() const override { return all_.count(); }
    [[nodiscard]] std::size_t dim() const override { return all_.dim(); }
    [[nodiscard]] std::string name() const override { return all_.name(); }
    void read(std::size_t first, std::size_t how_many, double* out) const override {
        if ((first < own_.first || first + how_many > own_.end()) && (compared_ += how_many) > most_compared())
            throw std::logic_error("these signals belong to another rank");
        all_.read(first, how_many, out);
    }

private:
    [[nodiscard]] std::size_t most_compared() const { return std::min<std::size_t>(18, (count() + 127) / 128) * 128; }

    const SignalSource& all_;
    IndexRange own_;
    mutable std::atomic<std::size_t> compared_ = 0;
};

/// The results of all ranks.
std::vector<TrainResult> train_on(int ranks, const SignalSource& source, const AnyOptions& options, Context context,
                                  Observer* observer = nullptr, int first_with_signals = 0) {
    std::vector<TrainResult> results(static_cast<std::size_t>(ranks));
    const auto errors = on_ranks(
        ranks,
        [&](Ranks& rank) {
            Context mine = context;
            mine.execution.ranks = &rank;
            mine.execution.threads = 1 + rank.mine() % 2;
            const std::array<Observer*, 1> observers{observer};
            const std::size_t observed = observer != nullptr && rank.mine() == 0 ? 1 : 0;
            const auto place = static_cast<std::size_t>(std::max(0, rank.mine() - first_with_signals));
            const RankSource own(
                source, rank.mine() < first_with_signals
                            ? IndexRange{}
                            : signals_of_rank(method_named(options.method()).can.kind, place,
                                              static_cast<std::size_t>(ranks - first_with_signals), source.count(),
                                              source.dim(), static_cast<std::size_t>(options.atoms())));
            results[static_cast<std::size_t>(rank.mine())] =
                train(own, options, mine, std::span(observers).first(observed));
        },
        first_with_signals);
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
    return results;
}

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

template <class Options>
Options short_rounds(int atoms) {
    Options options = Options::preset(Preset::standard, atoms);
    options.sparsity = 2;
    options.sweeps = 9;
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

class RanksShareARun : public ::testing::Test {
protected:
    const SynthSet set_ = easy_set(signals);
    const Matrix gappy_ = with_random_gaps(set_.signals, 0.3);
    const MemorySource source_{set_.signals}, gaps_{gappy_};
    const SynthSet larger_ = easy_set(2100);  // four parts, which do not end where blocks do
    const MemorySource in_parts_{larger_.signals};
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

/// What the ranks throw when one of them, `odd`, has another source.
std::vector<std::string> texts_with_odd_rank(int odd, const SignalSource& source, const SignalSource& other) {
    std::vector<std::string> texts;
    for (const std::exception_ptr& error : on_ranks(3, [&](Ranks& rank) {
             Context context{.seed = 5};
             context.execution.threads = 1;
             context.execution.ranks = &rank;
             train(rank.mine() == odd ? other : source, short_gibbs(12), context);
         }))
        texts.push_back(text_of(error));
    return texts;
}

TEST_F(RanksShareARun, AndAnErrorOfOneEndsItOnAll) {
    Matrix bad = set_.signals;
    bad(600, 3) = std::numeric_limits<double>::infinity();  // in the part of the last
    const MemorySource source(bad);
    std::string want;
    try {
        train(source, short_gibbs(12));
    } catch (const InputError& error) {
        want = error.what();
    }
    ASSERT_NE(want.find("600"), std::string::npos) << want;
    for (const std::string& text : texts_with_odd_rank(-1, source, source)) EXPECT_EQ(text, want);
}

// The third of four parts; nobody else reads this value but to compare files.
TEST_F(RanksShareARun, AndAMissingValueInThePartOfOneEndsItOnAll) {
    Matrix bad = larger_.signals;
    bad(1301, 4) = std::numeric_limits<double>::quiet_NaN();
    const MemorySource source(bad);
    for (const std::exception_ptr& error : on_ranks(4, [&](Ranks& rank) {
             Context context{.seed = 5};
             context.execution.threads = 1;
             context.execution.ranks = &rank;
             train(source, short_rounds<KsvdOptions>(14), context);
         })) {
        EXPECT_NE(text_of(error).find("row 1301, column 4 (counted from 0) is nan"), std::string::npos)
            << text_of(error);
    }
}

/// Signals that from some moment on cannot be read.
class FailingSource final : public SignalSource {
public:
    explicit FailingSource(const SignalSource& all) : all_(all) {}
    [[nodiscard]] std::size_t count() const override { return all_.count(); }
    [[nodiscard]] std::size_t dim() const override { return all_.dim(); }
    [[nodiscard]] std::string name() const override { return all_.name(); }
    void read(std::size_t first, std::size_t how_many, double* out) const override {
        if (fails) throw FileError("the disk is gone");
        all_.read(first, how_many, out);
    }

    std::atomic<bool> fails = false;

private:
    const SignalSource& all_;
};

/// While it exists, files of this process grow no larger, as on a full disk.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit less{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &less);
    }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;
    ~FileLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int);
};

// The disk is full in the middle of a checkpoint, which the run survives. What fails later is still told to all.
TEST_F(RanksShareARun, AndAnErrorAfterACheckpointThatCouldNotBeWritten) {
    const TempFolder folder;
    FailingSource failing(in_parts_);
    class Breaker final : public Observer {
    public:
        explicit Breaker(FailingSource& source) : source_(source) {}
        Flow on_sweep(const SweepReport& report) override {
            source_.fails = report.sweep == 6;
            return Flow::go_on;
        }

    private:
        FailingSource& source_;
    } breaker(failing);
    GibbsOptions options = short_gibbs(24);
    options.prior = CodePrior::student_t;
    const Context context{.seed = 5, .checkpoint = {.path = folder / "checkpoint", .every_s = 0.0}};
    std::vector<std::string> texts;
    {
        const FileLimit limit(300'000);
        for (const std::exception_ptr& error : on_ranks(3, [&](Ranks& rank) {
                 Context mine = context;
                 mine.execution.threads = 1;
                 mine.execution.ranks = &rank;
                 const std::array<Observer*, 1> observers{&breaker};
                 const bool first = rank.mine() == 0;
                 train(rank.mine() == 1 ? static_cast<const SignalSource&>(failing) : in_parts_, options, mine,
                       std::span(observers).first(first ? 1 : 0));
             }))
            texts.push_back(text_of(error));
        EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "no checkpoint, and nothing of one";
        options.burn_in = options.draws = 2;
        const TrainResult want = train(in_parts_, options, {.seed = 5});
        for (const TrainResult& got : train_on(3, in_parts_, options, context)) {
            expect_same_model(got.model, want.model);
            EXPECT_NE(got.checkpoint_error.find("File too large; the run went on without checkpoints"),
                      std::string::npos)
                << got.checkpoint_error;
        }
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"the disk is gone (on rank 1)", "the disk is gone",
                                               "the disk is gone (on rank 1)"}));
}

// A state that cannot be read is no fault of the checkpoint's file: the run ends, and the next begins as any other.
TEST_F(RanksShareARun, AndAnErrorOfTheStateEndsIt) {
    const TempFolder folder;
    const Checkpoint checkpoint{.path = folder / "checkpoint"};
    const auto errors = on_ranks(3, [&](Ranks& ranks) {
        const auto archive = [&](StateArchive& state) {
            state.in_turn([&] {
                if (ranks.mine() == 1) throw FileError("the codes are gone");
                double value = ranks.mine();
                state("value", value);
            });
        };
        const auto write = [&] { try_checkpoint(checkpoint, "{}", archive, RankGroup(&ranks)); };
        EXPECT_THROW(on_all_ranks(&ranks, write), FileError);
        on_all_ranks(&ranks, [&] {
            if (ranks.mine() == 2) throw FileError("a sweep failed");
            RankGroup(&ranks).joined(std::vector{1});
        });
    });
    EXPECT_EQ(text_of(errors[0]), "a sweep failed (on rank 2)");
    EXPECT_EQ(text_of(errors[2]), "a sweep failed");
    EXPECT_FALSE(std::filesystem::exists(checkpoint.path));
}

TEST_F(RanksShareARun, OnlyOfTheSameSignals) {
    Matrix changed = set_.signals;
    changed(350, 2) += 1.0;  // in the middle
    const MemorySource other_middle(changed);
    for (const std::string& text : texts_with_odd_rank(2, source_, other_middle))
        EXPECT_NE(text.find("rank 2 has other signals in"), std::string::npos) << text;
    const SynthSet other = easy_set(signals, 25.0, 2);
    const MemorySource wrong(other.signals);
    for (const std::string& text : texts_with_odd_rank(1, source_, wrong))
        EXPECT_NE(text.find("rank 1 has other signals in"), std::string::npos) << text;
    const SynthSet fewer = easy_set(signals - 1);
    const MemorySource shorter(fewer.signals);
    for (const std::string& text : texts_with_odd_rank(2, source_, shorter))
        EXPECT_NE(text.find("rank 2 has other signals in"), std::string::npos) << text;
}

TEST_F(RanksShareARun, AndCodeOnlyTheSameSignals) {
    const SynthSet fewer = easy_set(300);
    const MemorySource other(fewer.signals);
    const Model model = train(source_, short_gibbs(12), {.seed = 5}).model;
    const auto expect_refused = [&](const std::function<void(const SignalSource&, const Context&)>& code) {
        for (const std::exception_ptr& error : on_ranks(3, [&](Ranks& rank) {
                 Context context{.seed = 5};
                 context.execution.threads = 1;
                 context.execution.ranks = &rank;
                 code(rank.mine() == 1 ? other : source_, context);
             }))
            EXPECT_NE(text_of(error).find("rank 1 has other signals in"), std::string::npos) << text_of(error);
    };
    expect_refused([&](const SignalSource& source, const Context& context) {
        encode(model.dictionary, source, OmpOptions{.max_nonzeros = 2}, context, [](const Codes&) {});
    });
    expect_refused([&](const SignalSource& source, const Context& context) {
        encode(model, source, PosteriorCoderOptions{.burn_in = 6, .draws = 2}, context, [](const Codes&) {});
    });
}

TEST_F(RanksShareARun, OnlyWithTheSameOptions) {
    for (const std::exception_ptr& error : on_ranks(3, [&](Ranks& rank) {
             Context context{.seed = rank.mine() == 1 ? 6U : 5U};
             context.execution.ranks = &rank;
             train(source_, short_gibbs(12), context);
         }))
        EXPECT_EQ(text_of(error), "rank 1 has other options than rank 0");
}

TEST_F(RanksShareARun, AndARequestToStopOneStopsAll) {
    const auto errors = on_ranks(3, [&](Ranks& rank) {
        Context context{.seed = 5};
        context.execution.ranks = &rank;
        int asked = 0;
        if (rank.mine() == 2) context.execution.stop = [&asked] { return ++asked > 40; };
        train(source_, short_gibbs(12), context);
    });
    for (const std::exception_ptr& error : errors) {
        ASSERT_TRUE(error);
        EXPECT_THROW(std::rethrow_exception(error), Stopped);
    }
}

TEST_F(RanksShareARun, AndCanShareTheNextAfterAnError) {
    const GibbsOptions options = short_gibbs(12);
    const TrainResult want = train(source_, options, {.seed = 5});
    on_ranks(3, [&](Ranks& rank) {
        Context context{.seed = 5};
        context.execution.ranks = &rank;
        EXPECT_THROW(train(source_, short_gibbs(-1), context), InputError);
        expect_same_result(train(source_, options, context), want);
    });
}

TEST_F(RanksShareARun, NotOfEveryKind) {
    const auto expect_refused = [&](const AnyOptions& options, bool reconstruct, const std::string& part) {
        for (const std::exception_ptr& error : on_ranks(2, [&](Ranks& rank) {
                 Context context{.reconstruct = reconstruct};
                 context.execution.ranks = &rank;
                 train(source_, options, context);
             })) {
            EXPECT_NE(text_of(error).find(part), std::string::npos) << text_of(error);
        }
    };
    expect_refused(short_rounds<SimcoOptions>(12), false, "method simco runs in one process, and there are 2 ranks");
    GibbsOptions codes = short_gibbs(12);
    codes.keep_codes = true;
    expect_refused(codes, false, "keep_codes needs a run in one process");
    KsvdOptions ksvd = short_rounds<KsvdOptions>(12);
    ksvd.keep_codes = true;
    expect_refused(ksvd, false, "keep_codes needs a run in one process");
    expect_refused(short_gibbs(12), true, "reconstruct needs a run in one process");
}

}  // namespace
}  // namespace sbdl::test
