// `mpirun sbdl learn`: the same model for any number of ranks, errors once, a lost rank, and resuming with another
// number of ranks. The program of these tests is a script: if its first argument is a number, as many ranks run the
// rest.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "cli/program.hpp"
#include "sbdl/model.hpp"
#include "support/same_result.hpp"

namespace sbdl::test {
namespace {

class MpiRun : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        ASSERT_EQ(run({"synth", "-o", "data", "--signals", "700", "--dim", "8", "--atoms", "10", "--sparsity", "2",
                       "--quiet"})
                      .status,
                  0);
    }

    /// The arguments of a run that writes to `model`.
    static std::vector<std::string> learn(const std::string& ranks, const std::string& model,
                                          const std::string& method) {
        std::vector<std::string> words{ranks,     "learn", "data/signals.npy", "-o",  model,
                                       "--atoms", "10",    "--method",         method};
        if (ranks.empty()) words.erase(words.begin());
        return words;
    }
    static std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

    /// The process of a rank that runs in the test's folder.
    [[nodiscard]] std::optional<pid_t> process_of(int rank) const {
        const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
            std::error_code ignored;
            if (std::filesystem::read_symlink(entry.path() / "cwd", ignored) != folder_) continue;
            std::ifstream file(entry.path() / "environ", std::ios::binary);
            for (std::string variable; std::getline(file, variable, '\0');)
                if (variable == wanted) return std::stoi(entry.path().filename().string());
        }
        return std::nullopt;
    }
};

TEST_F(MpiRun, GivesTheModelOfOneProcess) {
    for (const std::string method : {"gibbs", "vb", "bpfa"}) {
        ASSERT_EQ(run(with(learn("", "plain.h5", method), {"--sweeps", "60"})).status, 0);
        const Model want = load_model(folder_ / "plain.h5");
        for (const std::string ranks : {"1", "2", "3", "4"}) {
            SCOPED_TRACE(method + " on " + ranks);
            const Outcome outcome = run(with(learn(ranks, "model.h5", method), {"--sweeps", "60", "--threads", "1"}));
            ASSERT_EQ(outcome.status, 0) << outcome.err;
            expect_same_model(load_model(folder_ / "model.h5"), want);
        }
    }
}

TEST_F(MpiRun, GivesTheModelOfOneProcessInRounds) {
    ASSERT_EQ(
        run({"synth", "-o", "larger", "--signals", "2100", "--dim", "8", "--atoms", "10", "--sparsity", "2", "--quiet"})
            .status,
        0);
    for (const std::string method : {"mod", "ksvd"}) {
        const auto words = [&](const std::string& ranks, const std::string& model) {
            auto all = with(learn(ranks, model, method), {"--sparsity", "2", "--sweeps", "12", "--threads", "1"});
            std::ranges::replace(all, std::string("data/signals.npy"), std::string("larger/signals.npy"));
            return all;
        };
        ASSERT_EQ(run(words("", "plain.h5")).status, 0);
        const Outcome outcome = run(words("3", "model.h5"));
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        expect_same_model(load_model(folder_ / "model.h5"), load_model(folder_ / "plain.h5"));
    }
}

TEST_F(MpiRun, WhatIsPrintedWithoutAVerbIsPrintedOnce) {
    const Outcome alone = run({"--version"}), three = run({"3", "--version"});
    EXPECT_EQ(three.status, 0) << three.err;
    EXPECT_EQ(three.out, alone.out);
    const Outcome wrong = run({"3", "lern"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(wrong.err.find("is not a verb"), wrong.err.rfind("is not a verb")) << wrong.err;
}

TEST_F(MpiRun, GivesTheCodesOfOneProcess) {
    ASSERT_EQ(run(with(learn("", "model.h5", "gibbs"), {"--sweeps", "60"})).status, 0);
    const std::vector<std::vector<std::string>> coders{{"--draws", "10", "--burn-in", "12", "--std", "std.npy"},
                                                       {"--coder", "omp", "--nonzeros", "2"},
                                                       {"--coder", "lasso", "--lambda", "0.1"}};
    for (const std::vector<std::string>& coder : coders) {
        SCOPED_TRACE(coder[1]);
        ASSERT_EQ(run(with({"encode", "model.h5", "data/signals.npy", "-o", "plain.npy"}, coder)).status, 0);
        const Outcome outcome = run(with({"3", "encode", "model.h5", "data/signals.npy", "-o", "codes.npy"}, coder));
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        const auto bytes = [&](const char* name) {
            std::ifstream file(folder_ / name, std::ios::binary);
            return std::string(std::istreambuf_iterator<char>(file), {});
        };
        EXPECT_EQ(bytes("codes.npy"), bytes("plain.npy"));
    }
}

TEST_F(MpiRun, ReportsOnce) {
    const Outcome outcome =
        run(with(learn("3", "model.h5", "gibbs"), {"--sweeps", "20", "--trace", "trace.jsonl", "--json"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["sweeps"], 20);
    EXPECT_EQ(outcome.err.find("sweep 20/20"), outcome.err.rfind("sweep 20/20")) << outcome.err;
    std::ifstream trace(folder_ / "trace.jsonl");
    EXPECT_EQ(std::count(std::istreambuf_iterator<char>(trace), {}, '\n'), 21) << "a head, and the sweeps";
}

TEST_F(MpiRun, SaysThatRanksAreIdle) {
    const Outcome outcome = run(with(learn("7", "model.h5", "gibbs"), {"--sweeps", "3"}));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.err.find("1 of 7 ranks have nothing to do"), std::string::npos) << outcome.err;
}

TEST_F(MpiRun, AnErrorOfOneRankIsSaidOnce) {
    std::string rows;
    for (int l = 0; l < 700; ++l) rows += l == 650 ? "1,inf,3\n" : "1,2,3\n";
    write("bad.csv", rows);
    const Outcome outcome = run({"3", "learn", "bad.csv", "-o", "model.h5", "--atoms", "4"});
    EXPECT_EQ(outcome.status, 2);
    const std::string line = "sbdl learn: bad.csv";
    EXPECT_NE(outcome.err.find(line), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find(line), outcome.err.rfind(line)) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "model.h5"));
}

TEST_F(MpiRun, NotOfWhatOneProcessDoes) {
    const auto expect_refused = [&](const std::vector<std::string>& words, const std::string& part) {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    };
    expect_refused({"2", "info", "model.h5"}, "info works in one process: start it without mpirun");
    expect_refused(with(learn("2", "model.h5", "simco"), {"--sparsity", "2"}), "method simco runs in one process");
    expect_refused({"2", "learn", "-", "-o", "model.h5", "--atoms", "4"}, "standard input cannot be shared by ranks");
    expect_refused({"2", "learn", "none.npy", "-o", "model.h5", "--atoms", "4"}, "none.npy");
}

/// A variable of the environment of the programs that are started while it exists.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        setenv(name, value, 1);  // NOLINT(concurrency-mt-unsafe): tests have one thread
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { unsetenv(name_); }  // NOLINT(concurrency-mt-unsafe)

private:
    const char* name_;
};

// As under `srun --mpi=pmix` of a Slurm that knows nothing of this MPI: each task would write the same model.
TEST_F(MpiRun, TasksOfSlurmThatMpiDoesNotFindAreRefused) {
    const std::vector<std::string> words = with(learn("", "model.h5", "gibbs"), {"--sweeps", "4"});
    const Variable tasks("SLURM_STEP_NUM_TASKS", "2");
    for (const bool first : {true, false}) {
        const Variable rank("PMIX_RANK", first ? "0" : "1");
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.err.find("srun has started 2 tasks, but MPI finds one rank") != std::string::npos, first)
            << "the other task is silent: " << outcome.err;
        EXPECT_FALSE(std::filesystem::exists(folder_ / "model.h5"));
    }
    EXPECT_EQ(run(with(learn("2", "model.h5", "gibbs"), {"--sweeps", "4"})).status, 0) << "mpirun within Slurm";
    const Variable alone("SLURM_STEP_NUM_TASKS", "1"), rank("PMIX_RANK", "0");
    EXPECT_EQ(run(words).status, 0);
}

// As under `srun --mpi=none`, which says nothing of the other tasks but their number.
TEST_F(MpiRun, TasksOfSlurmWithoutMpiAreRefused) {
    const std::vector<std::string> words = with(learn("", "model.h5", "gibbs"), {"--sweeps", "4"});
    const Variable tasks("SLURM_STEP_NUM_TASKS", "2");
    for (const bool first : {true, false}) {
        const Variable rank("SLURM_PROCID", first ? "0" : "1");
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.err.find("srun has started 2 tasks without MPI") != std::string::npos, first) << outcome.err;
        EXPECT_FALSE(std::filesystem::exists(folder_ / "model.h5"));
    }
    const Variable rank("SLURM_PROCID", "1");
    EXPECT_EQ(run(with(learn("2", "model.h5", "gibbs"), {"--sweeps", "4"})).status, 0) << "mpirun within Slurm";
    const Variable by_itself("SBDL_ALONE", "1");
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 0) << "a step whose tasks have different files";
    EXPECT_NE(outcome.err.find("sweep 4/4"), std::string::npos) << "it is not silent: " << outcome.err;
}

TEST_F(MpiRun, APipeCannotBeShared) {
    const std::filesystem::path pipe = folder_ / "pipe.npy";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"2", "learn", "pipe.npy", "-o", "model.h5", "--atoms", "4"},
          std::vector<std::string>{"2", "encode", "model.h5", "pipe.npy", "-o", "codes.npy"}}) {
        Program program(folder_, words);
        ASSERT_TRUE(program.ends_within(std::chrono::minutes(1)));
        const Outcome outcome = program.finish();
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.err.find("pipe.npy: a pipe or device cannot be shared by ranks"), std::string::npos)
            << outcome.err;
    }
}

TEST_F(MpiRun, MemoryIsThatOfAllRanksOfTheMachine) {
    const Outcome outcome = run(with(learn("2", "model.h5", "gibbs"), {"--memory", "60K"}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("of memory for the 2 ranks of this machine; --memory allows 60 KiB"), std::string::npos)
        << outcome.err;
}

TEST_F(MpiRun, ALostRankEndsItAndOthersResume) {
    const std::vector<std::string> sweeps{"--sweeps", "400"};
    ASSERT_EQ(run(with(learn("", "plain.h5", "gibbs"), sweeps)).status, 0);
    {
        Program program(folder_,
                        with(with(learn("4", "model.h5", "gibbs"), sweeps),
                             {"--threads", "1", "--checkpoint", "run.checkpoint", "--checkpoint-every", "0s"}));
        ASSERT_TRUE(program.wait_for_error_text("sweep 1/"));
        while (!std::filesystem::exists(folder_ / "run.checkpoint") &&
               !program.ends_within(std::chrono::milliseconds(1))) {
        }
        const auto lost = process_of(1);
        ASSERT_TRUE(lost);
        kill(*lost, SIGKILL);
        const Outcome outcome = program.finish();
        EXPECT_NE(outcome.status, 0);
        EXPECT_NE(outcome.err.find("sbdl learn --resume"), std::string::npos) << outcome.err;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "model.h5"));
    const Outcome outcome = run({"3", "learn", "--resume", "run.checkpoint", "--threads", "1"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_same_model(load_model(folder_ / "model.h5"), load_model(folder_ / "plain.h5"));
    EXPECT_EQ(files(), Names({"data", "data/signals.npy", "data/dictionary.npy", "data/codes.npy", "data/synth.json",
                              "plain.h5", "model.h5"}));
}

}  // namespace
}  // namespace sbdl::test
