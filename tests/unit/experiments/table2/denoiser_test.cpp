// Trials of Table II with the real methods, on tiny images with few atoms.
#include <cmath>

#include "sbdl/quality.hpp"
#include "unit/experiments/table2/case.hpp"

namespace sbdl::test {
namespace {

class Table2Real : public Table2Case {
protected:
    void SetUp() override {
        Table2Case::SetUp();
        options_.trials = 1;
        options_.sigmas = {25};
        options_.cells = {"b_small/25/4"};
        options_.rows = table2_rows();
        options_.max_patches = 25;
        options_.atoms = 9;  // a square number, for dct
    }
};

TEST_F(Table2Real, EveryRowDenoisesTheSameImageOnAnyNumberOfCores) {
    const Table2Summary summary = run_table2(options_);
    ASSERT_EQ(summary.entries.size(), table2_rows().size());
    for (const Table2Entry& entry : summary.entries) {
        EXPECT_EQ(entry.psnr_noisy.mean, summary.entries.front().psnr_noisy.mean) << entry.row;
        EXPECT_GT(entry.psnr.mean, 10.0) << entry.row;
        EXPECT_GT(entry.noise_ratio.mean, 0.0) << entry.row;
        EXPECT_GT(entry.seconds, 0.0) << entry.row;
    }
    EXPECT_TRUE(std::filesystem::exists(summary.figure_images));
    EXPECT_TRUE(std::filesystem::exists(summary.figure_dictionaries));

    options_.threads = 3;
    options_.out_dir = folder_ / "again";
    const Table2Summary again = run_table2(options_);
    for (std::size_t i = 0; i < summary.entries.size(); ++i)
        EXPECT_EQ(again.entries[i].psnr.mean, summary.entries[i].psnr.mean) << summary.entries[i].row;
    EXPECT_EQ(read_bytes(again.figure_images), read_bytes(summary.figure_images));
    EXPECT_EQ(read_bytes(again.figure_dictionaries), read_bytes(summary.figure_dictionaries));
}

TEST_F(Table2Real, AStopTakesEffectInEveryStageAndLeavesNoTrial) {
    const Image truth = make_image(24, 24, false, 1);
    for (const std::string& row : table2_rows()) {
        const Table2Task task{row, {"b_small", 25, 4}, 0, 7};
        int questions = 0;
        ASSERT_TRUE(denoise_table2_trial(task, truth, options_, [&] { return ++questions < 0; })) << row;
        ASSERT_GT(questions, 2) << row;
        for (const int last : {1, questions / 2, questions}) {
            int asked = 0;
            EXPECT_FALSE(denoise_table2_trial(task, truth, options_, [&] { return ++asked == last; })) << row;
            EXPECT_EQ(asked, last) << row;
        }
    }
}

}  // namespace
}  // namespace sbdl::test
