// The Table I run when something is wrong: damaged logs, other options, failing trials.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "unit/experiments/table1/case.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Table1Run, AHalfWrittenLastLineIsDropped) {
    run();
    const std::string whole = read_text(log());
    const std::string table = read_text(folder_ / "table1.csv");
    for (const std::size_t cut : {std::size_t{1}, std::size_t{20}}) {
        write_text(log(), whole.substr(0, whole.size() - cut));
        learned_.clear();
        EXPECT_EQ(run().trials_run, 1);
        EXPECT_EQ(read_text(log()), whole);
        EXPECT_EQ(read_text(folder_ / "table1.csv"), table);
    }
    write_text(log(), whole.substr(0, 10));  // not even the header came through
    EXPECT_EQ(run().trials_run, 16);
    EXPECT_EQ(read_text(log()), whole);
}

TEST_F(Table1Run, DamageIsRejectedByLineAndTheFileIsLeftAlone) {
    run();
    const std::string whole = read_text(log());
    const std::size_t second = whole.find('\n') + 1;
    const std::size_t third = whole.find('\n', second) + 1;
    const std::string line = whole.substr(second, third - second);
    const auto with = [&](std::string_view from, const std::string& to) {
        std::string changed = line;
        const std::size_t at = changed.find(from);
        EXPECT_NE(at, std::string::npos);
        return changed.replace(at, from.size(), to);
    };
    const std::string seed = fmt::format(",{},", learned_.front().seed);
    for (const std::string& bad :
         {std::string("\n"), std::string("gibbs,1000\n"), with("gibbs,", "omp,"), with(",1000,", ",*,"),
          with(",1000,", ",999,"), with(seed, seed + "9999"), with(",0.125,", ",nan,"), with(seed, ",7,"),
          with(",300,", ",-1,"), with(",300,", ",300.5,"), with(",0.125,", ",inf,"), with("\n", "0\n"), line + line}) {
        const std::string text = whole.substr(0, second) + bad + whole.substr(third);
        write_text(log(), text);
        const std::string said = input_error([&] { run(); });
        EXPECT_NE(said.find(log().string() + " line " + (bad == line + line ? "3" : "2")), std::string::npos)
            << bad << " -> " << said;
        EXPECT_EQ(read_text(log()), text);
    }
    write_text(log(), "some,other,file\n1,2,3\n");
    EXPECT_NE(input_error([&] { run(); }).find("line 1"), std::string::npos);
}

TEST_F(Table1Run, AnotherSeedOrOtherOptionsAreRejected) {
    run();
    options_.seed = 1;
    EXPECT_NE(input_error([&] { run(); }).find("line 2: the trial was made with another --seed"), std::string::npos);

    options_.seed = 0;
    std::string text = read_text(log());
    const std::string print = table1::fingerprint("vb");
    text.replace(text.find(print), print.size(), std::string(print.size(), '0'));
    write_text(log(), text);
    EXPECT_NE(input_error([&] { run(); }).find("line 3: the trial was made with other options"), std::string::npos);
}

TEST_F(Table1Run, TwoRunsDoNotShareAFolder) {
    Table1Hooks hooks;
    hooks.learner = [&](const Table1Task& task, const StopCheck&) {
        EXPECT_THROW(run(), FileError);
        return std::optional(made_up(task));
    };
    options_.trials = 1;
    options_.cells = {"1000/10/3"};
    run_table1(options_, hooks);
    EXPECT_TRUE(learned_.empty());
}

TEST_F(Table1Run, WrongOptionsLeaveNothingBehind) {
    options_.trials = 0;
    EXPECT_THROW(run(), InputError);
    options_.trials = 1;
    options_.program = "sbdl, changed";
    EXPECT_THROW(run(), InputError);
    options_.program.clear();
    options_.threads = -1;
    EXPECT_THROW(run(), InputError);
    options_.threads = 1;
    options_.rows = {"omp"};
    EXPECT_THROW(run(), InputError);
    EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Table1Run, AFailingTrialIsNamedAndTheRestIsKept) {
    Table1Hooks hooks;
    hooks.learner = [](const Table1Task& task, const StopCheck&) -> std::optional<Table1Score> {
        if (task.trial == 1) throw NumericError("pivot 3 is negative");
        return made_up(task);
    };
    try {
        run_table1(options_, hooks);
        FAIL() << "the failure was swallowed";
    } catch (const NumericError& error) {
        EXPECT_NE(std::string(error.what()).find("gibbs 1000/10/3 trial 1"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("pivot 3 is negative"), std::string::npos);
    }
    EXPECT_EQ(run().trials_run, 8);
}

TEST_F(Table1Run, ResultsThatAreNotFiniteAreNotWritten) {
    Table1Hooks hooks;
    hooks.learner = [](const Table1Task& task, const StopCheck&) {
        Table1Score score = made_up(task);
        score.noise_ratio = std::numeric_limits<double>::quiet_NaN();
        return std::optional(score);
    };
    EXPECT_THROW(run_table1(options_, hooks), NumericError);
    EXPECT_EQ(count_of(read_text(log()), "\n"), 1U);
}

}  // namespace
}  // namespace sbdl::test
