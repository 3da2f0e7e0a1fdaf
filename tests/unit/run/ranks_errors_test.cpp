// An error of one rank ends the run on all, and runs that cannot be shared are refused.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/rank_group.hpp"
#include "base/state_archive.hpp"
#include "run/checkpoint_file.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/simco.hpp"
#include "support/expect_error.hpp"
#include "support/rank_runs.hpp"
#include "support/same_result.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

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
    const SynthSet other = easy_set(signals_of_rank_runs, 25.0, 2);
    const MemorySource wrong(other.signals);
    for (const std::string& text : texts_with_odd_rank(1, source_, wrong))
        EXPECT_NE(text.find("rank 1 has other signals in"), std::string::npos) << text;
    const SynthSet fewer = easy_set(signals_of_rank_runs - 1);
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
