// `sbdl inpaint` for stacks, page by page with one mask, and with a model learned elsewhere.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "cli/stack_case.hpp"
#include "sbdl/model.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

class InpaintStackVerb : public StackCliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        for (const std::uint64_t picture : {3U, 4U, 5U}) pages_.push_back(make_image(40, 32, false, picture));
        write_stack("series.tif", pages_);
        Image mask;
        mask.planes.emplace_back(pages_[0].height(), pages_[0].width());
        for (std::size_t i = 0; i < mask.planes[0].size(); ++i)
            mask.planes[0].data()[i] = (i * i / 7 + i) % 3 == 0 ? 255.0 : 0.0;
        write_image(folder_ / "mask.png", mask);
    }
    static std::vector<std::string> words(const std::string& input, const std::string& output,
                                          const std::vector<std::string>& more = {}) {
        std::vector<std::string> all{"inpaint", input, "-o", output, "--rounds", "1", "--group", "20"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    /// long.tif, which takes a while.
    void write_long_stack() const {
        std::vector<Image> many;
        for (int copy = 0; copy < 4; ++copy) many.insert(many.end(), pages_.begin(), pages_.end());
        write_stack("long.tif", many);
    }
    static std::vector<double> samples_of(const Image& image) {
        return {image.planes[0].data(), image.planes[0].data() + image.planes[0].size()};
    }

    std::vector<Image> pages_;
};

TEST_F(InpaintStackVerb, APageIsWhatItWouldBeAlone) {
    const nlohmann::json result =
        run_json(words("series.tif", "full.npy", {"--mask", "mask.png", "--std", "std.tif", "--clean", "series.tif"}));
    EXPECT_EQ(result.at("pages"), 3);
    EXPECT_EQ(result.at("each_page").size(), 3U);
    EXPECT_GT(result.at("psnr").get<double>(), 15.0);
    EXPECT_GT(result.at("each_page")[2].at("within_2_std").get<double>(), 0.5);
    const std::vector<Image> full = read_stack("full.npy"), std = read_stack("std.tif");
    ASSERT_EQ(full.size(), 3U);
    EXPECT_EQ(full[0].samples, Samples::u8);
    write_image(folder_ / "second.tif", pages_[1]);
    const nlohmann::json alone = run_json(words("second.tif", "alone.npy", {"--mask", "mask.png", "--std", "a.tif"}));
    EXPECT_EQ(samples_of(full[1]), samples_of(read_image(folder_ / "alone.npy")));
    EXPECT_EQ(samples_of(std[1]), samples_of(read_image(folder_ / "a.tif")));
    EXPECT_EQ(result.at("each_page")[1].at("missing"), alone.at("missing"));
    EXPECT_EQ(result.at("missing"), 3 * alone.at("missing").get<int>());
}

// Without a mask each page has its own gaps; a page that is complete is copied.
TEST_F(InpaintStackVerb, NanIsMissingOnItsPage) {
    std::vector<double> values;
    for (const Image& page : pages_)
        for (const double sample : samples_of(page)) values.push_back(sample);
    values[5] = values[1280 + 77] = std::numeric_limits<double>::quiet_NaN();
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 40, 32), }";
    header.resize(117, ' ');
    std::string file("\x93NUMPY\x01\x00v\x00", 10);
    file += header + '\n';
    file.append(reinterpret_cast<const char*>(values.data()), 8 * values.size());
    write("series.npy", file);
    const nlohmann::json result = run_json(words("series.npy", "full.tif"));
    for (const auto& [page, missing] : {std::pair{0, 1}, {1, 1}, {2, 0}})
        EXPECT_EQ(result.at("each_page")[page].at("missing"), missing);
    EXPECT_TRUE(result.at("each_page")[2].at("unchanged").get<bool>());
    EXPECT_EQ(samples_of(read_stack("full.tif")[2]), samples_of(pages_[2]));

    // The noise of the copied page is not known; its PSNR is.
    const auto noise = [&](std::size_t page) { return result.at("each_page")[page].at("noise_sd").get<double>(); };
    EXPECT_NEAR(result.at("noise_sd").get<double>(), std::sqrt((noise(0) * noise(0) + noise(1) * noise(1)) / 2.0),
                1e-9);
    std::vector<Image> other = pages_;
    for (Image& page : other) page = make_noisy(page, 10.0, 7);
    write_stack("other.tif", other);
    const Outcome said = run(words("series.npy", "again.tif", {"--clean", "other.tif", "--report", "page.html"}));
    ASSERT_EQ(said.status, 0) << said.err;
    EXPECT_NE(said.out.find("found       nothing missing on page 3: copied\n"), std::string::npos) << said.out;
    EXPECT_EQ(bytes("page.html").find("Noise found</dt><dd class=\"value\">0 "), std::string::npos);
    const nlohmann::json compared = run_json(words("series.npy", "third.tif", {"--clean", "other.tif"}));
    double sum = 0.0;
    for (const nlohmann::json& page : compared.at("each_page")) sum += page.at("psnr").get<double>();
    EXPECT_NEAR(compared.at("psnr").get<double>(), sum / 3.0, 1e-9);
}

// The same hole in every page, so wide that the standard deviations in it are too small.
TEST_F(InpaintStackVerb, WarningsOfPagesAreGrouped) {
    Image mask;
    mask.planes.emplace_back(pages_[0].height(), pages_[0].width(), 255.0);
    for (std::size_t row = 10; row < 28; ++row)
        for (std::size_t col = 8; col < 26; ++col) mask.planes[0](row, col) = 0.0;
    write_image(folder_ / "hole.png", mask);
    const auto command = words("series.tif", "full.tif", {"--mask", "hole.png", "--std", "std.tif"});
    const nlohmann::json result = run_json(command);
    const std::string expected =
        "pages 1, 2 and 3: " + result.at("each_page")[0].at("warnings").at(0).get<std::string>();
    const nlohmann::json& warnings = result.at("warnings");
    EXPECT_EQ(std::count(warnings.begin(), warnings.end(), nlohmann::json(expected)), 1) << warnings;
    const Outcome said = run(command);
    EXPECT_NE(said.out.find("warning     " + expected + "\n"), std::string::npos) << said.out;
}

TEST_F(InpaintStackVerb, WhatDoesNotFitIsNamedWithItsPage) {
    std::vector<Image> two = pages_;
    two[1] = make_image(24, 32, false, 4);
    write_stack("two.tif", two);
    expect_rejected(words("two.tif", "full.tif", {"--mask", "mask.png"}),
                    {"two.tif, page 2 of 3", "mask.png", "32 x 24"});
    expect_rejected(words("series.tif", "full.png", {"--mask", "mask.png"}), {"full.png", "stack"});
    expect_rejected(words("series.tif", "full.tif", {"--mask", "mask.png", "--report", "p.txt"}), {"p.txt", ".html"});
    expect_rejected(words("series.tif", "full.tif", {"--mask", "mask.png", "--clean", "mask.png"}),
                    {"mask.png", "1 page", "3"});
    Image none;
    none.planes.emplace_back(40, 32);
    write_image(folder_ / "none.png", none);
    expect_rejected(words("series.tif", "full.tif", {"--mask", "none.png"}), {"page 1 of 3", "all pixels"});
}

TEST_F(InpaintStackVerb, CtrlCKeepsThePagesThatAreDoneAndResumeGoesOn) {
    write_long_stack();
    const auto command = [](const std::string& name) {
        return words("long.tif", name + ".tif",
                     {"--mask", "mask.png", "--std", name + "_std.tif", "--report", name + ".html"});
    };
    ASSERT_EQ(run(command("whole")).status, 0);
    for (const int signal : {SIGINT, SIGKILL}) {
        const Outcome stopped = stopped_at(command("parts"), "parts.tif", "page-00002", signal);
        EXPECT_EQ(stopped.status, signal == SIGINT ? 130 : -SIGKILL) << stopped.err;
        EXPECT_FALSE(fs::exists(folder_ / "parts.tif")) << "the stack had ended before it could be stopped";
        EXPECT_EQ(read_image(folder_ / "parts.tif.checkpoint.pages/page-00001.tif").width(), 32U);
        if (signal == SIGINT) {
            for (const char* part : {"of 12 pages are done", "to resume: sbdl inpaint --resume parts.tif.checkpoint"})
                EXPECT_NE(stopped.out.find(part), std::string::npos) << stopped.out;
        }
        expect_rejected(command("parts"), {"parts.tif.checkpoint: exists", "sbdl inpaint --resume"});
        expect_rejected({"denoise", "--resume", "parts.tif.checkpoint"}, {"belongs to sbdl inpaint"});
        const Outcome resumed = run({"inpaint", "--resume", "parts.tif.checkpoint"});
        ASSERT_EQ(resumed.status, 0) << resumed.err;
        EXPECT_EQ(bytes("parts.tif"), bytes("whole.tif"));
        EXPECT_EQ(bytes("parts_std.tif"), bytes("whole_std.tif"));
        EXPECT_NE(bytes("parts.html").find("since the run was resumed at page "), std::string::npos);
        for (const char* name : {"parts.tif", "parts_std.tif", "parts.html"}) fs::remove(folder_ / name);
        EXPECT_EQ(files(), (std::set<std::string>{"series.tif", "mask.png", "long.tif", "whole.tif", "whole_std.tif",
                                                  "whole.html"}));
    }
}

TEST_F(InpaintStackVerb, AResumedStackMustHaveTheSameGaps) {
    write_long_stack();
    ASSERT_EQ(
        stopped_at(words("long.tif", "full.tif", {"--mask", "mask.png"}), "full.tif", "page-00001", SIGINT).status,
        130);
    Image mask = read_image(folder_ / "mask.png");
    mask.planes[0](20, 20) = 255.0 - mask.planes[0](20, 20);
    write_image(folder_ / "mask.png", mask);
    expect_rejected({"inpaint", "--resume", "full.tif.checkpoint"}, {"the stack has changed since"});
    expect_rejected({"inpaint", "--resume", "full.tif.checkpoint", "--rounds", "2"}, {"--rounds", "--resume"});
}

TEST_F(InpaintStackVerb, AFullDiskLosesNoPages) {
    ASSERT_EQ(run(words("series.tif", "whole.tif", {"--mask", "mask.png"})).status, 0);
    const Outcome full =
        run(words("series.tif", "parts.tif", {"--mask", "mask.png"}), fs::file_size(folder_ / "whole.tif") - 1000);
    EXPECT_EQ(full.status, 2);
    EXPECT_NE(full.err.find("3 of 3 pages are kept; to resume: sbdl inpaint --resume parts.tif.checkpoint"),
              std::string::npos)
        << full.err;
    ASSERT_EQ(run({"inpaint", "--resume", "parts.tif.checkpoint"}).status, 0);
    EXPECT_EQ(bytes("parts.tif"), bytes("whole.tif"));
}

TEST_F(InpaintStackVerb, WritesAPageAboutTheStack) {
    const nlohmann::json result = run_json(
        words("series.tif", "full.tif", {"--mask", "mask.png", "--clean", "series.tif", "--report", "page.html"}));
    EXPECT_EQ(result.at("report"), "page.html");
    EXPECT_FALSE(result.contains("std"));
    const std::string page = bytes("page.html");
    for (const char* part : {"<h1>series.tif</h1>", "3 pages, of which pixels were missing.",
                             "Missing pixels were filled in", "<h3>Page 1</h3>", "<th scope=\"col\">Missing</th>",
                             "mean of the pages, against the truth", "--report page.html"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find("id=\"dictionary\""), std::string::npos);
    EXPECT_EQ(files(), (std::set<std::string>{"series.tif", "mask.png", "full.tif", "page.html"}));
}

TEST_F(InpaintStackVerb, ACheckpointIsForStacksAlone) {
    write_image(folder_ / "one.png", pages_[0]);
    expect_rejected(words("one.png", "full.png", {"--mask", "mask.png", "--checkpoint", "kept"}),
                    {"--checkpoint applies only to stacks", "one.png"});
    expect_rejected({"inpaint", "one.png"}, {"--output"});
    expect_rejected(words("series.tif", "full.tif", {"--mask", "mask.png", "--checkpoint", "series.tif"}),
                    {"series.tif: "});
}

// What its passes make is tested by value in tests/unit/inpaint/dictionary_fill_test.cpp.
TEST_F(InpaintStackVerb, AModelLearnedElsewhereIsUsed) {
    write_image(folder_ / "truth.png", pages_[0]);
    Image noisy = make_noisy(make_image(64, 64, false, 3), 4.0, 1);
    write_image(folder_ / "other.tif", noisy);
    run_json({"denoise", "other.tif", "-o", "clean.tif", "--sigma", "4", "--atoms", "64", "--save-model", "model.h5"});
    const auto psnr = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all{"--mask", "mask.png", "--clean", "truth.png", "--keep-observed"};
        all.insert(all.end(), more.begin(), more.end());
        return run_json(words("truth.png", "full.png", all)).at("psnr").get<double>();
    };
    EXPECT_NE(psnr({"--model", "model.h5"}), psnr({}));
    Model wrong = load_model(folder_ / "model.h5");
    wrong.patch = {};
    save_model(wrong, folder_ / "wrong.h5");
    expect_rejected(words("truth.png", "full.png", {"--mask", "mask.png", "--model", "wrong.h5", "--patch", "6"}),
                    {"wrong.h5: the model's atoms", "64 entries", "36", "(truth.png)"});
    expect_rejected(words("series.tif", "full.tif", {"--mask", "mask.png", "--model", "wrong.h5", "--patch", "6"}),
                    {"wrong.h5: the model's atoms", "64 entries", "36", "(series.tif, page 1 of 3)"});
}

}  // namespace
}  // namespace sbdl::test
