// `sbdl inpaint`: what it writes and prints, and what it rejects without leaving files behind.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "sbdl/image.hpp"
#include "sbdl/quality.hpp"
#include "unit/signals/npy_bytes.hpp"

namespace sbdl::test {
namespace {

class InpaintVerb : public CliTest {
protected:
    // truth.png, and mask.png, which leaves out two of three pixels
    void SetUp() override {
        CliTest::SetUp();
        ASSERT_EQ(run({"synth", "-o", ".", "--image", "48x40", "--sigma", "20", "--seed", "3"}).status, 0);
        truth_ = read_image(folder_ / "truth.png");
        mask_.planes.emplace_back(truth_.height(), truth_.width());
        for (std::size_t i = 0; i < mask_.planes[0].size(); ++i)
            mask_.planes[0].data()[i] = (i * i / 7 + i) % 3 == 0 ? 255.0 : 0.0;
        write_image(folder_ / "mask.png", mask_);
    }

    static std::vector<std::string> inpaint_command(const std::vector<std::string>& more,
                                                    const std::string& input = "truth.png",
                                                    const std::string& output = "full.png") {
        std::vector<std::string> words{"inpaint", input, "-o", output, "--rounds", "2", "--group", "30"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

    void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
        const std::set<std::string> before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        for (const std::string& word : words)
            EXPECT_NE(outcome.err.find(word), std::string::npos) << "'" << word << "' is not in: " << outcome.err;
        EXPECT_EQ(files(), before);
    }

    /// The truth in floats, with one sample changed.
    void write_floats(const std::string& name, double sample) const {
        Image image = truth_;
        image.samples = Samples::f32;
        image.planes[0](3, 4) = std::isfinite(sample) ? sample : 0.0;
        write_image(folder_ / name, image);
        if (std::isfinite(sample)) return;
        const auto value = static_cast<float>(sample);  // which write_image() refuses
        std::fstream file(folder_ / name, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-static_cast<std::streamoff>(sizeof value * (image.planes[0].size() - (3 * image.width() + 4))),
                   std::ios::end);
        file.write(reinterpret_cast<const char*>(&value), sizeof value);
    }

    Image truth_, mask_;
};

TEST_F(InpaintVerb, WritesTheCompleteImageAndAllRequestedFiles) {
    const nlohmann::json result = run_json(inpaint_command(
        {"--mask", "mask.png", "--clean", "truth.png", "--std", "std.npy", "--report", "p.html", "--keep-observed"}));
    const Image full = read_image(folder_ / "full.png"), std = read_image(folder_ / "std.npy");
    EXPECT_EQ(full.samples, Samples::u8);
    std::size_t missing = 0;
    for (std::size_t i = 0; i < full.planes[0].size(); ++i) {
        if (mask_.planes[0].data()[i] == 0.0)
            ++missing;
        else
            EXPECT_EQ(full.planes[0].data()[i], truth_.planes[0].data()[i]);
        EXPECT_GT(std.planes[0].data()[i], 0.0);
    }
    EXPECT_GT(result.at("std_factor").get<double>(), 0.0);
    EXPECT_FALSE(run_json(inpaint_command({"--mask", "mask.png"})).contains("std_factor")) << "nobody asked for them";
    EXPECT_EQ(result.at("missing"), missing);
    EXPECT_GT(result.at("psnr").get<double>(), 20.0);
    EXPECT_GT(result.at("psnr").get<double>(), result.at("psnr_missing").get<double>());
    EXPECT_GT(result.at("within_2_std").get<double>(), result.at("within_1_std").get<double>());
    EXPECT_TRUE(std::filesystem::exists(folder_ / "p.html"));
}

TEST_F(InpaintVerb, NanIsMissing) {
    write_floats("scan.npy", std::numeric_limits<double>::quiet_NaN());
    const nlohmann::json result = run_json(inpaint_command({}, "scan.npy", "full.npy"));
    EXPECT_EQ(result.at("missing"), 1);
    EXPECT_NEAR(read_image(folder_ / "full.npy").planes[0](3, 4), truth_.planes[0](3, 4), 20.0);
}

// np.save("mask.npy", observed), the way NumPy has masks. As an image such a file is refused.
TEST_F(InpaintVerb, AMaskMayHaveBooleans) {
    std::string observed;
    for (std::size_t i = 0; i < mask_.planes[0].size(); ++i) observed += mask_.planes[0].data()[i] == 0.0 ? '\0' : '\1';
    write("mask.npy", npy("|b1", "False", "(40, 48)", observed));
    run_json(inpaint_command({"--mask", "mask.npy"}, "truth.png", "by_npy.png"));
    run_json(inpaint_command({"--mask", "mask.png"}));
    const Image by_npy = read_image(folder_ / "by_npy.png"), by_png = read_image(folder_ / "full.png");
    EXPECT_EQ(psnr(by_npy, by_png, 255.0), std::numeric_limits<double>::infinity());
    expect_refused(inpaint_command({"--mask", "mask.png"}, "mask.npy"), {"mask.npy", "booleans"});
}

// np.save("mask.npy", observed.astype(int))
TEST_F(InpaintVerb, AMaskMayHaveIntegersOfAnySize) {
    std::vector<std::int64_t> observed;
    for (std::size_t i = 0; i < mask_.planes[0].size(); ++i)
        observed.push_back(mask_.planes[0].data()[i] == 0.0 ? 0 : -7);
    write("mask.npy", npy("<i8", "False", "(40, 48)", item_bytes(observed)));
    run_json(inpaint_command({"--mask", "mask.npy"}, "truth.png", "by_npy.png"));
    run_json(inpaint_command({"--mask", "mask.png"}));
    EXPECT_EQ(psnr(read_image(folder_ / "by_npy.png"), read_image(folder_ / "full.png"), 255.0),
              std::numeric_limits<double>::infinity());
    expect_refused(inpaint_command({"--mask", "mask.png"}, "mask.npy"), {"mask.npy", "signed integers of 8 bytes"});
    observed[5] = 3;
    write("three.npy", npy("<i8", "False", "(40, 48)", item_bytes(observed)));
    expect_refused(inpaint_command({"--mask", "three.npy"}), {"three.npy", "-7", "3", "row 0, column 5"});
}

TEST_F(InpaintVerb, SaysWhatIsCounted) {
    const auto missing = [&](const std::string& input) {
        const std::string text = run(inpaint_command({"--mask", "mask.png"}, input)).out;
        return text.substr(0, text.find('\n'));
    };
    EXPECT_TRUE(missing("truth.png").ends_with(" pixels)")) << missing("truth.png");
    ASSERT_EQ(run({"synth", "-o", "colour", "--image", "48x40", "--colour"}).status, 0);
    EXPECT_TRUE(missing("colour/truth.png").ends_with(" samples)")) << missing("colour/truth.png");
    write_floats("scan.npy", std::numeric_limits<double>::quiet_NaN());
    EXPECT_NE(run(inpaint_command({}, "scan.npy", "full.npy")).out.find("(1 pixel)\n"), std::string::npos);
}

TEST_F(InpaintVerb, NothingMissingIsCopied) {
    const Outcome outcome = run(inpaint_command({}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("nothing is missing"), std::string::npos);
    EXPECT_EQ(psnr(truth_, read_image(folder_ / "full.png"), 255.0), std::numeric_limits<double>::infinity());
}

TEST_F(InpaintVerb, RefusesAMaskThatDoesNotFit) {
    Image mask = mask_;
    mask.planes[0] = Matrix(40, 47, 255.0);
    write_image(folder_ / "narrow.png", mask);
    expect_refused(inpaint_command({"--mask", "narrow.png"}), {"narrow.png", "47 x 40", "48 x 40"});
    mask = mask_;
    mask.planes[0](2, 3) = 17.0;
    write_image(folder_ / "grey.png", mask);
    expect_refused(inpaint_command({"--mask", "grey.png"}), {"grey.png", "17", "255"});
    mask.planes[0] = Matrix(40, 48, 0.0);
    write_image(folder_ / "none.png", mask);
    expect_refused(inpaint_command({"--mask", "none.png"}), {"truth.png", "all pixels of the image are missing"});
    write_floats("nan.npy", std::numeric_limits<double>::quiet_NaN());
    mask.planes[0] = Matrix(40, 48, 255.0);
    write_image(folder_ / "all.png", mask);
    expect_refused(inpaint_command({"--mask", "all.png"}, "nan.npy", "full.npy"), {"all.png", "row 3, column 4"});
}

TEST_F(InpaintVerb, RefusesWhatItCannotUse) {
    write_floats("inf.npy", std::numeric_limits<double>::infinity());
    expect_refused(inpaint_command({"--mask", "mask.png"}, "inf.npy", "full.npy"),
                   {"inf.npy", "row 3, column 4", "inf"});
    expect_refused(inpaint_command({"--mask", "mask.png", "--rounds", "-1"}), {"rounds"});
    expect_refused(inpaint_command({"--mask", "mask.png"}, "truth.png", "truth.png"), {"truth.png"});
    expect_refused(inpaint_command({"--mask", "mask.png", "--memory", "1M"}), {"48 x 40"});
    expect_refused(inpaint_command({"--mask", "missing.png"}), {"missing.png"});
    ASSERT_EQ(run({"synth", "-o", "small", "--image", "32x24"}).status, 0);
    expect_refused(inpaint_command({"--mask", "mask.png", "--clean", "small/truth.png"}),
                   {"small/truth.png: has 32 x 24", "the incomplete image 48 x 40"});
}

TEST_F(InpaintVerb, ReproduceMeasuresAFolderAndResumes) {
    std::filesystem::create_directory(folder_ / "images");
    std::filesystem::rename(folder_ / "truth.png", folder_ / "images" / "truth.png");
    const std::vector<std::string> words{"reproduce", "inpainting", "--images", "images",    "-o",
                                         "runs",      "--observed", "0.6",      "--methods", "smooth"};
    EXPECT_EQ(run_json(words).at("trials_run"), 1);
    std::vector<std::string> more = words;
    more.insert(more.end(), {"inpaint", "--seeds", "2"});
    const nlohmann::json result = run_json(more);
    EXPECT_EQ(result.at("trials_run"), 3);
    EXPECT_EQ(result.at("trials_reused"), 1);
    const nlohmann::json &filled = result.at("entries").at(0), &smooth = result.at("entries").at(1);
    EXPECT_EQ(filled.at("row"), "inpaint");
    EXPECT_EQ(filled.at("trials"), 2);
    EXPECT_GT(filled.at("psnr").get<double>(), smooth.at("psnr").get<double>());
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs" / "inpainting.md"));
    std::vector<std::string> wrong = words;
    wrong[7] = "1.5";
    expect_refused(wrong, {"observed is 1.5", "0.99"});
    wrong[7] = "0.6";
    wrong[1] = "denoising";
    expect_refused(wrong, {"--observed does not apply to denoising"});
}

}  // namespace
}  // namespace sbdl::test
