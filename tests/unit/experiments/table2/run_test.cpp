// The Table II run: its plan, its noise, resuming, and what it rejects.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "sbdl/quality.hpp"
#include "unit/experiments/table2/case.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

using Table2Run = Table2Case;

// --- the plan

TEST_F(Table2Run, GoesTrialByTrialSmallImagesFirst) {
    const Table2Summary summary = run();
    EXPECT_EQ(summary.trials_run, 2 * 2 * 2 * 2 * 2);
    ASSERT_EQ(made_.size(), 32U);
    for (std::size_t i = 0; i < made_.size(); ++i) {
        EXPECT_EQ(made_[i].trial, static_cast<int>(i / 16));
        EXPECT_EQ(made_[i].cell.image, i / 8 % 2 == 0 ? "b_small" : "a_large");
        EXPECT_EQ(made_[i].cell.sigma, i / 4 % 2 == 0 ? 25 : 50);
        EXPECT_EQ(made_[i].cell.stride, i / 2 % 2 == 0 ? 2 : 4);
        EXPECT_EQ(made_[i].row, i % 2 == 0 ? "gibbs" : "vb-paper");
        EXPECT_EQ(made_[i].seed, made_[i - i % 4].seed) << "rows and strides have the same noise";
    }
    EXPECT_EQ(summary.entries.size(), 16U);
}

TEST_F(Table2Run, SelectorsPickCells) {
    const auto cells = [&](std::vector<std::string> selectors) {
        options_.cells = std::move(selectors);
        made_.clear();
        fs::remove_all(options_.out_dir);
        run();
        std::set<std::string> found;
        for (const Table2Task& task : made_) found.insert(to_string(task.cell));
        return found;
    };
    using Names = std::set<std::string>;
    EXPECT_EQ(cells({"b_small/25/2"}), (Names{"b_small/25/2"}));
    EXPECT_EQ(cells({"*/50/4"}), (Names{"a_large/50/4", "b_small/50/4"}));
    EXPECT_EQ(cells({"sigma=50,r=4", "a_large/50/*"}), (Names{"a_large/50/2", "a_large/50/4", "b_small/50/4"}));
    for (const char* wrong : {"", "boat/25/2", "b_small/15/2", "b_small/25/3", "b_small/25", "sigma", "K=3"}) {
        options_.cells = {wrong};
        EXPECT_TRUE(has(input_error(), fmt::format("'{}'", wrong))) << wrong << " -> " << input_error();
    }
}

// --- the noise

TEST(Table2Noise, SeedsDifferByImageSigmaTrialAndSeed) {
    std::set<std::uint64_t> seeds;
    for (const std::uint64_t seed : {0U, 1U})
        for (const char* image : {"boat", "boat256", "couple"})
            for (const int sigma : {15, 25, 50})
                for (int trial = 0; trial < 5; ++trial)
                    seeds.insert(table2::trial_seed(seed, {image, sigma, 2}, trial));
    EXPECT_EQ(seeds.size(), 2U * 3U * 3U * 5U);
    EXPECT_EQ(table2::trial_seed(0, {"boat", 15, 2}, 0), table2::trial_seed(0, {"boat", 15, 4}, 0));
}

TEST(Table2Noise, IsReproducibleGaussianAndNeitherClippedNorRounded) {
    const Image truth = make_image(64, 64, false, 3);
    const Table2Task task{"gibbs", {"boat", 50, 2}, 1, table2::trial_seed(0, {"boat", 50, 2}, 1)};
    const Image noisy = table2_noisy(truth, task);
    Table2Task other = task;
    other.row = "online";
    EXPECT_EQ(psnr(noisy, table2_noisy(truth, other), 255.0), std::numeric_limits<double>::infinity());
    double sum = 0.0, squares = 0.0;
    int outside = 0, between = 0;
    const std::size_t count = truth.planes[0].size();
    for (std::size_t i = 0; i < count; ++i) {
        const double value = noisy.planes[0].data()[i], noise = value - truth.planes[0].data()[i];
        sum += noise;
        squares += noise * noise;
        outside += value < 0.0 || value > 255.0 ? 1 : 0;
        between += value != std::round(value) ? 1 : 0;
    }
    // 4096 numbers: mean and standard deviation within four standard errors (false alarm for a new seed: 1 in 8000).
    EXPECT_NEAR(sum / double(count), 0.0, 4.0 * 50.0 / 64.0);
    EXPECT_NEAR(std::sqrt(squares / double(count)), 50.0, 4.0 * 50.0 / std::sqrt(2.0 * 4096.0));
    EXPECT_GT(outside, 0);
    EXPECT_EQ(between, static_cast<int>(count));
}

// Trials of earlier versions have these.
TEST(CleanImages, FingerprintsOf8BitsAreThoseOfEarlierTrials) {
    Image image;
    image.planes.emplace_back(1, 3, 65.0);
    EXPECT_EQ(pixels_of(image), as_fingerprint(fnv1a("1 x 3 AAA")));
    Image other = image;
    other.samples = Samples::u16;
    EXPECT_NE(pixels_of(other), pixels_of(image));
    other.planes[0](0, 2) += 256.0;
    EXPECT_NE(pixels_of(other), pixels_of(with_samples(image, Samples::u16)));
    other = image;
    other.planes.assign(3, image.planes.front());
    EXPECT_NE(pixels_of(other), pixels_of(image));
}

// --- resuming

TEST_F(Table2Run, ASecondRunMakesOnlyWhatIsMissing) {
    run();
    const std::string csv = read_bytes(file("table2.csv"));
    made_.clear();
    EXPECT_EQ(run().trials_reused, 32);
    EXPECT_TRUE(made_.empty());
    EXPECT_EQ(read_bytes(file("table2.csv")), csv);

    options_.trials = 3;
    options_.sigmas = {25, 15};
    options_.rows = {"online"};
    options_.cells = {"*/*/4"};
    const Table2Summary summary = run();
    EXPECT_EQ(summary.trials_run, 12);
    EXPECT_EQ(summary.entries.size(), 16U + 4U);  // what was made before is still there

    fs::remove(options_.images / "a_large.pgm");  // trials of images that are gone count as well
    options_.cells.clear();
    EXPECT_EQ(run().entries.size(), 20U + 2U);
}

TEST_F(Table2Run, AStoppedRunResumes) {
    Table2Hooks hooks;
    int finished = 0;
    hooks.denoiser = [](const Table2Task& task, const Image& truth, const Table2Options&, const StopCheck&) {
        return std::optional(made_up(task, truth));
    };
    hooks.progress = [&](const Table2Progress& progress) {
        finished = progress.done;
        EXPECT_EQ(progress.planned, 32);
    };
    hooks.stop = [&] { return finished >= 20; };
    const Table2Summary summary = run_table2(options_, hooks);
    EXPECT_EQ(summary.trials_run, 20);
    EXPECT_EQ(summary.trials_left, 12);
    EXPECT_EQ(summary.entries.size(), 16U);
    EXPECT_EQ(run().trials_run, 12);
    EXPECT_EQ(made_.size(), 12U);
}

TEST_F(Table2Run, ATrialThatWasCutShortIsNotCounted) {
    Table2Hooks hooks;
    hooks.denoiser = [](const Table2Task& task, const Image& truth, const Table2Options&, const StopCheck&) {
        return task.cell.stride == 4 ? std::nullopt : std::optional(made_up(task, truth));
    };
    const Table2Summary summary = run_table2(options_, hooks);
    EXPECT_EQ(summary.trials_run, 2);
    EXPECT_EQ(count_of(read_bytes(file("trials.csv")), "\n"), 3U);
}

TEST_F(Table2Run, AHalfWrittenLastLineIsDropped) {
    run();
    const std::string whole = read_bytes(file("trials.csv"));
    write_bytes(file("trials.csv"), whole.substr(0, whole.size() - 30));
    EXPECT_EQ(run().trials_run, 1);
    EXPECT_EQ(read_bytes(file("trials.csv")), whole);
}

TEST_F(Table2Run, TwoRunsDoNotShareAFolder) {
    Table2Hooks hooks;
    hooks.denoiser = [this](const Table2Task& task, const Image& truth, const Table2Options&, const StopCheck&) {
        EXPECT_THROW(run(), FileError);
        return std::optional(made_up(task, truth));
    };
    options_.trials = 1;
    options_.cells = {"b_small/25/2"};
    run_table2(options_, hooks);
    EXPECT_TRUE(made_.empty());
}

// --- rejected

TEST_F(Table2Run, DamagedTrialsAreRejectedByLineAndLeftAlone) {
    run();
    const std::string whole = read_bytes(file("trials.csv"));
    const std::size_t second = whole.find('\n') + 1;
    const std::size_t third = whole.find('\n', second) + 1;
    const std::string line = whole.substr(second, third - second);
    const auto with = [&](std::string_view from, const std::string& to) {
        std::string changed = line;
        const std::size_t at = changed.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return changed.replace(at, from.size(), to);
    };
    for (const std::string& bad : {std::string("\n"), std::string("b_small,24\n"), with(",24,24,", ",0,24,"),
                                   with(",25,2,", ",0,2,"), with(",25,2,", ",25,3,"), with(",gibbs,", ",omp,"),
                                   with(",0.125,", ",nan,"), with(",0.125,", ",,"), with("\n", "0\n"), line + line}) {
        const std::string text = whole.substr(0, second) + bad + whole.substr(third);
        write_bytes(file("trials.csv"), text);
        const std::string said = input_error();
        EXPECT_TRUE(has(said, file("trials.csv").string() + " line " + (bad == line + line ? "3" : "2")))
            << bad << " -> " << said;
        EXPECT_EQ(read_bytes(file("trials.csv")), text);
    }
    write_bytes(file("trials.csv"), "some,other,file\n");
    EXPECT_TRUE(has(input_error(), "line 1"));
}

TEST_F(Table2Run, TrialsOfOtherSeedsOptionsAndImagesAreRejected) {
    run();
    options_.seed = 1;
    EXPECT_TRUE(has(input_error(), "line 2: the trial was made with another --seed")) << input_error();
    options_.seed = 0;
    options_.atoms = 9;
    EXPECT_TRUE(has(input_error(), "line 2: the trial was made with other options")) << input_error();
    options_.atoms = 8;
    put("b_small.png", make_image(24, 24, false, 9));
    EXPECT_TRUE(has(input_error(), "line 2: the trial was made with another image 'b_small'")) << input_error();
}

TEST_F(Table2Run, ImagesThatCannotTakePartAreNamed) {
    const auto rejected = [&](const std::string& name, const Image& image, std::string_view why) {
        put(name, image);
        const std::string said = input_error();
        EXPECT_TRUE(has(said, name) && has(said, why)) << said;
        fs::remove(options_.images / name);
    };
    rejected("c.png", make_image(24, 24, true, 1), "colour");
    rejected("c.tif", make_noisy(make_image(24, 24, false, 1), 5, 1), "float32");
    rejected("c.png", make_image(8, 24, false, 1), "24 x 8");
    rejected("b_small.tif", make_image(24, 24, false, 1), "same name");
    rejected("a,b.png", make_image(24, 24, false, 1), "name");
    Image image = make_image(24, 24, false, 1);
    image.samples = Samples::u16;
    rejected("c.png", image, "uint16");
    image.samples = Samples::u8;
    image.alpha = Matrix(24, 24, 255.0);
    rejected("c.png", image, "alpha");
    write_bytes(options_.images / "c.png", "damaged");
    EXPECT_TRUE(has(input_error(), "c.png")) << input_error();
    EXPECT_FALSE(fs::exists(options_.out_dir));
}

TEST_F(Table2Run, FoldersWithoutImagesAreNamed) {
    options_.images = folder_ / "nowhere";
    EXPECT_TRUE(has(input_error(), "nowhere")) << input_error();
    fs::create_directory(folder_ / "empty");
    options_.images = folder_ / "empty";
    EXPECT_TRUE(has(input_error(), "no image")) << input_error();
    EXPECT_FALSE(fs::exists(options_.out_dir));
}

TEST_F(Table2Run, WrongOptionsLeaveNothingBehind) {
    const auto rejected = [&](const auto& change, std::string_view why) {
        const Table2Options before = options_;
        change();
        EXPECT_TRUE(has(input_error(), why)) << input_error();
        options_ = before;
    };
    rejected([&] { options_.trials = 0; }, "trials is 0");
    rejected([&] { options_.atoms = 0; }, "atoms is 0");
    rejected([&] { options_.sigmas = {25, 0}; }, "sigma is 0");
    rejected([&] { options_.sigmas = {}; }, "sigma");
    rejected([&] { options_.rows = {"omp"}; }, "'omp'");
    rejected([&] { options_.threads = -1; }, "threads");
    rejected([&] { options_.program = "a,b"; }, "a,b");
    rejected([&] { options_.figures = "b_small/25/2"; }, "gibbs-paper");
    rejected([&] { options_.rows = {}, options_.figures = "*/25/2"; }, "2 of the cells");
    rejected([&] { options_.out_dir = options_.images; }, "both");
    EXPECT_FALSE(fs::exists(options_.out_dir));
}

TEST_F(Table2Run, AFailingTrialIsNamedAndTheRestIsKept) {
    Table2Hooks hooks;
    hooks.denoiser = [](const Table2Task& task, const Image& truth, const Table2Options&, const StopCheck&) {
        if (task.cell.sigma == 50) throw NumericError("pivot 3 is negative");
        return std::optional(made_up(task, truth));
    };
    try {
        run_table2(options_, hooks);
        FAIL() << "the failure was swallowed";
    } catch (const NumericError& error) {
        EXPECT_TRUE(has(error.what(), "gibbs b_small/50/2 trial 0")) << error.what();
        EXPECT_TRUE(has(error.what(), "pivot 3 is negative"));
    }
    EXPECT_EQ(run().trials_reused, 4);
}

TEST_F(Table2Run, ResultsThatAreNotFiniteAreNotWritten) {
    Table2Hooks hooks;
    hooks.denoiser = [](const Table2Task& task, const Image& truth, const Table2Options&, const StopCheck&) {
        Table2Trial trial = made_up(task, truth);
        trial.score.psnr = std::numeric_limits<double>::infinity();
        return std::optional(trial);
    };
    EXPECT_THROW(run_table2(options_, hooks), NumericError);
    EXPECT_EQ(count_of(read_bytes(file("trials.csv")), "\n"), 1U);
}

}  // namespace
}  // namespace sbdl::test
