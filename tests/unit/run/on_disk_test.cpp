// A run that may take less memory than its codes need keeps them on disk, and ends with the same result, to the last
// bit.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <limits>

#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/online.hpp"
#include "sbdl/svb.hpp"
#include "support/easy_set.hpp"
#include "support/expect_error.hpp"
#include "support/gaps.hpp"
#include "support/same_result.hpp"
#include "support/temp_folder.hpp"
#include "support/thread_ranks.hpp"

namespace sbdl::test {
namespace {

/// Stops a run in the report of a sweep as a kill would.
class Kill final : public Observer {
public:
    Flow on_sweep(const SweepReport& report) override {
        if (report.sweep == 11) throw Stopped();
        return Flow::go_on;
    }
};

class RunOnDisk : public ::testing::Test {
protected:
    static constexpr std::size_t signals = 4000;

    [[nodiscard]] Context limited(double bytes, int threads = 1) const {
        Context context{.execution = {.threads = threads, .memory_bytes = bytes, .scratch = folder_ / "scratch"},
                        .seed = 5};
        return context;
    }

    void SetUp() override { std::filesystem::create_directory(folder_ / "scratch"); }

    /// With `bytes`, most of the codes are on disk.
    void expect_same(const SignalSource& source, const AnyOptions& options, double bytes) const {
        ASSERT_LT(bytes, sizeof(double) * memory_needed(options, source)) << "everything fits in memory";
        const TrainResult want = train(source, options, {.seed = 5});
        expect_same_model(train(source, options, limited(bytes, 2)).model, want.model);
        EXPECT_TRUE(std::filesystem::is_empty(folder_ / "scratch"));
    }

    const TempFolder folder_;
    const SynthSet set_ = easy_set(signals);
    const Matrix gappy_ = with_random_gaps(set_.signals, 0.2);
    const MemorySource source_{set_.signals}, gaps_{gappy_};
};

template <class Options>
Options with_paper_prior(Options options) {
    options.prior = CodePrior::student_t;
    return options;
}

TEST_F(RunOnDisk, Gibbs) {
    GibbsOptions options = short_gibbs(14);
    options.chains = 2;
    options.burn_in = 9;
    options.draws = 2;
    expect_same(source_, options, 900e3);
    expect_same(source_, with_paper_prior(options), 900e3);
    expect_same(gaps_, with_paper_prior(options), 950e3);
}

TEST_F(RunOnDisk, Vb) {
    VbOptions options = short_vb(14);
    options.start_sweeps = 7;
    options.sweeps = 4;
    expect_same(source_, options, 900e3);
    options.closing_sweeps = 0;
    expect_same(source_, with_paper_prior(options), 900e3);
    expect_same(gaps_, with_paper_prior(options), 1600e3);
}

TEST_F(RunOnDisk, IsSharedByRanks) {
    GibbsOptions options = short_gibbs(14);
    options.burn_in = 9;
    options.draws = 2;
    const TrainResult want = train(source_, options, {.seed = 5});
    const auto errors = on_ranks(2, [&](Ranks& rank) {
        Context context = limited(1200e3);
        context.execution.ranks = &rank;
        expect_same_model(train(source_, options, context).model, want.model);
    });
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

// The state on disk is part of the checkpoint. A run may go on with more memory, or with less.
TEST_F(RunOnDisk, IsResumed) {
    Kill kill;
    const std::array<Observer*, 1> observers{&kill};
    GibbsOptions gibbs = short_gibbs(14);
    gibbs.burn_in = 12;
    gibbs.draws = 2;
    VbOptions with_closing = short_vb(14);
    with_closing.start_sweeps = 4;
    with_closing.sweeps = 4;
    for (const AnyOptions& options : {AnyOptions(with_paper_prior(gibbs)), AnyOptions(with_closing)}) {
        const TrainResult want = train(source_, options, {.seed = 5});
        for (const bool less : {false, true}) {
            Context first = limited(less ? 0.0 : 900e3), then = limited(less ? 900e3 : 1000e3, 2);
            first.checkpoint = then.checkpoint = {.path = folder_ / "run.ckpt", .every_s = 0.0};
            EXPECT_THROW(train(source_, options, first, observers), Stopped);
            EXPECT_TRUE(std::filesystem::is_empty(folder_ / "scratch"));
            then.checkpoint.resume = true;
            then.checkpoint.every_s = 3600.0;
            expect_same_model(train(source_, options, then).model, want.model);
        }
    }
}

/// Overwrites, after a sweep, the beginning of a file that this process has open in the folder.
class Damage final : public Observer {
public:
    explicit Damage(std::filesystem::path folder) : folder_(std::move(folder)) {}
    Flow on_sweep(const SweepReport& report) override {
        if (report.sweep != 4) return Flow::go_on;
        std::error_code ignored;
        for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd")) {
            if (!std::filesystem::read_symlink(open.path(), ignored).string().starts_with(folder_.string())) continue;
            std::fstream(open.path()).write("damaged", 7);
            break;
        }
        return Flow::go_on;
    }

private:
    std::filesystem::path folder_;
};

// The checkpoint reads the codes first. The other rank has to hear of it, whatever it does.
TEST_F(RunOnDisk, ADamagedFileEndsItOnAllRanks) {
    Damage damage(std::filesystem::canonical(folder_ / "scratch"));
    const auto errors = on_ranks(2, [&](Ranks& rank) {
        Context context = limited(1200e3);
        context.execution.ranks = &rank;
        context.checkpoint = {.path = folder_ / "run.ckpt", .every_s = 0.0};
        const std::array<Observer*, 1> observers{&damage};
        const bool first = rank.mine() == 0;
        train(source_, with_paper_prior(short_gibbs(14)), context, std::span(observers).first(first ? 1 : 0));
    });
    for (const std::exception_ptr& error : errors)
        EXPECT_NE(text_of(error).find("what this run wrote in this folder has changed"), std::string::npos)
            << text_of(error);
}

TEST_F(RunOnDisk, SaysTheLeastMemory) {
    const AnyOptions gibbs = short_gibbs(14);
    expect_error<InputError>([&] { train(source_, gibbs, limited(100e3)); },
                             {"learning 14 atoms from 4000 signals of length 10 needs at least about",
                              "KiB of memory; memory allows 97.65 KiB"});
    expect_error<InputError>([&] { train(source_, gibbs, limited(-1.0)); }, {"memory is -1"});
    // What is returned for every signal is in memory.
    GibbsOptions recorded = short_gibbs(14);
    recorded.keep_codes = true;
    expect_error<InputError>([&] { train(source_, recorded, limited(900e3)); }, {"needs at least about"});
    // Each atom looks at all codes.
    expect_error<InputError>([&] { train(gaps_, short_vb(14), limited(1400e3)); }, {"needs at least about"});
    KsvdOptions ksvd = KsvdOptions::preset(Preset::standard, 14);
    ksvd.sparsity = 2;
    expect_error<InputError>([&] { train(source_, ksvd, limited(100e3)); },
                             {"needs about", "memory allows 97.65 KiB", "ksvd cannot keep its codes on disk"});
    OnlineOptions online = OnlineOptions::preset(Preset::standard, 14);
    online.sparsity = 2;
    expect_error<InputError>([&] { train(source_, online, limited(1e3)); },
                             {"needs about", "method online needs less with a smaller batch"});
    expect_error<InputError>([&] { train(source_, SvbOptions::preset(Preset::standard, 14), limited(1e3)); },
                             {"method svb needs less with a smaller batch or start_signals"});
}

/// The amount before ` of memory` in a message, in bytes.
double amount_needed(const std::string& message) {
    const std::size_t end = message.find(" of memory"), unit = message.rfind(' ', end - 1);
    const double number = std::stod(message.substr(message.rfind(' ', unit - 1)));
    return number * (message.substr(unit + 1, 3) == "KiB" ? 1024.0 : 1048576.0);
}

// Whoever gives as much as the message says has given enough, and no tenth less would do.
TEST_F(RunOnDisk, TheLeastMemoryIsEnough) {
    GibbsOptions options = short_gibbs(14);
    options.burn_in = 2;
    options.draws = 1;
    for (const int ranks : {1, 2}) {
        const auto error_of = [&](double bytes) {
            const auto errors = on_ranks(ranks, [&](Ranks& rank) {
                Context context = limited(bytes);
                context.execution.ranks = &rank;
                train(source_, options, context);
            });
            return text_of(errors[0]);
        };
        const std::string message = error_of(100e3);
        EXPECT_EQ(message.find("for the 2 ranks of this machine; memory allows 97.65 KiB") != std::string::npos,
                  ranks == 2)
            << message;
        EXPECT_EQ(error_of(amount_needed(message)), "");
        EXPECT_NE(error_of(0.9 * amount_needed(message)), "");
    }
}

TEST_F(RunOnDisk, SaysThatTheFolderIsMissing) {
    Context context = limited(900e3);
    context.execution.scratch = folder_ / "nowhere";
    expect_error<FileError>([&] { train(source_, short_gibbs(14), context); },
                            {(folder_ / "nowhere").string(), "No such file"});
}

}  // namespace
}  // namespace sbdl::test
