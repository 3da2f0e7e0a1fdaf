// Text that comes from files and their names: it must not reach a terminal as commands, nor make JSON and pages
// invalid.
#include <algorithm>
#include <string>
#include <vector>

#include "base/hdf5_handle.hpp"
#include "base/printable.hpp"
#include "cli/program.hpp"
#include "sbdl/model.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

class HostileText : public CliTest {
protected:
    static Model model_with(const std::string& text) {
        Model model;
        model.method = model.preset = model.program_version = model.command = model.stop_reason = model.estimate = text;
        model.options_json = nlohmann::json{{"a", "\x1b[2J"}}.dump();
        model.dictionary = Matrix(2, 4, 0.5);
        model.atom_usage = model.atom_norm = {1.0, 1.0};
        return model;
    }
    static void expect_printable(const std::string& text) { EXPECT_EQ(text, printable(text, Lines::kept)); }
};

TEST_F(HostileText, InfoAndReportOfAModel) {
    save_model(model_with("plain"), folder_ / "plain.h5");
    save_model(model_with("\x1b]0;title\a\nnoise sd    0\n\xff\xc2\x9b"), folder_ / "model.h5");
    const std::string plain = run({"info", "plain.h5"}).out, shown = run({"info", "model.h5"}).out;
    expect_printable(shown);
    EXPECT_EQ(std::ranges::count(shown, '\n'), std::ranges::count(plain, '\n')) << shown;
    EXPECT_NE(shown.find("command     \\x1b]0;title\\x07\\x0anoise sd    0\\x0a\\xff\\xc2\\x9b\n"), std::string::npos)
        << shown;
    EXPECT_EQ(run_json({"info", "model.h5"})["options"]["a"], "\x1b[2J");
    EXPECT_EQ(run({"report", "model.h5", "-o", "page.html"}).status, 0);
    expect_printable(read_bytes(folder_ / "page.html"));
}

TEST_F(HostileText, JsonOfAModel) {
    const std::string text = "a\x7f \xc2\x85 \xc2\x9b \xe2\x80\xae b\xc3\xa4\xf0\x9f\x98\x80";
    save_model(model_with(text), folder_ / "model.h5");
    const std::string shown = run({"info", "model.h5", "--json"}).out;
    expect_printable(shown);
    EXPECT_NE(shown.find("\"a\\u007f \\u0085 \\u009b \\u202e b\xc3\xa4\xf0\x9f\x98\x80\""), std::string::npos) << shown;
    EXPECT_EQ(nlohmann::json::parse(shown)["command"], text);
}

TEST_F(HostileText, ALineEndInANameMakesNoLineOfASummary) {
    make_data();
    const std::string model = "m\nnoise sd    0.h5", image = "c\npsnr        99 dB.png";
    const Outcome learned = run({"learn", "data/signals.npy", "-o", model, "--method", "mod", "--atoms", "8",
                                 "--sweeps", "2", "--sparsity", "2"});
    EXPECT_NE(learned.out.find("model       m\\x0anoise sd    0.h5\n"), std::string::npos) << learned.out;
    write("n.pgm", "P5\n16 16\n255\n" + std::string(256, 'a'));
    const Outcome cleaned = run({"denoise", "n.pgm", "-o", image, "--sigma", "5"});
    EXPECT_NE(cleaned.out.find("file        c\\x0apsnr        99 dB.png\n"), std::string::npos) << cleaned.out;
}

TEST_F(HostileText, NamesInsideAFile) {
    {
        const h5::Handle file(H5Fcreate((folder_ / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
        h5::create_group(file.get(), "\x1b[31m\nsbdl: all is well\xff");
    }
    const Outcome outcome = run({"learn", "a.h5", "-o", "model.h5", "--atoms", "3"});
    EXPECT_EQ(outcome.status, 2);
    expect_printable(outcome.err);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("\\x1b[31m\\x0asbdl: all is well\\xff (is a group)"), std::string::npos) << outcome.err;
}

TEST_F(HostileText, NamesOfFilesNeedNotBeUtf8) {
    make_data();
    const std::string signals = "s\xff\x1b[2J.npy", model = "m\xff.h5", page = "p\xff.html", trace = "t\xff.json";
    std::filesystem::copy_file(folder_ / "data/signals.npy", folder_ / signals);
    const std::vector<std::string> learn = {"learn", signals,    "-o", model,        "--method", "mod",     "--atoms",
                                            "8",     "--sweeps", "2",  "--sparsity", "2",        "--trace", trace};
    EXPECT_EQ(run_json(learn)["model"], "m\xef\xbf\xbd.h5");  // the replacement character
    const Outcome outcome = run(learn);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    expect_printable(outcome.out);
    const std::string command = run_json({"info", model})["command"];
    EXPECT_NE(command.find("$'s\\xff\\x1b[2J.npy'"), std::string::npos) << command;
    EXPECT_EQ(run({"report", model, "-o", page}).status, 0);
    expect_printable(read_bytes(folder_ / page));
    EXPECT_TRUE(nlohmann::json::accept(run({"report", model, "-o", page, "--json"}).out));
    const Outcome missing = run({"info", "none\xff.h5"});
    EXPECT_EQ(missing.status, 2);
    expect_printable(missing.err);
}

TEST_F(HostileText, NamesOfImagesNeedNotBeUtf8) {
    const std::string noisy = "n\xff.pgm", clean = "c\xff.png", page = "p\xff.html";
    write(noisy, "P5\n16 16\n255\n" + std::string(256, 'a'));
    const Outcome outcome = run({"denoise", noisy, "-o", clean, "--report", page, "--sigma", "5", "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << outcome.out;
    expect_printable(outcome.err);
    expect_printable(read_bytes(folder_ / page));
}

}  // namespace
}  // namespace sbdl::test
