// `sbdl synth --image`: the files, their description, and the options that cannot be combined.
#include <algorithm>
#include <fstream>

#include "cli/program.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

using SynthImage = CliTest;

void expect_same(const Image& found, const Image& expected, double tolerance) {
    ASSERT_EQ(found.planes.size(), expected.planes.size());
    ASSERT_EQ(found.samples, expected.samples);
    for (std::size_t p = 0; p < found.planes.size(); ++p) {
        ASSERT_EQ(found.planes[p].rows(), expected.planes[p].rows());
        ASSERT_EQ(found.planes[p].cols(), expected.planes[p].cols());
        for (std::size_t i = 0; i < found.planes[p].size(); ++i)
            ASSERT_NEAR(found.planes[p].data()[i], expected.planes[p].data()[i], tolerance);
    }
}

TEST_F(SynthImage, WritesTheTruthAndANoisyCopy) {
    const auto summary =
        run_json({"synth", "-o", "data", "--image", "40x24", "--colour", "--sigma", "10", "--seed", "4"});
    EXPECT_EQ(files(), (Names{"data", "data/truth.png", "data/noisy.tif", "data/synth.json"}));
    EXPECT_EQ(nlohmann::json::parse(std::ifstream(folder_ / "data/synth.json")), summary);
    EXPECT_EQ(summary["truth"], "data/truth.png");
    EXPECT_EQ(summary["noisy"], "data/noisy.tif");
    EXPECT_EQ(summary["width"], 40);
    EXPECT_EQ(summary["height"], 24);
    EXPECT_EQ(summary["colour"], true);
    EXPECT_EQ(summary["sigma"], 10.0);
    EXPECT_NEAR(summary["psnr_db"], 28.13, 1.0);  // 20 log10(255 / 10); 2880 samples vary by 0.1 dB
    const Image truth = make_image(24, 40, true, 4);
    expect_same(read_image(folder_ / "data/truth.png"), truth, 0.0);
    expect_same(read_image(folder_ / "data/noisy.tif"), make_noisy(truth, 10.0, 4), 1e-4);  // float32
}

TEST_F(SynthImage, IsGreyWithASigmaOf25ByDefault) {
    const Outcome outcome = run({"synth", "-o", "data", "--image", "16x16"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* word : {"16 x 16 pixels, grey", "25", "PSNR", "data/truth.png", "data/noisy.tif"})
        EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is not in:\n" << outcome.out;
    const Image truth = make_image(16, 16, false, 0);
    expect_same(read_image(folder_ / "data/noisy.tif"), make_noisy(truth, 25.0, 0), 1e-4);
}

TEST_F(SynthImage, WithoutNoiseTheCopyIsTheTruth) {
    const auto summary = run_json({"synth", "-o", "data", "--image", "16x9", "--sigma", "0"});
    EXPECT_EQ(summary["psnr_db"], "inf");
}

TEST_F(SynthImage, OptionsOfTheOtherModeAndImpossibleOnesAreRejected) {
    const auto rejected = [&](std::vector<std::string> more, const std::vector<std::string>& words) {
        more.insert(more.begin(), {"synth", "-o", "data"});
        const Outcome outcome = run(more);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.out, "");
        for (const std::string& word : words) EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
        EXPECT_EQ(files(), Names{});
    };
    for (const char* option : {"--dim", "--atoms", "--signals", "--sparsity", "--scale", "--snr"})
        rejected({"--image", "16x16", option, "3"}, {option, "signals only"});
    rejected({"--colour"}, {"--colour", "images only", "--image"});
    rejected({"--sigma", "3"}, {"--sigma", "images only", "--image"});
    for (const char* size : {"16", "x", "16x", "x16", "16x16x3", "-16x16", "16 x 16", "big"})
        rejected({"--image", size}, {"--image", size, "512x384"});
    rejected({"--image", "7x16"}, {"7", "8 to 32768"});
    rejected({"--image", "99999999999x99999999999"}, {"99999999999 x 99999999999", "memory"});
    for (const char* sigma : {"-1", "nan", "inf"})
        rejected({"--image", "16x16", "--sigma", sigma}, {"sigma is", sigma});
    rejected({"--image", "16x16", "--sigma", "loud"}, {"--sigma", "loud"});
}

}  // namespace
}  // namespace sbdl::test
