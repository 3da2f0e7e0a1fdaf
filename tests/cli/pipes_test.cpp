// "-" and pipes instead of files.
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/program.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

class Pipe : public CliTest {
protected:
    /// Runs a shell command in the test's folder, where sbdl is the program and temporary files go to tmp/. All that it
    /// says on standard error is in the result, and its exit status.
    Outcome shell(const std::string& command) const {
        fs::create_directories(folder_ / "tmp");
        std::ofstream(folder_ / "command.sh") << "sbdl() { '" << SBDL_PROGRAM << "' \"$@\"; }\n"
                                              << "export TMPDIR=\"$PWD/tmp\"\n"
                                              << command << "\n";
        const int status = std::system(("cd '" + folder_.string() + "' && sh command.sh 2>errors").c_str());  // NOLINT
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", content("errors")};
    }
    void expect_done(const std::string& command) const {
        const Outcome outcome = shell(command);
        EXPECT_EQ(outcome.status, 0) << command << '\n' << outcome.err;
        EXPECT_TRUE(fs::is_empty(folder_ / "tmp")) << "temporary files are left";
    }
    void expect_refused(const std::string& command, const std::string& text) const {
        const Outcome outcome = shell(command);
        EXPECT_EQ(outcome.status, 2) << command;
        EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
        EXPECT_TRUE(fs::is_empty(folder_ / "tmp")) << "temporary files are left";
    }
    std::string content(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
        return text.str();
    }
    void expect_same(const std::string& a, const std::string& b) const {
        EXPECT_FALSE(content(a).empty()) << a;
        EXPECT_EQ(content(a), content(b)) << a << " and " << b;
    }
};

TEST_F(Pipe, SignalsModelsAndCodesAreThoseOfFiles) {
    make_data();
    const std::string learn = " --atoms 8 --method ksvd --sparsity 2 --sweeps 5 -q";
    expect_done("sbdl learn data/signals.npy -o file.h5" + learn);
    expect_done("cat data/signals.npy | sbdl learn - -o piped.h5" + learn);
    expect_done("sbdl learn - -o - < data/signals.npy > written.h5" + learn);
    expect_done("sbdl encode file.h5 data/signals.npy -o file.npy -q");
    expect_done("cat data/signals.npy | sbdl encode piped.h5 - -o - | cat > piped.npy");
    expect_done("sbdl encode - data/signals.npy -o written.npy -q < written.h5");
    expect_same("file.npy", "piped.npy");
    expect_same("file.npy", "written.npy");
    expect_done("sbdl info - < file.h5 > info.txt");
    EXPECT_NE(content("info.txt").find("ksvd"), std::string::npos);
}

TEST_F(Pipe, ScoreAndReportReadThem) {
    make_data();
    expect_done("sbdl learn data/signals.npy -o file.h5 --atoms 8 --method ksvd --sparsity 2 --sweeps 5 -q");
    expect_done("sbdl score file.h5 --truth data/dictionary.npy > file.txt");
    expect_done("sbdl score file.h5 --truth - < data/dictionary.npy > truth.txt");
    expect_done("sbdl score - --truth data/dictionary.npy < file.h5 > model.txt");
    expect_same("file.txt", "truth.txt");
    expect_same("file.txt", "model.txt");
    expect_done("sbdl report - -o piped.html --title T -q < file.h5");
    expect_done("sbdl report file.h5 -o - --title T > written.html");
    expect_same("piped.html", "written.html");
    expect_done("sbdl report - -o page.html < file.h5");
    EXPECT_NE(content("page.html").find("<title>standard input"), std::string::npos);
    EXPECT_EQ(content("page.html").find("input1"), std::string::npos);
    expect_refused("sbdl score - --truth - < file.h5", "only one input can be '-'");
}

TEST_F(Pipe, TextAndNamedPipesAreReadLikeFiles) {
    write("a.csv", ",x,y\n0,1.5,2\n1,3,\n2,2.5,1\n");
    const std::string learn = " --atoms 2 --burn-in 2 --draws 2 -q";
    expect_done("sbdl learn a.csv -o file.h5" + learn);
    expect_done("mkfifo pipe && { cat a.csv > pipe & } && sbdl learn pipe -o piped.h5" + learn + "; wait");
    expect_done("sbdl encode file.h5 a.csv -o file.npy -q");
    expect_done("sbdl encode piped.h5 - -o piped.npy -q < a.csv");
    expect_same("file.npy", "piped.npy");
}

TEST_F(Pipe, SynthWritesTheSignalsOrTheNoisyImage) {
    expect_done("sbdl synth -o folder --signals 9 -q && sbdl synth -o - --signals 9 > signals.npy");
    expect_same("folder/signals.npy", "signals.npy");
    expect_done("sbdl synth -o - --image 16x16 --seed 3 > noisy.npy");
    EXPECT_EQ(content("noisy.npy").find("\x93NUMPY"), 0U);
}

// Of 8 bits as PGM, floats as .npy.
TEST_F(Pipe, ImagesAreThoseOfFiles) {
    const std::string quick = " --quality fast --sweeps 1 --atoms 64 -q";
    expect_done("sbdl synth -o image --image 32x32 --seed 1 -q");
    expect_done("sbdl denoise image/truth.png -o clean.pgm --sigma 5" + quick);
    expect_done("sbdl denoise - -o - --sigma 5 < image/truth.png > piped.pgm" + quick);
    expect_same("clean.pgm", "piped.pgm");
    expect_done("sbdl denoise image/noisy.tif -o clean.npy" + quick);
    expect_done("cat image/noisy.tif | sbdl denoise - -o - > piped.npy" + quick);
    expect_same("clean.npy", "piped.npy");
}

TEST_F(Pipe, TheSummaryDoesNotMixWithTheData) {
    make_data();
    const Outcome outcome =
        shell("sbdl learn data/signals.npy -o - --atoms 8 --method ksvd --sparsity 2 --sweeps 5 > model.h5");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.err.find("model       standard output"), std::string::npos) << outcome.err;
    EXPECT_EQ(content("model.h5").find("\x89HDF"), 0U);
}

TEST_F(Pipe, WrongUseIsRefused) {
    make_data();
    expect_refused("sbdl learn - -o m.h5 --atoms 4 < /dev/null", "standard input: the file is empty");
    expect_refused("echo 1,x | sbdl learn - -o m.h5 --atoms 4", "standard input:1: column 1");
    expect_refused("sbdl learn - --mask - -o m.h5 --atoms 4 < data/signals.npy", "only one input can be '-'");
    expect_refused("sbdl encode m.h5 data/signals.npy -o - --std -", "only one output can be '-'");
    expect_refused("sbdl learn data/signals.npy -o - --json --atoms 4", "both need the standard output");
    expect_refused("sbdl learn - -o m.h5 --atoms 4 --checkpoint c < data/signals.npy",
                   "--checkpoint does not apply to pipes");
    expect_refused("sbdl denoise a.png b.png -o -", "'-' does not apply to several files");
    expect_refused("sbdl inpaint - -o full.png < data/signals.npy",
                   "'-' is not possible here: inpaint reads and writes files");
    expect_refused("sbdl inpaint a.png -o -", "'-' is not possible here");
    expect_refused("sbdl synth -o - --signals 100000 > /dev/full", "standard output: cannot be written");
    EXPECT_FALSE(fs::exists(folder_ / "m.h5"));
}

}  // namespace
}  // namespace sbdl::test
