// Calibration in the pixels of images: what is counted, the plan, the file, the page.
#include <cmath>

#include "sbdl/synth.hpp"
#include "unit/experiments/calibration/case.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

Image grey(const std::vector<double>& pixels, Samples samples) {
    Image image;
    image.planes.emplace_back(1, pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) image.planes[0](0, i) = pixels[i];
    image.samples = samples;
    return image;
}

TEST(CalibrationImages, PixelsAreCountedInTheirIntervals) {
    const Image clean = grey({10, 20, 30, 40}, Samples::u8);
    const Image std = grey({2, 2, 2, 2}, Samples::f32);
    // Errors of 0.5, 0.7, 1.5 and 2 standard deviations.
    const ImageCalibrationScore score = calibration::measure_image(clean, grey({11, 18.6, 33, 36}, Samples::f32), std);
    EXPECT_EQ(score.pixels.values, 4);
    EXPECT_EQ(score.pixels.percent, (std::array<double, 4>{25, 50, 75, 75}));
    EXPECT_NEAR(score.error_rms, std::sqrt((1.0 + 1.96 + 9.0 + 16.0) / 4.0), 1e-12);
    EXPECT_EQ(score.std_rms, 2.0);
}

TEST(CalibrationImages, AnEstimateIn8BitsIsRoundedAndClippedAsInItsFile) {
    const Image clean = grey({0, 100, 255}, Samples::u8), std = grey({1, 1, 1}, Samples::f32);
    const ImageCalibrationScore whole = calibration::measure_image(clean, grey({-7, 100.4, 270}, Samples::u8), std);
    EXPECT_EQ(whole.error_rms, 0.0);
    EXPECT_EQ(whole.pixels.percent, (std::array<double, 4>{100, 100, 100, 100}));
    EXPECT_GT(calibration::measure_image(clean, grey({-7, 100.4, 270}, Samples::f32), std).error_rms, 9.0);
}

TEST(CalibrationImages, BothKindsOfSamplesHaveTheSameNoise) {
    const Image clean = make_image(16, 16, false, 1);
    ImageCalibrationTask task{"vb", {"one", 16, 16, "", 50, Samples::f32}, 0, 7};
    const Image floats = calibration::noisy_image(clean, task);
    task.cell.samples = Samples::u8;
    const Image bytes = calibration::noisy_image(clean, task);
    EXPECT_EQ(floats.samples, Samples::f32);
    EXPECT_EQ(bytes.samples, Samples::u8);
    bool clipped = false;
    for (std::size_t i = 0; i < 256; ++i) {
        const double noisy = floats.planes[0].data()[i];
        EXPECT_EQ(bytes.planes[0].data()[i], std::round(std::min(255.0, std::max(0.0, noisy))));
        clipped = clipped || noisy < 0.0 || noisy > 255.0;
    }
    EXPECT_TRUE(clipped);
}

TEST(CalibrationImages, WithoutAFolderThreePaintedImagesTakePart) {
    const auto images = calibration::clean_images({});
    ASSERT_EQ(images.size(), 3U);
    EXPECT_EQ(images[0].name, "painted-1");
    EXPECT_NE(images[0].pixels, images[1].pixels);
    const auto tasks = calibration::plan_images(images, {.folder = {}, .sigmas = {50, 15, 50}}, {"gibbs", "vb"}, 3);
    ASSERT_EQ(tasks.size(), 3U * 2U * 2U * 2U);
    EXPECT_EQ(tasks[0].name(), "gibbs painted-1/15/float32 trial 0");
    EXPECT_EQ(tasks[1].name(), "vb painted-1/15/float32 trial 0");
    EXPECT_EQ(tasks[2].name(), "gibbs painted-1/15/uint8 trial 0");
    EXPECT_EQ(tasks[2].seed, tasks[0].seed);
    EXPECT_NE(tasks[4].seed, tasks[0].seed) << "another sigma";
    EXPECT_EQ(tasks[0].seed, noise_seed(3, "painted-1", 15, 0));
}

std::vector<calibration::ImageRecord> image_records() {
    return {image_record("vb", "one", 25, Samples::u8, made_up_pixels(1.1, 4.0, 2.0, {100, {40, 70, 80, 90}})),
            image_record("gibbs", "two", 25, Samples::f32, made_up_pixels(1.0, 4.0, 3.0, {300, {50, 80, 92, 95}})),
            image_record("gibbs", "one", 25, Samples::f32, made_up_pixels(0.9, 0.0, 1.0, {100, {54, 76, 80, 95}}))};
}

TEST(CalibrationImages, AreSummedUpByMethodSamplesAndSigma) {
    const auto entries = calibration::summarize_images(image_records());
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].row, "gibbs");
    EXPECT_EQ(entries[0].images, 2);
    EXPECT_DOUBLE_EQ(entries[0].noise_ratio.mean, 0.95);
    EXPECT_EQ(entries[0].pixels.values, 400);
    EXPECT_DOUBLE_EQ(entries[0].pixels.percent[0], 51.0);
    EXPECT_DOUBLE_EQ(entries[0].pixels.percent[2], 89.0);
    EXPECT_DOUBLE_EQ(entries[0].std_over_error, std::sqrt((300.0 * 9.0 + 100.0) / (300.0 * 16.0)));
    EXPECT_EQ(entries[1].samples, Samples::u8);
    EXPECT_DOUBLE_EQ(entries[1].std_over_error, 0.5);
}

TEST(CalibrationImages, HaveATableInThePage) {
    const std::string text = calibration::markdown_report({}, {}, image_records(), {});
    EXPECT_NE(text.find("- Program: sbdl test (3 trials)"), std::string::npos) << text;
    EXPECT_NE(text.find("Images: one (16 x 8), two (16 x 8)."), std::string::npos) << text;
    EXPECT_NE(text.find("| gibbs | float32 | 25 | 2 | 0.950 ± 0.071 | 0.76 | 0.5 | 51.0 / 79.0 / 89.0 / 95.0 |"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("**1 of 2 rows are within 5 points of all levels.**"), std::string::npos) << text;
    EXPECT_EQ(text.find("## gibbs"), std::string::npos) << "no cells";
    EXPECT_EQ(text.find("nan"), std::string::npos);
}

// The run with a made-up denoiser.
class CalibrationImageRun : public testing::Test {
protected:
    void SetUp() override {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::path(testing::TempDir()) / (std::string("sbdl_calibration_images_") + info->name());
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "images");
        write_image(folder_ / "images/one.png", make_image(16, 16, false, 1));
        options_.out_dir = folder_ / "run";
        options_.images = {.folder = folder_ / "images", .sigmas = {25}};
        options_.with_cells = false;
        options_.threads = 1;
        options_.trials = 1;
        options_.cells = {"1000/10/3"};
    }
    void TearDown() override { fs::remove_all(folder_); }

    CalibrationSummary run() {
        CalibrationHooks hooks;
        hooks.learner = [](const CalibrationTask&, const StopCheck&) {
            return std::optional(made_up_calibration(96.0, 1.0, {1, {0, 0, 100, 100}}, {300, {50, 80, 90, 95}}));
        };
        hooks.denoiser = [this](const ImageCalibrationTask& task, const Image& clean, const StopCheck&) {
            EXPECT_EQ(clean.width(), 16U);
            denoised_.push_back(task);
            const auto digits = static_cast<double>(task.seed % 97) / 97.0;
            return std::optional(made_up_pixels(1.0 + digits, 4.0, 2.0 + digits, {256, {50 + digits, 80, 90, 95}}));
        };
        hooks.progress = [this](const CalibrationProgress& p) { progress_.emplace_back(p.done, p.planned); };
        hooks.image_progress = [this](const ImageCalibrationProgress& p) { progress_.emplace_back(p.done, p.planned); };
        return run_calibration(options_, hooks);
    }

    [[nodiscard]] fs::path file(const char* name) const { return options_.out_dir / name; }

    fs::path folder_;
    CalibrationOptions options_;
    std::vector<ImageCalibrationTask> denoised_;
    std::vector<std::pair<int, int>> progress_;
};

TEST_F(CalibrationImageRun, EveryNumberComesBackFromTheFile) {
    const CalibrationSummary summary = run();
    EXPECT_EQ(summary.trials_run, 4);
    EXPECT_EQ(summary.image_entries.size(), 4U);
    EXPECT_EQ(summary.images_csv, file("images.csv"));
    EXPECT_TRUE(summary.table_csv.empty());
    EXPECT_FALSE(fs::exists(file("trials.csv")));
    const std::string csv = read_text(file("images.csv")), markdown = read_text(file("calibration.md"));
    denoised_.clear();
    EXPECT_EQ(run().trials_reused, 4);
    EXPECT_TRUE(denoised_.empty());
    EXPECT_EQ(read_text(file("images.csv")), csv);
    EXPECT_EQ(read_text(file("calibration.md")), markdown);
}

TEST_F(CalibrationImageRun, ThePageHasBothPartsWhicheverRuns) {
    run();
    options_.with_cells = true;
    options_.with_images = false;
    const CalibrationSummary cells = run();
    EXPECT_EQ(cells.trials_run, 2);
    EXPECT_EQ(cells.image_entries.size(), 4U);
    const std::string text = read_text(file("calibration.md"));
    EXPECT_NE(text.find("## gibbs"), std::string::npos);
    EXPECT_NE(text.find("## Image pixels"), std::string::npos);
    options_.with_cells = false;
    options_.with_images = true;
    EXPECT_EQ(run().trials_reused, 4) << "of the part that runs";
    EXPECT_EQ(read_text(file("calibration.md")), text);
}

TEST_F(CalibrationImageRun, BothPartsCountTogether) {
    options_.with_cells = true;
    options_.rows = {"gibbs"};
    const CalibrationSummary summary = run();
    EXPECT_EQ(summary.trials_run, 3);
    EXPECT_EQ(progress_, (std::vector<std::pair<int, int>>{{1, 3}, {2, 3}, {3, 3}}));
    EXPECT_EQ(summary.trials_left, 0);
}

TEST_F(CalibrationImageRun, ImagesDoNotRunAfterTheCellsWereStopped) {
    options_.with_cells = true;
    options_.rows = {"gibbs"};
    CalibrationHooks hooks;
    hooks.learner = [](const CalibrationTask&, const StopCheck&) { return std::optional<CalibrationScore>(); };
    hooks.denoiser = [](const ImageCalibrationTask&, const Image&, const StopCheck&) {
        ADD_FAILURE() << "an image was denoised";
        return std::optional<ImageCalibrationScore>();
    };
    const CalibrationSummary summary = run_calibration(options_, hooks);
    EXPECT_EQ(summary.trials_left, 3);
    EXPECT_TRUE(summary.table_md.empty() && summary.images_csv.empty());
}

TEST_F(CalibrationImageRun, DamageOtherImagesAndOtherOptionsAreRejectedByLine) {
    run();
    const std::string whole = read_text(file("images.csv"));
    const auto fingerprint = calibration::image_fingerprint(denoised_.front());
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"\ngibbs,", "\nksvd,"},
                                   {",float32,", ",float64,"},
                                   {",25,", ",0,"},
                                   {",256,", ",-1,"},
                                   {",95,", ",101,"},
                                   {fingerprint, std::string(16, '0')}}) {
        std::string text = whole;
        text.replace(text.find(from), from.size(), to);
        write_text(file("images.csv"), text);
        EXPECT_NE(input_error([&] { run(); }).find("images.csv line 2"), std::string::npos) << from << to;
    }
    write_text(file("images.csv"), whole);
    options_.seed = 1;
    EXPECT_NE(input_error([&] { run(); }).find("another --seed"), std::string::npos);
    options_.seed = 0;
    write_image(folder_ / "images/one.png", make_image(16, 16, false, 2));
    EXPECT_NE(input_error([&] { run(); }).find("another image 'one'"), std::string::npos);
}

TEST_F(CalibrationImageRun, WrongOptionsLeaveNothingBehind) {
    options_.with_images = false;
    EXPECT_THROW(run(), InputError);
    options_.with_images = true;
    options_.images.sigmas = {0};
    EXPECT_THROW(run(), InputError);
    options_.images.sigmas = {25};
    fs::remove(folder_ / "images/one.png");
    EXPECT_NE(input_error([&] { run(); }).find("no image"), std::string::npos);
    EXPECT_FALSE(fs::exists(options_.out_dir));
}

}  // namespace
}  // namespace sbdl::test
