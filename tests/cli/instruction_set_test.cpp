// SBDL_CPU through the real program: each instruction set of this machine learns the same, and an unknown name is
// rejected.
#include "base/compute_scope.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/program.hpp"
#include "sbdl/model.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::test {
namespace {

class InstructionSet : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }
    void TearDown() override {
        unsetenv("SBDL_CPU");  // NOLINT(concurrency-mt-unsafe): tests have one thread
        CliTest::TearDown();
    }
    static void want(const std::string& name) {
        setenv("SBDL_CPU", name.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    }

    // Computes with each instruction set and expects results that agree with that of the simplest one.
    template <class Compute>
    static void expect_same(const Compute& compute, double tolerance) {
        Matrix first;
        for (const std::string& name : instruction_sets()) {
            SCOPED_TRACE(name);
            want(name);
            const Matrix found = compute(name);
            if (first.empty()) first = found;
            double worst = 0.0, largest = 0.0;
            for (std::size_t n = 0; n < found.rows(); ++n)
                for (std::size_t m = 0; m < found.cols(); ++m) {
                    worst = std::max(worst, std::abs(found(n, m) - first(n, m)));
                    largest = std::max(largest, std::abs(found(n, m)));
                }
            EXPECT_GT(largest, 0.0);
            EXPECT_LE(worst, tolerance);
        }
    }

    void expect_same_dictionaries(const std::vector<std::string>& options, double tolerance) const {
        std::vector<std::string> arguments{"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto learned = [&](const std::string& name) -> Matrix {
            EXPECT_EQ(run_json(arguments)["instructions"], name);
            return load_model(folder_ / "model.h5").dictionary;
        };
        expect_same(learned, tolerance);
    }
};

TEST_F(InstructionSet, BaselineIsAlwaysThereAndHelpListsAll) {
    const std::vector<std::string> names = instruction_sets();
    ASSERT_FALSE(names.empty());
#if !defined(__AVX2__)
    EXPECT_EQ(names.front(), "baseline");
#endif
    const std::string help = run({"--help"}).out;
    for (const std::string& name : names) EXPECT_NE(help.find(name), std::string::npos) << name;
}

TEST_F(InstructionSet, EmptyIsTheBest) {
    want("");
    const auto result = run_json({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8", "--sweeps", "2"});
    EXPECT_EQ(result["instructions"], instruction_sets().back());
}

TEST_F(InstructionSet, UnknownOnesAreRefusedAndThoseThatExistNamed) {
    const std::vector<std::vector<std::string>> methods{
        {"gibbs"}, {"vb"}, {"bpfa"}, {"ksvd", "--sparsity", "2"}, {"online", "--lambda", "0.2"}};
    for (const std::vector<std::string>& method : methods) {
        SCOPED_TRACE(method[0]);
        const auto before = files();
        want("nonsense");
        std::vector<std::string> arguments{"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8", "--method"};
        arguments.insert(arguments.end(), method.begin(), method.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.err.find("sbdl learn: SBDL_CPU is 'nonsense'"), std::string::npos) << outcome.err;
        for (const std::string& name : instruction_sets())
            EXPECT_NE(outcome.err.find(name), std::string::npos) << name << " in: " << outcome.err;
        EXPECT_EQ(files(), before);
    }
}

// Rounding errors of 1e-16 grow from sweep to sweep. After a few sweeps they are still far below these bounds.
TEST_F(InstructionSet, AllLearnTheSameByGibbs) {
    expect_same_dictionaries({"--method", "gibbs", "--sweeps", "4", "--draws", "1"}, 1e-9);
}

TEST_F(InstructionSet, AllLearnTheSameByVbOneAtomAtATime) {
    expect_same_dictionaries(
        {"--method", "vb", "--prior", "student-t", "--start-sweeps", "0", "--sweeps", "4", "--no-reestimate-noise"},
        1e-9);
}

TEST_F(InstructionSet, AllLearnTheSameByVbAtOnce) {
    expect_same_dictionaries({"--method", "vb", "--prior", "student-t", "--start-sweeps", "0", "--sweeps", "4",
                              "--no-reestimate-noise", "--update", "joint"},
                             1e-9);
}

TEST_F(InstructionSet, AllLearnTheSameByKsvd) {
    expect_same_dictionaries({"--method", "ksvd", "--sweeps", "3", "--sparsity", "2"}, 1e-9);
}

TEST_F(InstructionSet, AllLearnTheSameBySimco) {
    expect_same_dictionaries({"--method", "simco", "--sweeps", "3", "--sparsity", "2"}, 1e-9);
}

TEST_F(InstructionSet, AllLearnTheSameByMajorization) {
    expect_same_dictionaries({"--method", "majorization", "--sweeps", "3", "--lambda", "1"}, 1e-9);
}

TEST_F(InstructionSet, AllLearnTheSameByApru) {
    expect_same_dictionaries({"--method", "apru", "--sweeps", "3", "--lambda", "1", "--lambda-s", "1"}, 1e-9);
}

TEST_F(InstructionSet, AllLearnTheSameByBpfa) {
    expect_same_dictionaries({"--method", "bpfa", "--sweeps", "4", "--draws", "1"}, 1e-9);
}

TEST_F(InstructionSet, AllCodeTheSame) {
    run_json({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8", "--method", "ksvd", "--sweeps", "3",
              "--sparsity", "2"});
    const std::vector<std::vector<std::string>> coders{
        {"omp", "--nonzeros", "3"}, {"lasso", "--lambda", "0.1"}, {"fista", "--lambda", "0.1"}};
    for (const std::vector<std::string>& coder : coders) {
        SCOPED_TRACE(coder[0]);
        std::vector<std::string> arguments{"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--coder"};
        arguments.insert(arguments.end(), coder.begin(), coder.end());
        const auto codes = [&](const std::string& /*instructions*/) -> Matrix {
            run_json(arguments);
            return load_matrix(folder_ / "codes.npy");
        };
        expect_same(codes, 1e-9);
    }
}

}  // namespace
}  // namespace sbdl::test
