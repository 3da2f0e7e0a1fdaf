// `sbdl inpaint` for stacks, page by page with one mask, and with a model learned elsewhere.
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "sbdl/image_stack.hpp"
#include "sbdl/model.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

class InpaintStackVerb : public CliTest {
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
    void write_stack(const std::string& name, const std::vector<Image>& pages) const {
        const auto writer = write_pages(folder_ / name, pages.front(), pages.size());
        for (const Image& page : pages) writer->add(page);
        writer->commit();
    }
    [[nodiscard]] std::vector<Image> read_stack(const std::string& name) const {
        const auto pages = open_pages(folder_ / name);
        std::vector<Image> read;
        for (std::size_t page = 0; page < pages->count(); ++page) read.push_back(pages->read(page));
        return read;
    }
    static std::vector<std::string> words(const std::string& input, const std::string& output,
                                          const std::vector<std::string>& more = {}) {
        std::vector<std::string> all{"inpaint", input, "-o", output, "--rounds", "1", "--group", "20"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) const {
        const std::set<std::string> before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        for (const std::string& part : parts)
            EXPECT_NE(outcome.err.find(part), std::string::npos) << "'" << part << "' is not in: " << outcome.err;
        EXPECT_EQ(files(), before);
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
}

TEST_F(InpaintStackVerb, WhatDoesNotFitIsNamedWithItsPage) {
    std::vector<Image> two = pages_;
    two[1] = make_image(24, 32, false, 4);
    write_stack("two.tif", two);
    expect_refused(words("two.tif", "full.tif", {"--mask", "mask.png"}),
                   {"two.tif, page 2 of 3", "mask.png", "32 x 24"});
    expect_refused(words("series.tif", "full.png", {"--mask", "mask.png"}), {"full.png", "stack"});
    expect_refused(words("series.tif", "full.tif", {"--mask", "mask.png", "--report", "p.html"}),
                   {"--report", "stack"});
    expect_refused(words("series.tif", "full.tif", {"--mask", "mask.png", "--clean", "mask.png"}),
                   {"mask.png", "1 page", "3"});
    Image none;
    none.planes.emplace_back(40, 32);
    write_image(folder_ / "none.png", none);
    expect_refused(words("series.tif", "full.tif", {"--mask", "none.png"}), {"page 1 of 3", "all pixels"});
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
    expect_refused(words("truth.png", "full.png", {"--mask", "mask.png", "--model", "wrong.h5", "--patch", "6"}),
                   {"truth.png", "64 entries", "36"});
}

}  // namespace
}  // namespace sbdl::test
