// The inpainting run: its plan, what it writes, resuming, and what it rejects; the masks and scores of a real trial.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "experiments/inpainting/bpfa_fill.hpp"
#include "experiments/inpainting/inpainting.hpp"
#include "inpaint/first_fill.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

class InpaintingRun : public testing::Test {
protected:
    void SetUp() override {
        options_.images = folder_ / "images";
        options_.out_dir = folder_ / "run";
        options_.observed = {0.5, 0.2};
        options_.threads = 1;
        std::filesystem::create_directory(options_.images);
        write_image(options_.images / "grey.pgm", make_image(24, 32, false, 1));
        write_image(options_.images / "colour.png", make_image(16, 24, true, 2));
    }

    /// With a made-up inpainter, whose scores depend on the task alone.
    InpaintingSummary run() {
        InpaintingHooks hooks;
        hooks.inpainter = [this](const InpaintingTask& task, const Image&, const InpaintingOptions&, const StopCheck&) {
            made_.push_back(task.name());
            const bool full = task.row == "inpaint";
            const double digits = static_cast<double>(task.seed % 997) / 997.0;
            constexpr double none = std::numeric_limits<double>::quiet_NaN();
            return std::optional(InpaintingScore{.psnr = 30.0 + digits,
                                                 .psnr_missing = 20.0 + task.cell.percent / 10.0 + digits,
                                                 .ssim = 0.5,
                                                 .within_1_std = full ? 0.7 : none,
                                                 .within_2_std = full ? 0.9 : none,
                                                 .seconds = 0.125});
        };
        return run_inpainting(options_, hooks);
    }
    [[nodiscard]] std::string text(const std::string& name) const { return read_bytes(options_.out_dir / name); }

    TempFolder folder_;
    InpaintingOptions options_;
    std::vector<std::string> made_;
};

TEST_F(InpaintingRun, MakesEveryRowOfEveryImageAndShare) {
    const InpaintingSummary summary = run();
    EXPECT_EQ(summary.trials_run, 8);
    EXPECT_EQ(made_.size(), 8U);
    ASSERT_EQ(summary.entries.size(), 8U);
    EXPECT_EQ(summary.entries[0].cell.percent, 20);
    EXPECT_EQ(summary.entries[0].row, "inpaint");
    EXPECT_EQ(summary.entries[0].cell.image, "colour");
    EXPECT_EQ(summary.entries[2].row, "smooth");
    const std::string page = text("inpainting.md");
    for (const char* part : {"## 20 % observed, inpaint", "## 50 % observed, smooth",
                             "| colour | 24 x 16, colour | 1 |", "| 70.0 | 90.0 |", "| - | - |", "(inpainting.svg)"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST_F(InpaintingRun, TheFigureHasALineForEachImageAndRow) {
    const InpaintingSummary summary = run();
    ASSERT_EQ(summary.figure_svg, options_.out_dir / "inpainting.svg");
    const std::string figure = text("inpainting.svg");
    EXPECT_TRUE(figure.starts_with("<svg")) << figure.substr(0, 40);
    for (const char* part :
         {"samples observed (%)", "PSNR over missing samples", "within 2 standard", ">colour<", ">grey, smooth<"})
        EXPECT_NE(figure.find(part), std::string::npos) << part;
}

TEST_F(InpaintingRun, ASecondRunMakesOnlyWhatIsMissing) {
    run();
    const std::string page = text("inpainting.md"), figure = text("inpainting.svg");
    made_.clear();
    EXPECT_EQ(run().trials_reused, 8);
    EXPECT_TRUE(made_.empty());
    EXPECT_EQ(text("inpainting.md"), page);
    EXPECT_EQ(text("inpainting.svg"), figure);
    options_.rows = {"smooth"};
    options_.trials = 2;
    EXPECT_EQ(run().trials_run, 4);
}

// "smooth" has no standard deviations. Files of earlier programs have 0 there.
TEST_F(InpaintingRun, WhatARowDoesNotHaveIsAnEmptyField) {
    run();
    const std::string page = text("inpainting.md"), figure = text("inpainting.svg");
    std::string trials = text("trials.csv");
    std::size_t fields = 0;
    for (std::size_t at = 0; (at = trials.find(",0.5,,,0.125,", at)) != std::string::npos; ++fields)
        trials.replace(at, 13, ",0.5,0,0,0.125,");
    EXPECT_EQ(fields, 4U) << trials;
    EXPECT_NE(trials.find(",0.5,0.7,0.9,0.125,"), std::string::npos);
    write_bytes(options_.out_dir / "trials.csv", trials);
    EXPECT_EQ(run().trials_reused, 8);
    EXPECT_EQ(text("inpainting.md"), page);
    EXPECT_EQ(text("inpainting.svg"), figure);
    trials.replace(trials.find(",0.5,0.7,"), 9, ",,0.7,");
    write_bytes(options_.out_dir / "trials.csv", trials);
    expect_error<InputError>([&] { run(); }, {"trials.csv line", "field 12 is '', not a number"});
}

TEST_F(InpaintingRun, RejectsWhatItCannotDo) {
    options_.observed = {0.205};
    expect_error<InputError>([&] { run(); }, {"observed is 0.205", "0.01 to 0.99"});
    options_.observed = {};
    expect_error<InputError>([&] { run(); }, {"observed has no value"});
    options_.observed = {0.5, 0.5, 0.1};
    EXPECT_EQ(inpainting::sorted_percents(options_.observed), (std::vector<int>{10, 50}));
    options_.rows = {"rough"};
    expect_error<InputError>([&] { run(); }, {"'rough'", "inpaint, smooth, bpfa"});
    options_.rows = {"smooth", "smooth"};
    expect_error<InputError>([&] { run(); }, {"smooth is named twice"});
}

TEST_F(InpaintingRun, ARealTrialScoresWhatItLeftOut) {
    const Image complete = make_image(32, 32, false, 1);
    InpaintingTask task{.row = "smooth", .cell = {}, .trial = 0, .seed = 5};
    task.cell.percent = 50;
    const auto smooth = inpaint_image_trial(task, complete, options_, {});
    task.row = "inpaint";
    const auto filled = inpaint_image_trial(task, complete, options_, {});
    ASSERT_TRUE(smooth && filled);
    EXPECT_GT(filled->psnr_missing, smooth->psnr_missing);
    EXPECT_TRUE(std::isnan(smooth->within_1_std));
    EXPECT_TRUE(std::isnan(smooth->within_2_std));
    EXPECT_GT(filled->within_2_std, 0.7);
    // Half of the samples are kept as they are, so the mean squared error over all is half of that over the others.
    EXPECT_NEAR(filled->psnr - filled->psnr_missing, 10.0 * std::log10(2.0), 0.4);
    EXPECT_FALSE(inpaint_image_trial(task, complete, options_, [] { return true; }));
    task.row = "bpfa";
    EXPECT_FALSE(inpaint_image_trial(task, complete, options_, [] { return true; }));
}

// Few atoms and sweeps, so that it is quick; a hole that no patch reaches across has the smooth surface.
TEST(BpfaFill, FillsFromOverlappingPatches) {
    const Image complete = make_image(40, 40, false, 1);
    Image incomplete = complete;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < incomplete.planes[0].size(); ++i)
        if ((i * i / 7 + i) % 3 == 0) incomplete.planes[0].data()[i] = nan;
    BpfaOptions options = inpainting::bpfa_options();
    options.atoms = 40;
    options.burn_in = 20;
    options.draws = 5;
    Image filled = complete, smooth = incomplete;
    filled.planes = inpainting::bpfa_fill(incomplete, options, {});
    fill_planes_smoothly(smooth.planes, observed_samples(incomplete));
    EXPECT_GT(psnr(complete, filled, 255.0), 20.0);
    for (std::size_t i = 0; i < filled.planes[0].size(); ++i)
        EXPECT_TRUE(std::isfinite(filled.planes[0].data()[i])) << i;

    for (std::size_t row = 12; row < 28; ++row)
        for (std::size_t col = 12; col < 28; ++col) incomplete.planes[0](row, col) = nan;
    smooth = incomplete;
    fill_planes_smoothly(smooth.planes, observed_samples(incomplete));
    filled.planes = inpainting::bpfa_fill(incomplete, options, {});
    EXPECT_EQ(filled.planes[0](19, 19), smooth.planes[0](19, 19));
    EXPECT_NE(filled.planes[0](13, 13), smooth.planes[0](13, 13));
}

// Only by name: it takes minutes.
TEST_F(InpaintingRun, BpfaIsRunOnlyByName) {
    EXPECT_EQ(run().trials_run, 8);
    options_.rows = {"bpfa"};
    EXPECT_EQ(run().trials_run, 4);
    EXPECT_NE(text("inpainting.md").find("## 20 % observed, bpfa"), std::string::npos);
}

}  // namespace
}  // namespace sbdl::test
