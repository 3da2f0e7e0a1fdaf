// The denoising run: which images take part, the plan, resuming, and what it rejects.
#include <cmath>
#include <limits>

#include "sbdl/image_stack.hpp"
#include "unit/experiments/denoising/case.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

using DenoisingRun = DenoisingCase;

std::vector<std::string> names_of(const std::vector<DenoisingTask>& tasks) {
    std::vector<std::string> names;
    for (const DenoisingTask& task : tasks) names.push_back(task.name());
    return names;
}

// --- the plan

TEST_F(DenoisingRun, GoesTrialByTrialSmallImagesFirst) {
    options_.sigmas = {25};
    options_.rows = {"gibbs", "auto"};
    EXPECT_EQ(run().trials_run, 8);
    EXPECT_EQ(names_of(made_),
              (std::vector<std::string>{"gibbs grey/25 trial 0", "auto grey/25 trial 0", "gibbs colour/25 trial 0",
                                        "auto colour/25 trial 0", "gibbs grey/25 trial 1", "auto grey/25 trial 1",
                                        "gibbs colour/25 trial 1", "auto colour/25 trial 1"}));
    EXPECT_EQ(made_[0].seed, noise_seed(0, "grey", 25, 0));
    EXPECT_EQ(made_[1].seed, made_[0].seed) << "all methods have the same noise";
}

TEST_F(DenoisingRun, WithoutMethodsTheDefaultOneRuns) {
    run();
    for (const DenoisingTask& task : made_) EXPECT_EQ(task.row, "auto");
}

TEST_F(DenoisingRun, ImagesOfAllFormatsTakePartAndOtherFilesAreNamed) {
    Image deep = make_image(16, 16, false, 3);
    deep.alpha = Matrix(16, 16, 255.0);
    put("deep.png", with_samples(deep, Samples::u16));
    put("floats.tif", make_noisy(make_image(16, 16, true, 4), 5.0, 1));
    put("array.npy", make_image(16, 16, false, 5));
    put("photo.jpg", make_image(16, 16, true, 6));
    const auto stack = write_pages(options_.images / "stack.tif", deep, 2);
    deep.alpha = {};
    stack->add(deep);
    stack->add(deep);
    stack->commit();
    write_bytes(options_.images / "SOURCES.md", "where they come from");
    write_bytes(options_.images / ".hidden", "");
    fs::create_directory(options_.images / "more");
    options_.sigmas = {25};
    options_.trials = 1;
    const DenoisingSummary summary = run();
    EXPECT_EQ(summary.ignored, (std::vector<std::string>{"SOURCES.md", "more/", "stack.tif"}));
    EXPECT_EQ(summary.entries.size(), 6U);
}

TEST_F(DenoisingRun, AnotherImageChangesNoOtherRow) {
    run();
    const std::string before = read_bytes(file("trials.csv"));
    put("another.png", make_image(12, 12, false, 9));
    made_.clear();
    const DenoisingSummary summary = run();
    EXPECT_EQ(summary.trials_run, 4);
    for (const DenoisingTask& task : made_) EXPECT_EQ(task.cell.image, "another");
    EXPECT_TRUE(read_bytes(file("trials.csv")).starts_with(before));

    options_.out_dir = folder_ / "fresh";
    const DenoisingSummary fresh = run();
    ASSERT_EQ(fresh.entries.size(), summary.entries.size());
    for (std::size_t i = 0; i < fresh.entries.size(); ++i)
        EXPECT_EQ(fresh.entries[i].mean.psnr, summary.entries[i].mean.psnr);
}

// --- resuming

TEST_F(DenoisingRun, ASecondRunMakesOnlyWhatIsMissing) {
    run();
    const std::string csv = read_bytes(file("trials.csv")), page = read_bytes(file("denoising.md"));
    made_.clear();
    EXPECT_EQ(run().trials_reused, 8);
    EXPECT_TRUE(made_.empty());
    EXPECT_EQ(read_bytes(file("trials.csv")), csv);
    EXPECT_EQ(read_bytes(file("denoising.md")), page) << "all digits come back";

    options_.rows = {"vb"};
    options_.sigmas = {25};
    fs::remove(options_.images / "grey.pgm");
    const DenoisingSummary more = run();
    EXPECT_EQ(more.trials_run, 2);
    EXPECT_EQ(more.entries.size(), 4U + 1U) << "what was made before is still there";
}

TEST_F(DenoisingRun, AStoppedRunResumes) {
    DenoisingHooks hooks;
    int finished = 0;
    hooks.denoiser = [](const DenoisingTask& task, const Image&, const DenoisingOptions&, const StopCheck&) {
        return std::optional(made_up(task));
    };
    hooks.progress = [&](const DenoisingProgress& progress) {
        finished = progress.done;
        EXPECT_EQ(progress.planned, 8);
    };
    hooks.stop = [&] { return finished >= 3; };
    const DenoisingSummary summary = run_denoising(options_, hooks);
    EXPECT_EQ(summary.trials_run, 3);
    EXPECT_EQ(summary.trials_left, 5);
    EXPECT_EQ(run().trials_run, 5);
}

TEST_F(DenoisingRun, TrialsOfOtherSeedsOptionsAndImagesAreRejected) {
    run();
    const std::string whole = read_bytes(file("trials.csv"));
    options_.seed = 1;
    EXPECT_TRUE(has(input_error(), "line 2: the trial was made with another --seed")) << input_error();
    options_.seed = 0;
    options_.denoise.patch = 6;
    EXPECT_TRUE(has(input_error(), "line 2: the trial was made with other options")) << input_error();
    options_.denoise.patch = 8;
    put("grey.pgm", make_image(24, 32, false, 3));
    EXPECT_TRUE(has(input_error(), "line 2: the trial was made with another image 'grey'")) << input_error();
    EXPECT_EQ(read_bytes(file("trials.csv")), whole);
    std::string damaged = whole;
    damaged.replace(damaged.find(",auto,"), 6, ",omp,");
    write_bytes(file("trials.csv"), damaged);
    EXPECT_TRUE(has(input_error(), "line 2: method is 'omp'")) << input_error();
}

TEST_F(DenoisingRun, AnImageThatChangesDuringTheRunIsNotMixedIn) {
    DenoisingHooks hooks;
    hooks.denoiser = [this](const DenoisingTask& task, const Image&, const DenoisingOptions&, const StopCheck&) {
        put("grey.pgm", make_image(24, 32, false, 3));
        return std::optional(made_up(task));
    };
    EXPECT_THROW(run_denoising(options_, hooks), FileError);
}

// --- rejected

TEST_F(DenoisingRun, WrongInputLeavesNothingBehind) {
    const auto rejected = [&](const auto& change, std::string_view why) {
        const DenoisingOptions before = options_;
        change();
        EXPECT_TRUE(has(input_error(), why)) << input_error();
        options_ = before;
    };
    rejected([&] { options_.trials = 0; }, "trials is 0");
    rejected([&] { options_.sigmas = {25, 0}; }, "sigma is 0");
    rejected([&] { options_.sigmas = {-5}; }, "sigma is -5");
    rejected([&] { options_.sigmas = {}; }, "sigma");
    rejected([&] { options_.rows = {"omp"}; }, "method is 'omp'");
    rejected([&] { options_.rows = {"vb", "vb"}; }, "vb is named twice");
    rejected([&] { options_.denoise.sigma = 25.0; }, "inferred");
    rejected([&] { options_.denoise.lambda = 1.0; }, "lambda does not apply");
    rejected([&] { options_.denoise.patch = 20; }, "colour.png: the image has 24 x 16 pixels");
    rejected([&] { options_.images = folder_ / "nowhere"; }, "nowhere");
    fs::create_directory(folder_ / "empty");
    rejected([&] { options_.images = folder_ / "empty"; }, "no image");
    put("small.png", make_image(8, 24, false, 1));
    rejected([] {}, "small.png");
    EXPECT_FALSE(fs::exists(options_.out_dir));
}

TEST_F(DenoisingRun, ResultsThatAreNotFiniteAreNotWritten) {
    DenoisingHooks hooks;
    hooks.denoiser = [](const DenoisingTask& task, const Image&, const DenoisingOptions&, const StopCheck&) {
        DenoisingScore score = made_up(task);
        score.psnr = std::numeric_limits<double>::infinity();
        return std::optional(score);
    };
    EXPECT_THROW(run_denoising(options_, hooks), NumericError);
    EXPECT_EQ(run().trials_reused, 0);
}

// --- the fingerprint

TEST(DenoisingFingerprint, DependsOnMethodSizeColoursAndOptionsNotOnTheTrial) {
    const DenoisingTask task{"auto", {"one", 256, 256, 1, "0", 25}, 0, 1};
    const DenoisingOptions options;
    const std::string print = denoising::fingerprint(task, options);
    DenoisingTask other = task;
    other.trial = 3;
    other.seed = 7;
    other.cell.sigma = 50;
    EXPECT_EQ(denoising::fingerprint(other, options), print) << "sigma is inferred";
    other = task;
    other.row = "gibbs";
    EXPECT_NE(denoising::fingerprint(other, options), print);
    other = task;
    other.cell.width = 64;
    EXPECT_NE(denoising::fingerprint(other, options), print);
    other = task;
    other.cell.planes = 3;
    EXPECT_NE(denoising::fingerprint(other, options), print);
    DenoisingOptions changed;
    changed.threads = 7;
    EXPECT_EQ(denoising::fingerprint(task, changed), print);
    changed.denoise.atoms = 64;
    EXPECT_NE(denoising::fingerprint(task, changed), print);
}

}  // namespace
}  // namespace sbdl::test
