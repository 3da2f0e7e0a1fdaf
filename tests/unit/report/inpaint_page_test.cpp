// The page about an inpainted image: its words, the colour of what is missing, how well the standard deviations match.
#include <gtest/gtest.h>

#include <limits>

#include "sbdl/error.hpp"
#include "sbdl/inpaint_report.hpp"
#include "support/expect_error.hpp"
#include "unit/report/report_case.hpp"

namespace sbdl::test {
namespace {

/// A grey image of which two samples are missing; one is filled in within its standard deviation.
struct InpaintedCase {
    Image before = textured_image(24, 32, 1, 0.0), truth = before;
    InpaintResult result;

    InpaintedCase() {
        before.planes[0](3, 4) = before.planes[0](5, 6) = std::numeric_limits<double>::quiet_NaN();
        result.image = truth;
        result.image.planes[0](3, 4) += 5.0;
        result.image.planes[0](5, 6) += 15.0;
        result.std.samples = Samples::f32;
        result.std.planes.emplace_back(24, 32, 10.0);
        result.missing = 2;
        result.noise_sd = 3.0;
        result.rounds = 4;
    }
};

std::string page_of(const InpaintedCase& run, bool with_truth = true) {
    return inpaint_report_html(
        {.before = &run.before, .result = &run.result, .truth = with_truth ? &run.truth : nullptr, .title = "A scan"});
}

TEST(InpaintReport, HasWordsOfItsOwn) {
    const std::string page = page_of({});
    for (const char* part :
         {"<h1>A scan</h1>", "The incomplete image, magenta where pixels are missing", "Before (missing: magenta)",
          "The completed image", "The true image", "How certain the result is", "each pixel of the completed image"})
        EXPECT_TRUE(has(page, part)) << part;
    for (const char* part : {"noisy", "denois", "What was removed"}) EXPECT_FALSE(has(words_of(page), part)) << part;
}

TEST(InpaintReport, SaysHowWellTheStandardDeviationsMatch) {
    InpaintedCase run;
    EXPECT_TRUE(has(page_of(run), "50.0 % and 100.0 %")) << page_of(run);
    EXPECT_FALSE(has(page_of(run, /*with_truth=*/false), "within 1 and 2 std"));
    run.result.std.planes.clear();
    EXPECT_FALSE(has(page_of(run), "within 1 and 2 std"));
    EXPECT_FALSE(has(page_of(run), "How certain the result is"));
}

TEST(InpaintReport, OnlyTheIncompleteImageMayHaveGaps) {
    InpaintedCase run;
    run.truth.planes[0](1, 2) = std::numeric_limits<double>::quiet_NaN();
    expect_error<InputError>([&] { page_of(run); }, {"'truth' is nan in row 1, column 2"});
    run = {};
    run.before.planes[0](1, 2) = std::numeric_limits<double>::infinity();
    expect_error<InputError>([&] { page_of(run); }, {"'before' is inf in row 1, column 2"});
}

}  // namespace
}  // namespace sbdl::test
