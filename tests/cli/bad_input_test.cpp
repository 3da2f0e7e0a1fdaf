// Bad input through the real program: one clear line, the right status, nothing left behind.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "cli/program.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

class BadInput : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }

    // Expects status 2, one line that begins with the verb and contains all the given texts, an empty standard output
    // and no new file.
    void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& words,
                        std::size_t file_limit = 0) const {
        const std::set<std::string> before = files();
        const Outcome outcome = run(arguments, file_limit);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        const std::size_t line = outcome.err.find("sbdl " + arguments[0] + ": ");
        ASSERT_NE(line, std::string::npos) << outcome.err;
        for (const std::string& word : words) {
            EXPECT_NE(outcome.err.find(word, line), std::string::npos) << "no '" << word << "' in: " << outcome.err;
        }
        EXPECT_EQ(outcome.err.find('\n', line), outcome.err.size() - 1) << "more than one line: " << outcome.err;
        EXPECT_EQ(files(), before);
    }

    void expect_learn_refused(const std::vector<std::string>& more, const std::vector<std::string>& words,
                              const std::string& signals = "data/signals.npy") const {
        std::vector<std::string> arguments{"learn", signals, "-o", "model.h5", "--sweeps", "8"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        expect_refused(arguments, words);
    }
};

TEST_F(BadInput, SignalsThatAreNotFinite) {
    write("nan.csv", "1,2,3\n4,nan,6\n7,8,9\n");
    expect_learn_refused({"--atoms", "4", "--method", "mod", "--sparsity", "2"}, {"nan.csv", "nan"}, "nan.csv");
    write("inf.csv", "1,2,3\n4,5,6\n7,8,-inf\n");
    expect_learn_refused({"--atoms", "4"}, {"inf.csv", "inf"}, "inf.csv");
    Matrix signals(5, 3, 1.0);
    signals(4, 2) = std::numeric_limits<double>::quiet_NaN();
    save_npy(folder_ / "nan.npy", signals);
    expect_learn_refused({"--atoms", "4", "--method", "mod", "--sparsity", "2"}, {"nan.npy", "4", "2", "nan"},
                         "nan.npy");
}

// The message names the option, its value, and what is allowed, including a word where one is accepted.
TEST_F(BadInput, NumbersThatAreNone) {
    const std::vector<std::string> rls{"--atoms", "4", "--method", "rls", "--sparsity", "2", "--stream-signals"};
    for (const char* text : {"many", "1.5", "auto1"}) {
        std::vector<std::string> more = rls;
        more.emplace_back(text);
        expect_learn_refused(more, {fmt::format("--stream-signals is '{}', must be a whole number or auto", text)});
    }
    expect_refused({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "4", "--sweeps", "1.5"},
                   {"--sweeps is '1.5', must be a whole number"});
    expect_learn_refused({"--atoms", "4.0"}, {"--atoms is '4.0', must be a whole number"});
    expect_learn_refused({"--atoms", "4", "--code-rate", "small"},
                         {"--code-rate is 'small', must be a number or auto"});
    expect_learn_refused({"--atoms", "4", "--threads", "1.5"},
                         {"--threads: '1.5' is not a whole number from 0 to 1024"});
    expect_learn_refused({"--atoms", "4", "--time-limit", "soon"},
                         {"--time-limit: 'soon' is not a number from 0 to 1000000000000"});
    for (const char* text : {"abc", "1e309", "2,5", ""})
        expect_refused({"denoise", "noisy.png", "-o", "clean.png", "--sigma", text},
                       {fmt::format("--sigma is '{}', must be a number or auto", text)});
    for (const char* option : {"--sweeps", "--patch", "--atoms", "--stride"})
        expect_refused({"denoise", "missing.png", "-o", "clean.png", option, "1.5"},
                       {fmt::format("{} is '1.5', must be a whole number", option)});
}

TEST_F(BadInput, FilesThatAreMissingEmptyOrRagged) {
    expect_learn_refused({"--atoms", "4"}, {"missing.npy"}, "missing.npy");
    for (const char* name : {"empty.csv", "empty.npy", "empty.h5", "empty.mat"}) {
        write(name, "");
        expect_learn_refused({"--atoms", "4"}, {name}, name);
    }
    write("ragged.csv", "1,2,3\n4,5\n");
    expect_learn_refused({"--atoms", "4"}, {"ragged.csv", "2", "3"}, "ragged.csv");
    write("words.csv", "1,2,3\n4,five,6\n");
    expect_learn_refused({"--atoms", "4"}, {"words.csv", "five"}, "words.csv");
    write("signals.doc", "1,2\n");
    expect_learn_refused({"--atoms", "4"}, {"signals.doc"}, "signals.doc");
}

TEST_F(BadInput, NpyFilesThatAreTruncatedHostileOrOfObjects) {
    fs::copy_file(folder_ / "data/signals.npy", folder_ / "cut.npy");
    fs::resize_file(folder_ / "cut.npy", fs::file_size(folder_ / "cut.npy") - 100);
    expect_learn_refused({"--atoms", "4"}, {"cut.npy"}, "cut.npy");
    fs::resize_file(folder_ / "cut.npy", 20);
    expect_learn_refused({"--atoms", "4"}, {"cut.npy"}, "cut.npy");

    const auto npy = [&](const std::string& name, std::string header) {
        header.resize(117, ' ');
        header += '\n';
        write(name, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + std::string(64, '\0'));
        expect_learn_refused({"--atoms", "4"}, {name}, name);
    };
    npy("objects.npy", "{'descr': '|O', 'fortran_order': False, 'shape': (2, 4), }");
    npy("huge.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }");
    npy("negative.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 4), }");
    npy("none.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4), }");
}

TEST_F(BadInput, ADatasetThatIsNotThere) {
    ASSERT_EQ(run({"learn", "data/signals.npy", "-o", "other.h5", "--atoms", "4", "--sweeps", "8"}).status, 0);
    expect_learn_refused({"--atoms", "4", "--dataset", "no_such_dataset"}, {"other.h5", "no_such_dataset"}, "other.h5");
}

TEST_F(BadInput, NumbersOfAtoms) {
    expect_learn_refused({}, {"--atoms"});
    expect_learn_refused({"--atoms", "0"}, {"atoms", "0", "at least 1"});
    expect_learn_refused({"--atoms", "-1"}, {"atoms", "-1", "at least 1"});
    expect_learn_refused({"--atoms", "many"}, {"--atoms", "many"});
    expect_learn_refused({"--atoms", "2.5"}, {"--atoms", "2.5"});
    expect_learn_refused({"--atoms", "1000000000"}, {"1000000000 atoms", "of memory"});
    expect_learn_refused({"--atoms", "99999999999999"}, {"--atoms", "99999999999999"});
}

TEST_F(BadInput, HyperparametersOutOfBounds) {
    for (const char* option : {"code-shape", "code-rate", "noise-shape", "noise-rate", "atom-variance"}) {
        for (const char* value : {"-1", "0", "nan"}) {
            for (const char* method : {"gibbs", "vb"}) {
                expect_learn_refused(
                    {"--atoms", "4", "--method", method, "--prior", "student-t", std::string("--") + option, value},
                    {std::string("--") + option + " is"});
            }
        }
    }
    expect_learn_refused({"--atoms", "4", "--core-to-noise", "0"}, {"--core-to-noise"});
    expect_learn_refused({"--atoms", "4", "--code-rate", "some"}, {"--code-rate", "some"});
    expect_learn_refused({"--atoms", "4", "--update", "often"}, {"--update", "often", "sequential or joint"});
    expect_learn_refused({"--atoms", "4", "--thin", "0"}, {"thin", "at least 1"});
    expect_learn_refused({"--atoms", "4", "--threads", "-1"}, {"--threads"});
    expect_learn_refused({"--atoms", "4", "--seed", "-1"}, {"--seed"});
    expect_learn_refused({"--atoms", "4", "--kernels", "magic"}, {"--kernels"});
    expect_learn_refused({"--atoms", "4", "--preset", "best"}, {"--preset"});
    expect_learn_refused({"--atoms", "4", "--time-limit", "-3"}, {"--time-limit"});
}

TEST_F(BadInput, OptionsWithoutEffect) {
    const auto refused = [&](std::vector<std::string> arguments, const char* option, const char* others) {
        arguments.insert(arguments.begin(), {"--atoms", "4"});
        expect_learn_refused(arguments,
                             {std::string("--") + option + " does not apply: it has an effect only with --" + others});
    };
    refused({"--method", "vb", "--prior", "student-t", "--closing-sweeps", "400"}, "closing-sweeps", "prior on-off");
    refused({"--method", "vb", "--preset", "paper", "--closing-sweeps", "100"}, "closing-sweeps", "prior on-off");
    refused({"--method", "vb", "--code-rate", "1"}, "code-rate", "prior student-t");
    refused({"--method", "vb", "--atom-variance", "1"}, "atom-variance", "prior student-t");
    refused({"--prior", "student-t", "--usage-on", "2"}, "usage-on", "prior on-off");
    refused({"--slab-rate", "2", "--preset", "paper"}, "slab-rate", "prior on-off");
    refused({"--no-reestimate-noise"}, "reestimate-noise", "prior student-t");
    refused({"--code-rate", "1", "--core-to-noise", "0.1"}, "core-to-noise", "code-rate auto");
}

TEST_F(BadInput, MethodsAndTheirOptions) {
    expect_learn_refused({"--atoms", "4", "--method", "magic"}, {"'magic' is not a method; there are: gibbs, vb"});
    expect_learn_refused({"--atoms", "4", "--method", "vb", "--burn-in", "3"}, {"--burn-in", "gibbs", "vb"});
    expect_learn_refused({"--atoms", "4", "--method", "gibbs", "--tolerance", "1e-3"}, {"--tolerance", "vb", "gibbs"});
    expect_learn_refused({"--atoms", "4", "--burn-in", "8"}, {"--burn-in is 8, must be below --sweeps, which is 8"});
    expect_learn_refused({"--atoms", "4", "--burn-in", "3", "--draws", "3"}, {"sweeps is 8", "make 6"});
}

TEST_F(BadInput, OutputsThatCannotBeWritten) {
    const auto learn_to = [](const std::string& model) {
        return std::vector<std::string>{"learn", "data/signals.npy", "-o", model, "--atoms", "4", "--sweeps", "8"};
    };
    expect_refused(learn_to("nowhere/model.h5"), {"nowhere"});
    expect_refused(learn_to("data"), {"data"});
    expect_refused(learn_to("model.npy"), {"model.npy", ".h5"});
    auto with_trace = learn_to("model.h5");
    with_trace.insert(with_trace.end(), {"--trace", "nowhere/trace.jsonl"});
    expect_refused(with_trace, {"nowhere"});
    expect_refused({"synth", "-o", "no/where"}, {"no/where"});
    expect_refused({"synth", "-o", "data/synth.json"}, {"data/synth.json"});
    if (geteuid() != 0) {  // root may write anywhere
        fs::create_directory(folder_ / "locked");
        chmod((folder_ / "locked").c_str(), 0500);
        expect_refused(learn_to("locked/model.h5"), {"locked"});
        chmod((folder_ / "locked").c_str(), 0700);
    }
}

TEST_F(BadInput, AFullDisk) {
    constexpr std::size_t limit = 2000;  // clang's OpenMP runtime needs a file of 1024 bytes
    const std::vector<std::string> learn{"learn", "data/signals.npy", "--atoms", "4", "--sweeps", "8", "-o"};
    auto to_device = learn;
    to_device.emplace_back("/dev/full");
    expect_refused(to_device, {"/dev/full"});
    auto to_file = learn;
    to_file.emplace_back("model.h5");
    expect_refused(to_file, {"model.h5"}, limit);
    expect_refused({"synth", "-o", "fresh"}, {"fresh"}, /*file_limit=*/10000);
    ASSERT_EQ(run({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "4", "--sweeps", "8"}).status, 0);
    expect_refused({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--std", "std.npy", "--draws", "2"},
                   {"std.npy"}, limit);
}

TEST_F(BadInput, OutputThatWouldReplaceTheInput) {
    ASSERT_EQ(run({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "4", "--sweeps", "8"}).status, 0);
    expect_refused({"encode", "model.h5", "data/signals.npy", "-o", "data/signals.npy"}, {"both input and output"});
    expect_refused({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--std", "./codes.npy"},
                   {"two files"});
    expect_refused({"learn", "model.h5", "--dataset", "dictionary", "-o", "model.h5", "--atoms", "4"},
                   {"both input and output"});
}

TEST_F(BadInput, OfReproduce) {
    expect_refused({"reproduce", "table9", "-o", "run"}, {"table9", "table1"});
    expect_refused({"reproduce", "table1", "-o", "run", "--cells", "1/2/3"}, {"1/2/3"});
    expect_refused({"reproduce", "calibration", "-o", "run", "--methods", "ksvd"}, {"ksvd", "has gibbs, vb"});
    for (const char* table : {"table1", "calibration"})
        expect_refused({"reproduce", table, "-o", "run", "--methods", "magic"},
                       {"'magic' is not a method; there are: gibbs, vb"});
    expect_refused({"reproduce", "table2", "-o", "run", "--images", "data", "--methods", "magic"},
                   {"'magic' is not a method; there are: gibbs, vb"});
    expect_refused({"reproduce", "calibration", "-o", "run", "--figures", "one/25/2"}, {"--figures", "table2"});
    expect_refused({"reproduce", "calibration", "-o", "run", "--sigma", "0"}, {"sigma is 0"});
    expect_refused({"reproduce", "calibration", "-o", "run", "--sigma", "25", "--trials", "2"}, {"--trials", "image"});
    expect_refused({"reproduce", "convergence", "-o", "run", "--sigma", "25"}, {"--sigma", "table2, calibration"});
    expect_refused({"reproduce", "convergence", "-o", "run", "--cells", "1000/20/*"}, {"one cell", "4"});
    expect_refused({"reproduce", "convergence", "-o", "run", "--trials", "2"}, {"--trials"});
}

TEST_F(BadInput, OfTheOtherVerbs) {
    expect_refused({"synth", "-o", "new", "--sparsity", "3:2"}, {});
    expect_refused({"synth", "-o", "new", "--sparsity", "60"}, {"60", "50"});
    expect_refused({"synth", "-o", "new", "--sparsity", "3-6"}, {"--sparsity", "3-6"});
    expect_refused({"synth", "-o", "new", "--dim", "0"}, {"dim"});
    expect_refused({"synth", "-o", "new", "--dim", "-5"}, {"--dim", "-5"});
    expect_refused({"synth", "-o", "new", "--atoms", "99999999999999999999"}, {"--atoms", "99999999999999999999"});
    expect_refused({"synth", "-o", "new", "--snr", "nan"}, {"snr"});
    expect_refused({"synth", "-o", "new", "--signals", "1000000000000"}, {"1000000000000 signals", "of memory"});
    expect_refused({"score", "data/signals.npy", "--truth", "missing.npy"}, {"missing.npy"});
    expect_refused({"score", "data/codes.npy", "--truth", "data/dictionary.npy"}, {"8", "6"});
    expect_refused({"info", "data/signals.npy"}, {"data/signals.npy"});
    expect_refused({"info", "missing.h5"}, {"missing.h5"});
    ASSERT_EQ(run({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "4", "--sweeps", "8"}).status, 0);
    expect_refused({"encode", "model.h5", "data/codes.npy", "-o", "codes.npy"}, {"8", "6"});
    expect_refused({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--coder", "magic"},
                   {"'magic' is not a coder", "posterior"});
}

}  // namespace
}  // namespace sbdl::test
