// `sbdl denoise` for stacks and for several files: what it writes, keeps when stopped, and rejects.
#include <csignal>
#include <filesystem>
#include <sstream>

#include "cli/stack_case.hpp"
#include "sbdl/model.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

class DenoiseStackVerb : public StackCliTest {
protected:
    /// Noisy pages of one picture.
    static std::vector<Image> noisy_pages(std::size_t count, Samples samples = Samples::u16) {
        std::vector<Image> pages;
        for (std::size_t page = 0; page < count; ++page) {
            pages.push_back(make_noisy(make_image(32, 24, false, 3), 20.0, 50 + page));
            pages.back().samples = samples;
        }
        return pages;
    }
    static std::vector<std::string> command(const std::vector<std::string>& inputs, const std::string& output,
                                            const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"denoise"};
        words.insert(words.end(), inputs.begin(), inputs.end());
        for (const char* word : {"--atoms", "32", "--max-patches", "300", "--sweeps", "2", "--sigma", "20"})
            words.emplace_back(word);
        words.insert(words.end(), {"-o", output});
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

TEST_F(DenoiseStackVerb, WritesAStackAndItsStandardDeviations) {
    write_stack("noisy.tif", noisy_pages(3));
    write_stack("truth.tif", std::vector<Image>(3, noisy_pages(1).front()));
    const nlohmann::json result = run_json(
        command({"noisy.tif"}, "clean.npy", {"--std", "std.tif", "--clean", "truth.tif", "--save-model", "model.h5"}));
    EXPECT_EQ(result.at("pages"), 3);
    EXPECT_EQ(result.at("pages_done"), 3);
    EXPECT_EQ(result.at("dictionary"), "shared");
    EXPECT_EQ(result.at("each_page").size(), 3U);
    EXPECT_TRUE(result.contains("psnr_after"));
    const std::vector<Image> clean = read_stack("clean.npy");
    ASSERT_EQ(clean.size(), 3U);
    EXPECT_EQ(clean[0].samples, Samples::u16);
    EXPECT_EQ(read_stack("std.tif").size(), 3U);
    EXPECT_EQ(load_model(folder_ / "model.h5").patch.height, 8U);
    EXPECT_EQ(files(), (std::set<std::string>{"noisy.tif", "truth.tif", "clean.npy", "std.tif", "model.h5"}));
}

// A page is what the program makes of it alone with the same dictionary.
TEST_F(DenoiseStackVerb, APageIsWhatItWouldBeAlone) {
    const std::vector<Image> noisy = noisy_pages(2);
    write_stack("noisy.npy", noisy);
    write_image(folder_ / "second.tif", noisy[1]);
    run_json(command({"noisy.npy"}, "clean.npy", {"--save-model", "model.h5"}));
    run_json({"denoise", "second.tif", "-o", "alone.npy", "--model", "model.h5", "--sigma", "20"});
    const Image page = read_stack("clean.npy")[1], alone = read_image(folder_ / "alone.npy");
    for (std::size_t i = 0; i < page.planes[0].size(); ++i)
        ASSERT_EQ(page.planes[0].data()[i], alone.planes[0].data()[i]);
    run_json(command({"noisy.npy"}, "own.npy", {"--dictionary", "own"}));
    EXPECT_NE(bytes("own.npy"), bytes("clean.npy"));
}

TEST_F(DenoiseStackVerb, WritesAPageAboutTheStack) {
    write_stack("noisy.tif", noisy_pages(4, Samples::u8));
    write_stack("truth.tif", std::vector<Image>(4, make_image(32, 24, false, 3)));
    const nlohmann::json result = run_json(
        command({"noisy.tif"}, "clean.tif", {"--report", "page.html", "--clean", "truth.tif", "--depth", "16"}));
    EXPECT_EQ(result.at("report"), "page.html");
    EXPECT_EQ(result.at("each_page")[3].at("noise").at("kind"), "gaussian");
    EXPECT_FALSE(result.contains("std"));
    const std::string page = bytes("page.html");
    for (const char* part :
         {"<h1>noisy.tif</h1>", "4 pages. One dictionary: 32 atoms", "<h3>Page 1</h3>", "<h3>Page 2</h3>",
          "<h3>Page 4</h3>", "id=\"pages\"", "<td>20</td>", "id=\"dictionary\"", "--report page.html"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find("<h3>Page 3</h3>"), std::string::npos);
    EXPECT_EQ(page.find("Black is"), std::string::npos) << "both are shown on the scale of the input";
    EXPECT_EQ(files(), (std::set<std::string>{"noisy.tif", "truth.tif", "clean.tif", "page.html"}));
    run_json(command({"noisy.tif"}, "own.tif", {"--report", "own.html", "--dictionary", "own"}));
    EXPECT_NE(bytes("own.html").find("4 pages, each with a dictionary of its own."), std::string::npos);
}

TEST_F(DenoiseStackVerb, APageOfAResumedRunHasAllPages) {
    write_stack("noisy.tif", noisy_pages(12));
    ASSERT_EQ(
        stopped_at(command({"noisy.tif"}, "clean.tif", {"--report", "page.html"}), "clean.tif", "page-00002", SIGINT)
            .status,
        130);
    EXPECT_FALSE(fs::exists(folder_ / "page.html"));
    const Outcome resumed = run({"denoise", "--resume", "clean.tif.checkpoint"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(resumed.err.find("missing"), std::string::npos) << "no page is made again: " << resumed.err;
    const std::string page = bytes("page.html");
    EXPECT_NE(page.find("<tr><th scope=\"row\">12</th>"), std::string::npos);
    EXPECT_NE(page.find("since the run was resumed at page "), std::string::npos);
    EXPECT_EQ(files(), (std::set<std::string>{"noisy.tif", "clean.tif", "page.html"}));
}

TEST_F(DenoiseStackVerb, ShowsOneBarForAllPages) {
    write_stack("noisy.tif", noisy_pages(3));
    const Outcome outcome = run(command({"noisy.tif"}, "clean.tif"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::istringstream lines(outcome.err);
    int last = -1, full = 0;
    for (std::string line; std::getline(lines, line);) {
        const int percent = std::stoi(line);
        EXPECT_GE(percent, last) << outcome.err;
        last = percent;
        full += percent == 100 ? 1 : 0;
    }
    EXPECT_EQ(full, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("page 2/3"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("pages       3 of 3"), std::string::npos) << outcome.out;
}

TEST_F(DenoiseStackVerb, CtrlCKeepsThePagesThatAreDoneAndResumeGoesOn) {
    write_stack("noisy.tif", noisy_pages(12));
    ASSERT_EQ(run(command({"noisy.tif"}, "whole.tif", {"--std", "whole_std.tif"})).status, 0);
    for (const int signal : {SIGINT, SIGKILL}) {
        const Outcome stopped = stopped_at(command({"noisy.tif"}, "parts.tif", {"--std", "parts_std.tif"}), "parts.tif",
                                           "page-00002", signal);
        EXPECT_EQ(stopped.status, signal == SIGINT ? 130 : -SIGKILL);
        EXPECT_FALSE(fs::exists(folder_ / "parts.tif")) << "the stack had ended before it could be stopped";
        ASSERT_TRUE(fs::exists(folder_ / "parts.tif.checkpoint"));
        EXPECT_EQ(read_image(folder_ / "parts.tif.checkpoint.pages/page-00001.tif").width(), 24U);
        if (signal == SIGINT) {
            EXPECT_NE(stopped.out.find("to resume: sbdl denoise --resume parts.tif.checkpoint"), std::string::npos)
                << stopped.out;
        }
        expect_rejected(command({"noisy.tif"}, "parts.tif"), {"parts.tif.checkpoint: exists", "--resume"});
        const Outcome resumed = run({"denoise", "--resume", "parts.tif.checkpoint"});
        ASSERT_EQ(resumed.status, 0) << resumed.err;
        EXPECT_EQ(bytes("parts.tif"), bytes("whole.tif"));
        EXPECT_EQ(bytes("parts_std.tif"), bytes("whole_std.tif"));
        fs::remove(folder_ / "parts.tif");
        fs::remove(folder_ / "parts_std.tif");
        EXPECT_EQ(files(), (std::set<std::string>{"noisy.tif", "whole.tif", "whole_std.tif"}));
    }
}

// The stack is larger than its pages; a limit between the two stops the program when it writes the stack.
TEST_F(DenoiseStackVerb, AFullDiskLosesNoPages) {
    write_stack("noisy.tif", noisy_pages(24, Samples::f64));
    ASSERT_EQ(run(command({"noisy.tif"}, "whole.tif")).status, 0);
    const Outcome full = run(command({"noisy.tif"}, "parts.tif"), fs::file_size(folder_ / "whole.tif") - 1000);
    EXPECT_EQ(full.status, 2);
    EXPECT_NE(full.err.find("24 of 24 pages are kept; to resume: sbdl denoise --resume parts.tif.checkpoint"),
              std::string::npos)
        << full.err;
    EXPECT_FALSE(fs::exists(folder_ / "parts.tif"));
    ASSERT_EQ(run({"denoise", "--resume", "parts.tif.checkpoint"}).status, 0);
    EXPECT_EQ(bytes("parts.tif"), bytes("whole.tif"));
    EXPECT_EQ(files(), (std::set<std::string>{"noisy.tif", "whole.tif", "parts.tif"}));
}

TEST_F(DenoiseStackVerb, AResumedStackMustBeTheSame) {
    write_stack("noisy.tif", noisy_pages(12));
    ASSERT_EQ(stopped_at(command({"noisy.tif"}, "parts.tif"), "parts.tif", "page-00001", SIGINT).status, 130);
    write_stack("noisy.tif", noisy_pages(11));
    expect_rejected({"denoise", "--resume", "parts.tif.checkpoint"}, {"the stack has changed since"});
}

TEST_F(DenoiseStackVerb, UnusualPagesAreNamed) {
    std::vector<Image> pages = noisy_pages(2, Samples::u8);
    Image flat;
    flat.planes.assign(1, Matrix(32, 24, 100.0));
    pages.push_back(flat);
    pages.push_back(make_noisy(make_image(20, 40, true, 3), 20.0, 9));
    pages.back().samples = Samples::u8;
    write_stack("noisy.tif", pages);
    const Outcome outcome = run({"denoise", "noisy.tif", "-o", "clean.tif", "--atoms", "32", "--sweeps", "2"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("no noise in page 3; left as it is"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find("24 x 32 pixels, grey, uint8, page 4 does not"), std::string::npos) << outcome.err;
    const std::vector<Image> clean = read_stack("clean.tif");
    ASSERT_EQ(clean.size(), 4U);
    EXPECT_EQ(clean[2].planes[0](5, 5), 100.0);
    EXPECT_TRUE(clean[3].colour());
    expect_rejected({"denoise", "noisy.tif", "-o", "clean.npy"},
                    {"noisy.tif, page 4 of 4", "40 x 20 pixels, colour, uint8", "24 x 32 pixels, grey", ".tif can"});
}

TEST_F(DenoiseStackVerb, SeveralFilesGoIntoAFolder) {
    const std::vector<Image> pages = noisy_pages(3, Samples::u8);
    write_image(folder_ / "a.png", pages[0]);
    write_image(folder_ / "b.pgm", pages[1]);
    write_stack("c.tif", pages);
    const nlohmann::json result = run_json(command({"a.png", "b.pgm", "c.tif"}, "out"));
    ASSERT_EQ(result.at("files").size(), 3U);
    EXPECT_EQ(result.at("files")[1].at("image"), "out/b.pgm");
    EXPECT_EQ(result.at("files")[2].at("pages"), 3);
    EXPECT_EQ(files(),
              (std::set<std::string>{"a.png", "b.pgm", "c.tif", "out", "out/a.png", "out/b.pgm", "out/c.tif"}));
    run_json(command({"a.png"}, "alone.png"));
    EXPECT_EQ(bytes("out/a.png"), bytes("alone.png")) << "each file has a dictionary of its own";
    run_json(command({"a.png"}, "more/"));
    EXPECT_EQ(bytes("more/a.png"), bytes("alone.png"));
}

TEST_F(DenoiseStackVerb, CtrlCKeepsTheFilesThatAreDone) {
    write_image(folder_ / "a.png", noisy_pages(1, Samples::u8)[0]);
    write_stack("b.tif", noisy_pages(12));
    write_image(folder_ / "c.png", noisy_pages(1, Samples::u8)[0]);
    ASSERT_EQ(run(command({"b.tif"}, "whole.tif")).status, 0);
    const Outcome stopped = stopped_at(command({"a.png", "b.tif", "c.png"}, "out"), "out/b.tif", "page-00001", SIGINT);
    EXPECT_EQ(stopped.status, 130);
    EXPECT_NE(stopped.err.find("sbdl denoise: interrupted; 1 of 3 files are done\n"), std::string::npos) << stopped.out;
    EXPECT_TRUE(fs::exists(folder_ / "out/a.png"));
    EXPECT_FALSE(fs::exists(folder_ / "out/b.tif"));
    EXPECT_FALSE(fs::exists(folder_ / "out/c.png"));
    const Outcome resumed = run({"denoise", "--resume", "out/b.tif.checkpoint", "--json"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(bytes("out/b.tif"), bytes("whole.tif"));
    EXPECT_EQ(files(),
              (std::set<std::string>{"a.png", "b.tif", "c.png", "whole.tif", "out", "out/a.png", "out/b.tif"}));
}

TEST_F(DenoiseStackVerb, OneBadFileOfSeveralIsFoundBeforeTheWork) {
    write_image(folder_ / "a.png", noisy_pages(1, Samples::u8)[0]);
    write("b.png", "this is not an image");
    fs::create_directory(folder_ / "other");
    fs::copy_file(folder_ / "a.png", folder_ / "other/a.png");
    expect_rejected(command({"a.png", "b.png"}, "out"), {"b.png"});
    expect_rejected(command({"a.png", "other/a.png"}, "out"), {"two outputs need two files"});
    expect_rejected(command({"a.png", "other/a.png"}, "b.png"), {"b.png", "folder"});
    expect_rejected(command({"a.png", "other/a.png"}, "."), {"a.png: is both input and output"});
    expect_rejected(command({"a.png", "b.png"}, "out", {"--std", "std.tif"}), {"--std", "several files"});
}

TEST_F(DenoiseStackVerb, RejectsBadInput) {
    write_stack("noisy.tif", noisy_pages(2));
    write_stack("other.npy", noisy_pages(3));
    write_image(folder_ / "one.tif", noisy_pages(1)[0]);
    expect_rejected(command({"noisy.tif"}, "clean.png"), {"clean.png", "cannot hold a stack"});
    expect_rejected(command({"noisy.tif"}, "clean.tif", {"--report", "page.txt"}), {"page.txt", ".html"});
    expect_rejected(command({"noisy.tif"}, "clean.tif", {"--clean", "other.npy"}), {"3 pages", "2"});
    expect_rejected(command({"noisy.tif"}, "clean.tif", {"--std", "std.png"}), {"std.png"});
    expect_rejected(command({"noisy.tif"}, "clean.tif", {"--dictionary", "own", "--save-model", "m.h5"}),
                    {"--save-model", "--dictionary own"});
    expect_rejected(command({"noisy.tif"}, "clean.tif", {"--dictionary", "big"}), {"--dictionary is 'big'"});
    expect_rejected(command({"one.tif"}, "clean.tif", {"--dictionary", "own"}),
                    {"--dictionary", "one.tif is one image"});
    std::vector<Image> small = noisy_pages(2);
    small.push_back({});
    small[2].planes.assign(1, Matrix(4, 4));
    small[2].samples = Samples::u16;
    write_stack("small.tif", small);
    expect_rejected(command({"small.tif"}, "clean.tif"), {"small.tif, page 3 of 3", "4 x 4", "8 x 8"});
}

TEST_F(DenoiseStackVerb, TheDepthCanBeChosen) {
    write_image(folder_ / "a.png", noisy_pages(1, Samples::u8)[0]);
    EXPECT_EQ(run_json(command({"a.png"}, "as_it_is.png")).at("samples"), "uint8");
    EXPECT_EQ(run_json(command({"a.png"}, "float.tif", {"--depth", "float", "--std", "std.tif"})).at("samples"),
              "float32");
    run_json(command({"a.png"}, "wide.png", {"--depth", "16", "--std", "wide_std.tif"}));
    const Image eight = read_image(folder_ / "as_it_is.png"), exact = read_image(folder_ / "float.tif"),
                sixteen = read_image(folder_ / "wide.png");
    EXPECT_EQ(exact.samples, Samples::f32);
    EXPECT_EQ(sixteen.samples, Samples::u16);
    EXPECT_NEAR(exact.planes[0](9, 9), eight.planes[0](9, 9), 0.5);
    EXPECT_NEAR(sixteen.planes[0](9, 9), 257.0 * exact.planes[0](9, 9), 0.6);
    EXPECT_NEAR(read_image(folder_ / "wide_std.tif").planes[0](9, 9),
                257.0 * read_image(folder_ / "std.tif").planes[0](9, 9), 0.1);
    expect_rejected(command({"a.png"}, "x.png", {"--depth", "float"}), {"x.png", "float32"});
    expect_rejected(command({"a.png"}, "x.png", {"--depth", "12"}), {"--depth"});
    Image unit = noisy_pages(1, Samples::f32)[0];
    for (std::size_t i = 0; i < unit.planes[0].size(); ++i) unit.planes[0].data()[i] /= 1000.0;
    write_image(folder_ / "unit.tif", unit);
    expect_rejected(command({"unit.tif"}, "x.png", {"--depth", "8"}), {"unit.tif: --depth 8", "0 to 255"});
}

TEST_F(DenoiseStackVerb, TheOrientationIsKeptOrApplied) {
    Image turned = noisy_pages(1, Samples::u8)[0];
    turned.metadata.orientation = 6;
    turned.metadata.resolution = {.across = 300, .down = 300, .unit = Resolution::Unit::inch};
    write_image(folder_ / "a.png", turned);
    write_image(folder_ / "upright.png", with_orientation(turned, 1));
    const nlohmann::json result =
        run_json(command({"a.png"}, "clean.jpg", {"--clean", "upright.png", "--report", "page.html"}));
    EXPECT_TRUE(result.at("psnr_before").is_null()) << "the truth is the same picture: no error at all";
    const Image clean = read_image(folder_ / "clean.jpg");
    EXPECT_EQ(clean.metadata.orientation, 6);
    EXPECT_EQ(clean.width(), 24U);
    EXPECT_EQ(clean.metadata.resolution->across, 300.0);
    run_json(command({"a.png"}, "clean.pgm"));
    EXPECT_EQ(read_image(folder_ / "clean.pgm").width(), 32U);
}

TEST_F(DenoiseStackVerb, BrokenMetadataAreMentioned) {
    write_image(folder_ / "a.jpg", noisy_pages(1, Samples::u8)[0]);
    const std::string exif(
        "\xff\xe1\0\x10"
        "Exif\0\0nonsense",
        18);
    std::string file = bytes("a.jpg");
    std::ofstream(folder_ / "a.jpg", std::ios::binary) << file.insert(2, exif);
    const Outcome outcome = run(command({"a.jpg"}, "clean.jpg"));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.err.find("a.jpg: the EXIF data are broken and were ignored"), std::string::npos) << outcome.err;
}

TEST_F(DenoiseStackVerb, TheDepthMustHoldTheValuesOfAllPages) {
    const std::vector<Image> fitting = [] {
        std::vector<Image> pages = noisy_pages(3, Samples::f32);
        for (Image& page : pages)
            for (std::size_t i = 0; i < page.planes[0].size(); ++i)
                page.planes[0].data()[i] = std::clamp(page.planes[0].data()[i], 0.0, 255.0);
        return pages;
    }();
    struct Case {
        double value;
        const char *depth, *bound, *text;
    };
    for (const Case& c : {Case{400.0, "8", "0 to 255", "to 400;"}, Case{-150.0, "8", "0 to 255", "are -150 to"},
                          Case{1e5, "16", "0 to 65535", "to 100000;"}}) {
        std::vector<Image> pages = fitting;
        pages[1].planes[0](3, 4) = c.value;
        write_stack("noisy.tif", pages);
        expect_rejected(command({"noisy.tif"}, "clean.tif", {"--depth", c.depth}),
                        {"noisy.tif, page 2 of 3: --depth", c.bound, c.text});
        write_image(folder_ / "one.tif", pages[1]);
        expect_rejected(command({"one.tif"}, "clean.tif", {"--depth", c.depth}), {"one.tif: --depth", c.bound, c.text});
    }
    std::vector<Image> pages = fitting;
    pages[2].planes[0] = Matrix(32, 24, 0.0);
    write_stack("noisy.tif", pages);
    EXPECT_EQ(run(command({"noisy.tif"}, "clean.tif", {"--depth", "8"})).status, 0) << "a black page loses nothing";
    pages[1].planes[0](3, 4) = -2.5;
    write_stack("noisy.tif", pages);
    EXPECT_EQ(run(command({"noisy.tif"}, "clean.tif", {"--depth", "8"})).status, 0) << "noise reaches below black";
}

TEST_F(DenoiseStackVerb, PagesOfANpyAreOfOneKindAsTheyAreSeen) {
    std::vector<Image> pages = noisy_pages(2);
    pages[1].metadata.orientation = 6;
    write_stack("turned.tif", pages);
    expect_rejected(command({"turned.tif"}, "clean.npy"), {"turned.tif, page 2 of 2", "32 x 24", "24 x 32"});
    expect_rejected(command({"turned.tif"}, "clean.tif", {"--std", "std.npy"}), {"turned.tif, page 2 of 2", "32 x 24"});
    pages[1] = with_orientation(noisy_pages(1)[0], 6);
    write_stack("stored_turned.tif", pages);
    EXPECT_EQ(run(command({"stored_turned.tif"}, "clean.npy", {"--std", "std.npy"})).status, 0);
    pages = {make_noisy(make_image(32, 24, true, 3), 20.0, 9), make_noisy(make_image(32, 24, true, 3), 20.0, 8)};
    pages[1].alpha = Matrix(32, 24, 7.0);
    write_stack("alpha.tif", pages);
    expect_rejected(command({"alpha.tif"}, "clean2.npy"), {"alpha.tif, page 2 of 2", "with alpha", ".tif can"});
    EXPECT_EQ(run(command({"alpha.tif"}, "clean.tif", {"--std", "std2.npy"})).status, 0);
    pages = noisy_pages(2);
    pages[1].samples = Samples::u8;
    write_stack("types.tif", pages);
    EXPECT_EQ(run(command({"types.tif"}, "clean3.npy", {"--depth", "8"})).status, 0) << "all are written with 8 bits";
}

TEST_F(DenoiseStackVerb, OfSeveralFilesTheUnfitOneIsNamed) {
    write_image(folder_ / "a.png", noisy_pages(1, Samples::u8)[0]);
    Image small;
    small.planes.assign(1, Matrix(4, 4));
    write_image(folder_ / "small.png", small);
    expect_rejected(command({"a.png", "small.png"}, "out"), {"small.png: ", "4 x 4"});
}

TEST_F(DenoiseStackVerb, ThePsnrIsTheMeanOfThePagesThatDiffer) {
    std::vector<Image> pages = noisy_pages(3, Samples::u8), truth(3, make_image(32, 24, false, 3));
    pages[1].planes[0] = truth[1].planes[0] = Matrix(32, 24, 100.0);
    for (Image& page : truth) page.samples = Samples::u8;
    write_stack("noisy.tif", pages);
    write_stack("truth.tif", truth);
    std::vector<std::string> words{"denoise",   "noisy.tif", "-o", "clean.tif", "--clean",
                                   "truth.tif", "--atoms",   "32", "--sweeps",  "2"};
    const nlohmann::json result = run_json(words);
    const nlohmann::json& each = result.at("each_page");
    ASSERT_TRUE(each[1].at("psnr_after").is_null());
    for (const char* name : {"psnr_before", "psnr_after"})
        EXPECT_NEAR(result.at(name).get<double>(),
                    (each[0].at(name).get<double>() + each[2].at(name).get<double>()) / 2.0, 1e-9);
    EXPECT_EQ(result.at("equal_to_truth_after"), 1);
    EXPECT_EQ(result.at("samples"), "uint8");
    EXPECT_EQ(result.at("method"), "online");
    const Outcome outcome = run(words);
    EXPECT_NE(outcome.out.find("page 2 equals the truth, and is not in the mean"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("(mean of the pages; range 0 to 255)"), std::string::npos) << outcome.out;
    EXPECT_EQ(result.at("data_range"), 255.0);
}

TEST_F(DenoiseStackVerb, SsimAndCoverageAreMeansOfThePages) {
    write_stack("noisy.tif", noisy_pages(3, Samples::u8));
    write_stack("truth.tif", std::vector<Image>(3, make_image(32, 24, false, 3)));
    std::vector<std::string> words = command({"noisy.tif"}, "clean.tif", {"--clean", "truth.tif", "--std", "std.tif"});
    const nlohmann::json result = run_json(words);
    for (const char* name : {"ssim_before", "ssim_after", "within_1_std", "within_2_std"}) {
        double sum = 0.0;
        for (const nlohmann::json& page : result.at("each_page")) sum += page.at(name).get<double>();
        EXPECT_NEAR(result.at(name).get<double>(), sum / 3.0, 1e-9) << name;
    }
    const std::string text = run(words).out;
    for (const char* part : {"(mean of the pages)", "of the errors are within 1 std"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
}

// The range is that of the whole stack, so that the PSNR of a dark page can be compared with that of a bright one.
TEST_F(DenoiseStackVerb, ThePsnrHasTheRangeOfAllPages) {
    std::vector<Image> pages = noisy_pages(2), truth(2, make_image(32, 24, false, 3));
    for (Image& page : truth) page.samples = Samples::u16;
    for (Image* page : {&pages[1], &truth[1]})
        for (std::size_t i = 0; i < page->planes[0].size(); ++i) page->planes[0].data()[i] += 1000.0;
    write_stack("noisy.tif", pages);
    write_stack("truth.tif", truth);
    const nlohmann::json result = run_json(command({"noisy.tif"}, "clean.tif", {"--clean", "truth.tif"}));
    const double width = data_range(truth[1]).high - data_range(truth[0]).low;
    EXPECT_GT(width, 1000.0);
    EXPECT_EQ(result.at("data_range"), width);
    const std::vector<Image> noisy = read_stack("noisy.tif");
    for (std::size_t page = 0; page < 2; ++page)
        EXPECT_NEAR(result.at("each_page")[page].at("psnr_before").get<double>(), psnr(truth[page], noisy[page], width),
                    1e-9);
}

// A checkpoint that has a dictionary but no page: the pages of a killed run are gone.
TEST_F(DenoiseStackVerb, LostPagesAreMadeAgainAndTheDictionaryIsKept) {
    write_stack("noisy.tif", noisy_pages(12));
    ASSERT_EQ(run(command({"noisy.tif"}, "whole.tif", {"--std", "whole_std.tif"})).status, 0);
    ASSERT_EQ(
        stopped_at(command({"noisy.tif"}, "parts.tif", {"--std", "parts_std.tif"}), "parts.tif", "page-00004", SIGKILL)
            .status,
        -SIGKILL);
    fs::remove(folder_ / "parts.tif.checkpoint.pages/page-00001-std.tif");
    const Outcome full = run({"denoise", "--resume", "parts.tif.checkpoint"}, 2000);  // a page fits, its std does not
    EXPECT_EQ(full.status, 2);
    EXPECT_NE(full.err.find("; the dictionary is kept; to resume: sbdl denoise --resume"), std::string::npos)
        << full.err;
    Program again(folder_, {"denoise", "--resume", "parts.tif.checkpoint"});
    ASSERT_TRUE(again.wait_for_error_text("%"));
    again.send(SIGINT);
    const Outcome stopped = again.finish();
    EXPECT_EQ(stopped.status, 130);
    EXPECT_EQ(stopped.out.find("noise       0 to 0"), std::string::npos) << stopped.out;
    ASSERT_TRUE(fs::exists(folder_ / "parts.tif.checkpoint")) << stopped.out << stopped.err;
    EXPECT_NE(stopped.out.find("to resume: sbdl denoise --resume"), std::string::npos) << stopped.out;
    EXPECT_NE(stopped.err.find("pages from 1 on are made again"), std::string::npos) << stopped.err;
    ASSERT_EQ(run({"denoise", "--resume", "parts.tif.checkpoint"}).status, 0);
    EXPECT_EQ(bytes("parts.tif"), bytes("whole.tif"));
    EXPECT_EQ(bytes("parts_std.tif"), bytes("whole_std.tif"));
    EXPECT_EQ(files(),
              (std::set<std::string>{"noisy.tif", "whole.tif", "whole_std.tif", "parts.tif", "parts_std.tif"}));
}

TEST_F(DenoiseStackVerb, BadPlacesForWhatIsKeptAreFoundBeforeTheWork) {
    write_stack("noisy.tif", noisy_pages(2));
    write_image(folder_ / "a.png", noisy_pages(1, Samples::u8)[0]);
    write("clean.tif.checkpoint.pages", "in the way");
    expect_rejected(command({"noisy.tif"}, "clean.tif"), {"clean.tif.checkpoint.pages", "folder"});
    const std::string name(240, 'a');  // with ".tif" it can be a file, with ".tif.checkpoint" it cannot
    expect_rejected(command({"noisy.tif"}, name + ".tif"), {name});
    expect_rejected(command({"a.png"}, "b.png", {"--checkpoint", std::string(300, 'a')}), {"aaa"});
    expect_rejected(command({"a.png"}, "b.png", {"--checkpoint", "."}), {".: is a folder"});
    expect_rejected(command({"a.png"}, "nofolder/a/b/"), {"nofolder/a/b/: is not a folder"});
    EXPECT_EQ(run(command({"a.png"}, "nofolder/a/b/")).err.find("several files"), std::string::npos);
    expect_rejected(command({"noisy.tif"}, "b.tif", {"--clean", "a.png"}), {"a.png: has 1 page, the noisy stack 2"});
}

// The samples decide what a page becomes, and the alpha channel is written again.
TEST_F(DenoiseStackVerb, AResumedStackMustHaveTheSameSamplesAndAlpha) {
    std::vector<Image> pages;
    for (std::size_t page = 0; page < 12; ++page) {
        pages.push_back(make_noisy(make_image(24, 24, true, 3), 20.0, page));
        pages.back().alpha = Matrix(24, 24, 7.0);
    }
    write_stack("noisy.tif", pages);
    ASSERT_EQ(stopped_at(command({"noisy.tif"}, "parts.tif"), "parts.tif", "page-00001", SIGINT).status, 130);
    pages[11].alpha(0, 0) = 8.0;
    write_stack("noisy.tif", pages);
    expect_rejected({"denoise", "--resume", "parts.tif.checkpoint"}, {"the stack has changed since"});
}

}  // namespace
}  // namespace sbdl::test
