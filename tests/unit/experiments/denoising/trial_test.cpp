// A trial with the real denoiser on tiny images, and the page.
#include <cmath>
#include <limits>

#include "sbdl/quality.hpp"
#include "unit/experiments/denoising/case.hpp"

namespace sbdl::test {
namespace {

DenoisingTask task_for(const Image& image, int sigma) {
    return {"auto", {"one", image.width(), image.height(), image.planes.size(), "", sigma}, 0, 7};
}

std::optional<DenoisingScore> score_of(const Image& image, int sigma, int threads = 1) {
    DenoisingOptions options;
    options.threads = threads;
    return denoise_image_trial(task_for(image, sigma), image, options, {});
}

TEST(DenoisingTrial, ScoresWhatDenoiseMakesOfTheNoiseOnAnyNumberOfCores) {
    const Image clean = make_image(40, 48, true, 1);
    const auto score = score_of(clean, 25);
    ASSERT_TRUE(score);
    const Image noisy = make_noisy(clean, 25.0, 7);
    Context context;
    context.seed = 7;
    DenoiseOptions options;
    options.std = true;
    const DenoiseResult result = denoise(noisy, options, context);
    EXPECT_EQ(score->psnr_noisy, psnr(clean, noisy, 255.0));
    EXPECT_EQ(score->psnr, psnr(clean, result.image, 255.0));
    EXPECT_EQ(score->ssim, ssim(clean, result.image, 255.0));
    EXPECT_EQ(score->noise_found, result.noise_sd);
    EXPECT_EQ(score->within_1_std, share_within(clean, result.image, result.std, 1.0));
    EXPECT_EQ(score->within_2_std, share_within(clean, result.image, result.std, 2.0));
    EXPECT_GT(score->within_2_std, score->within_1_std);
    EXPECT_GT(score->psnr, score->psnr_noisy + 2.0);
    EXPECT_GT(score->seconds, 0.0);
    EXPECT_EQ(score_of(clean, 25, 3)->psnr, score->psnr);
}

// 255 of 8 bits is 65535 of 16; the noise is as strong compared with white.
TEST(DenoisingTrial, SigmaIsOnAScaleOnWhichWhiteIs255) {
    const Image clean = make_image(32, 32, false, 1);
    const auto bytes = score_of(clean, 25), words = score_of(with_samples(clean, Samples::u16), 25);
    EXPECT_NEAR(words->psnr_noisy, bytes->psnr_noisy, 1e-9);
    EXPECT_NEAR(words->noise_found, bytes->noise_found, 0.1);
    EXPECT_NEAR(words->psnr, bytes->psnr, 0.1);
    Image floats = clean;  // their range is their scale
    floats.samples = Samples::f32;
    for (double& value : floats.planes[0].row(0)) value = 0.0;
    for (double& value : floats.planes[0].row(1)) value = 510.0;
    EXPECT_NEAR(score_of(floats, 25)->psnr_noisy, bytes->psnr_noisy, 1e-9);
}

// With one thread: others may ask once more, for the row that they were at.
TEST(DenoisingTrial, AStopTakesEffectInEveryStageAndLeavesNoTrial) {
    const Image clean = make_image(24, 24, false, 1);
    DenoisingOptions options;
    options.threads = 1;
    int questions = 0;
    ASSERT_TRUE(denoise_image_trial(task_for(clean, 25), clean, options, [&] { return ++questions < 0; }));
    for (const int last : {1, questions / 2, questions}) {
        int asked = 0;
        EXPECT_FALSE(denoise_image_trial(task_for(clean, 25), clean, options, [&] { return ++asked == last; }));
        EXPECT_EQ(asked, last);
    }
}

denoising::Record record(const std::string& method, const std::string& image, int sigma, int trial, double psnr) {
    const DenoisingTask task{method, {image, 24, 16, image == "red" ? 3U : 1U, "0", sigma}, trial, 0};
    return {task, {20.25, psnr, 0.8, 1.02 * sigma, 0.65, 0.94, 2.0}, "test"};
}

TEST(DenoisingReport, HasATableForEachSigmaAndMethodWithTheMeanBelow) {
    const std::vector<denoising::Record> records{
        record("auto", "red", 25, 1, 30.0), record("vb", "grey", 25, 0, 26.0), record("auto", "red", 25, 0, 29.0),
        record("auto", "grey", 25, 0, 27.0), record("auto", "grey", 15, 0, 33.0)};
    const auto entries = denoising::summarize(records);
    ASSERT_EQ(entries.size(), 4U);
    EXPECT_EQ(entries[0].cell.sigma, 15);
    EXPECT_EQ(entries[1].cell.image, "grey");
    EXPECT_EQ(entries[2].trials, 2);
    EXPECT_DOUBLE_EQ(entries[2].mean.psnr, 29.5);
    EXPECT_DOUBLE_EQ(entries[2].psnr_se, 0.5);
    EXPECT_TRUE(std::isnan(entries[1].psnr_se));
    EXPECT_EQ(entries[3].method, "vb");

    const auto means = denoising::means_of(entries);
    ASSERT_EQ(means.size(), 3U);
    EXPECT_EQ(means[1].sigma, 25);
    EXPECT_EQ(means[1].method, "auto");
    EXPECT_EQ(means[1].images, 2);
    EXPECT_DOUBLE_EQ(means[1].mean.psnr, 28.25) << "every image counts the same, whatever its trials";

    DenoisingOptions options;
    options.command = "sbdl reproduce denoising";
    const std::string text = denoising::markdown_report(entries, records, options);
    EXPECT_TRUE(has(text, "- Program: sbdl test (5 trials)")) << text;
    EXPECT_TRUE(has(text, "## sigma = 15, method auto\n")) << text;
    EXPECT_TRUE(has(text,
                    "| grey | 24 x 16 | 1 | 20.25 | 27.00 | 0.8000 | 1.020 | 65.0 | 94.0 | 2.0 |\n"
                    "| red | 24 x 16, colour | 2 | 20.25 | 29.50 ± 0.50 | 0.8000 | 1.020 | 65.0 | 94.0 | 2.0 |\n"
                    "| **mean** | 2 images | | 20.25 | 28.25 | 0.8000 | 1.020 | 65.0 | 94.0 | 2.0 |\n"))
        << text;
    EXPECT_FALSE(has(text, "nan"));
}

}  // namespace
}  // namespace sbdl::test
