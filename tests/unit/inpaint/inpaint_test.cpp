// inpaint() as a whole, on made images small enough for seconds under the sanitizers.
#include "sbdl/inpaint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "inpaint/gap_errors.hpp"
#include "random/stream.hpp"
#include "sbdl/error.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "support/expect_error.hpp"

namespace sbdl {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// Stripes of two directions, whose planes differ.
Image stripes(std::size_t rows, std::size_t cols, std::size_t planes) {
    Image image;
    for (std::size_t p = 0; p < planes; ++p) {
        Matrix& plane = image.planes.emplace_back(rows, cols);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < cols; ++j) {
                const double y = static_cast<double>(i), x = static_cast<double>(j);
                const double wave = j < cols / 2 ? std::sin(0.9 * (y + 0.5 * x)) : std::sin(0.8 * (x - 0.3 * y));
                plane(i, j) = std::round(120.0 + (60.0 - 20.0 * static_cast<double>(p)) * wave);
            }
    }
    return image;
}

Image with_gaps(Image image, double share, std::uint64_t seed = 1) {
    DrawStream draw(seed, {.purpose = Purpose::test});
    for (Matrix& plane : image.planes)
        for (std::size_t k = 0; k < plane.size(); ++k)
            if (draw.uniform() < share) plane.data()[k] = gap;
    return image;
}

/// Of one direction.
Image waves(std::size_t side) {
    Image image;
    Matrix& plane = image.planes.emplace_back(side, side);
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j)
            plane(i, j) =
                std::round(120.0 + 60.0 * std::sin(0.9 * (static_cast<double>(i) + 0.5 * static_cast<double>(j))));
    return image;
}

InpaintOptions quick() {
    InpaintOptions options;
    options.rounds = 2;
    options.group = 30;
    options.radius = 10;
    return options;
}

double root_mean_square_error(const Image& a, const Image& b) {
    return 255.0 / std::pow(10.0, psnr(a, b, 255.0) / 20.0);
}

double root_mean_square_error_in_gaps(const Image& truth, const Image& incomplete, const Image& full) {
    double squares = 0.0, count = 0.0;
    for (std::size_t k = 0; k < full.planes[0].size(); ++k) {
        if (!std::isnan(incomplete.planes[0].data()[k])) continue;
        squares += std::pow(full.planes[0].data()[k] - truth.planes[0].data()[k], 2);
        count += 1.0;
    }
    return std::sqrt(squares / count);
}

TEST(Inpaint, FillsTextureThatASmoothSurfaceCannot) {
    const Image truth = stripes(48, 56, 1), incomplete = with_gaps(truth, 0.6);
    EXPECT_LT(root_mean_square_error(truth, inpaint(incomplete, quick()).image), 8.0);  // the waves' is 42
}

TEST(Inpaint, ChannelsHelpEachOther) {
    const Image truth = stripes(40, 40, 3), incomplete = with_gaps(truth, 0.7);
    const Image joint = inpaint(incomplete, quick()).image;
    double alone = 0.0;
    for (std::size_t p = 0; p < 3; ++p) {
        Image one = incomplete, of_truth = truth;
        one.planes = {incomplete.planes[p]};
        of_truth.planes = {truth.planes[p]};
        alone += std::pow(root_mean_square_error(of_truth, inpaint(one, quick()).image), 2) / 3.0;
    }
    EXPECT_LT(root_mean_square_error(truth, joint), 0.8 * std::sqrt(alone));
}

InpaintOptions quick_with_std() {
    InpaintOptions options = quick();
    options.rounds = 4;
    options.std = true;
    return options;
}

// Errors of neighbouring pixels are alike, so that the shares vary by some percent from mask to mask: the bounds are
// wide enough for a mask to be wrong once in thousands.
TEST(Inpaint, StandardDeviationsMatchTheErrorsOfMissingPixels) {
    const Image truth = make_image(64, 64, false, 5), incomplete = with_gaps(truth, 0.6);
    const InpaintResult result = inpaint(incomplete, quick_with_std());
    const GapErrors within = gap_errors(truth, incomplete, result.image, result.std);
    EXPECT_GT(within.within_1, 0.55);
    EXPECT_LT(within.within_1, 0.85);
    EXPECT_GT(within.within_2, 0.82);
    EXPECT_LT(within.within_2, 0.995);
}

TEST(Inpaint, StandardDeviationsHoldWithNoise) {
    const Image truth = make_image(80, 80, false, 5);
    Image noisy = truth;
    noisy.samples = Samples::f64;
    DrawStream draw(11, {.purpose = Purpose::test});
    for (std::size_t k = 0; k < noisy.planes[0].size(); ++k) noisy.planes[0].data()[k] += 20.0 * draw.normal();
    const Image incomplete = with_gaps(noisy, 0.5);
    InpaintOptions options = quick_with_std();
    const InpaintResult clean = inpaint(incomplete, options);
    const GapErrors without_noise = gap_errors(truth, incomplete, clean.image, clean.std);
    EXPECT_GT(without_noise.within_1, 0.5);
    EXPECT_LT(without_noise.within_1, 0.88);
    EXPECT_GT(without_noise.within_2, 0.8);
    EXPECT_LT(without_noise.within_2, 0.995);
    options.keep_observed = true;  // missing pixels are compared as they would have been observed
    const InpaintResult kept = inpaint(incomplete, options);
    const GapErrors observed = gap_errors(noisy, incomplete, kept.image, kept.std);
    EXPECT_NEAR(observed.within_1, 0.68, 0.08);
    EXPECT_NEAR(observed.within_2, 0.95, 0.04);
}

// Were they calibrated on single pixels, half as many of the errors would be within one standard deviation.
TEST(Inpaint, StandardDeviationsHoldInsideHoles) {
    const Image truth = make_image(128, 128, false, 6);
    Image incomplete = truth;
    incomplete.samples = Samples::f64;
    for (const auto& [top, left] : {std::pair(10, 12), std::pair(20, 90), std::pair(80, 30), std::pair(85, 100)})
        for (int row = top; row < top + 14; ++row)
            for (int col = left; col < left + 14; ++col)
                incomplete.planes[0](static_cast<std::size_t>(row), static_cast<std::size_t>(col)) = gap;
    const InpaintResult result = inpaint(incomplete, quick_with_std());
    EXPECT_TRUE(result.warnings.empty());
    const GapErrors within = gap_errors(truth, incomplete, result.image, result.std);
    EXPECT_GT(within.within_1, 0.45);
    EXPECT_LT(within.within_1, 0.92);
    EXPECT_GT(within.within_2, 0.75);
}

TEST(Inpaint, ThreadsChangeNothing) {
    const Image incomplete = with_gaps(stripes(40, 44, 1), 0.5);
    InpaintOptions options = quick();
    options.std = true;
    Context one, three;
    one.execution.threads = 1;
    three.execution.threads = 3;
    const InpaintResult a = inpaint(incomplete, options, one), b = inpaint(incomplete, options, three);
    for (std::size_t k = 0; k < a.image.planes[0].size(); ++k) {
        ASSERT_EQ(a.image.planes[0].data()[k], b.image.planes[0].data()[k]);
        ASSERT_EQ(a.std.planes[0].data()[k], b.std.planes[0].data()[k]);
    }
}

TEST(Inpaint, KeepsWhatWasObserved) {
    const Image incomplete = with_gaps(stripes(40, 40, 1), 0.5);
    InpaintOptions options = quick();
    options.keep_observed = true;
    const Image full = inpaint(incomplete, options).image;
    for (std::size_t k = 0; k < full.planes[0].size(); ++k) {
        const double sample = incomplete.planes[0].data()[k];
        EXPECT_TRUE(std::isnan(sample) || full.planes[0].data()[k] == sample);
        EXPECT_TRUE(std::isfinite(full.planes[0].data()[k]));
    }
}

// Linear interpolation has errors of 57 in the scratch and 22 in the letters (root mean square; the waves': 42).
TEST(Inpaint, AWideScratchIsFilled) {
    const Image truth = waves(48);
    Image incomplete = truth;
    for (std::size_t i = 0; i < 48; ++i)
        for (std::size_t j = 19; j < 29; ++j) incomplete.planes[0](i, j) = gap;
    InpaintOptions options;
    options.std = true;
    const InpaintResult result = inpaint(incomplete, options);
    EXPECT_LT(root_mean_square_error_in_gaps(truth, incomplete, result.image), 15.0);
    EXPECT_GT(result.std.planes[0](24, 24), 2.0 * result.std.planes[0](24, 5));  // and known to be uncertain
}

TEST(Inpaint, LettersAreRemoved) {
    const Image truth = waves(48);
    Image incomplete = truth;
    for (std::size_t i = 10; i < 40; ++i)
        for (std::size_t j = 8; j < 37; ++j) {
            const bool stem = j < 11 || (j >= 24 && j < 27) || j >= 34;  // of an H and an I
            const bool bar = i >= 24 && i < 27 && j < 27;
            if (stem || bar) incomplete.planes[0](i, j) = gap;
        }
    EXPECT_LT(root_mean_square_error_in_gaps(truth, incomplete, inpaint(incomplete, quick()).image), 4.0);
}

TEST(Inpaint, UnitsDoNotMatter) {
    Image incomplete = with_gaps(stripes(40, 40, 1), 0.5);
    incomplete.samples = Samples::f64;
    Image scaled = incomplete;
    for (std::size_t k = 0; k < scaled.planes[0].size(); ++k) scaled.planes[0].data()[k] *= 1e-20;
    const Image full = inpaint(incomplete, quick()).image, small = inpaint(scaled, quick()).image;
    for (std::size_t k = 0; k < full.planes[0].size(); ++k)
        ASSERT_NEAR(full.planes[0].data()[k], small.planes[0].data()[k] * 1e20, 1e-4);
}

TEST(Inpaint, AConstantImageStaysConstant) {
    Image incomplete;
    incomplete.planes.emplace_back(24, 24, 9.0);
    const Image full = inpaint(with_gaps(incomplete, 0.5), quick()).image;
    for (std::size_t k = 0; k < full.planes[0].size(); ++k) EXPECT_NEAR(full.planes[0].data()[k], 9.0, 1e-6);
}

// Also one without a range, as float samples have none of their own.
TEST(Inpaint, AConstantImageOfFloatsStaysConstant) {
    for (const double value : {7.0, 0.0, -3e-5}) {
        Image incomplete;
        incomplete.planes.emplace_back(24, 24, value);
        incomplete.samples = Samples::f32;
        const Image full = inpaint(with_gaps(incomplete, 0.5), quick()).image;
        for (std::size_t k = 0; k < full.planes[0].size(); ++k)
            ASSERT_NEAR(full.planes[0].data()[k], value, 1e-5 * std::abs(value) + 1e-9);
    }
    Image one;
    one.planes.emplace_back(24, 24, gap);
    one.samples = Samples::f64;
    one.planes[0](11, 7) = 5.0;
    const Image full = inpaint(one, quick()).image;
    for (std::size_t k = 0; k < full.planes[0].size(); ++k) ASSERT_NEAR(full.planes[0].data()[k], 5.0, 1e-4);
}

// The errors there are larger than the standard deviations say.
TEST(Inpaint, WarnsOfWideHolesWhereStandardDeviationsAreAsked) {
    InpaintOptions options = quick();
    options.std = true;
    Image hole = stripes(48, 48, 1);
    for (std::size_t row = 16; row < 32; ++row)
        for (std::size_t col = 16; col < 32; ++col) hole.planes[0](row, col) = gap;
    const InpaintResult of_hole = inpaint(hole, options);
    ASSERT_EQ(of_hole.warnings.size(), 1U);
    EXPECT_NE(of_hole.warnings[0].find("39 % of the missing pixels are more than 3 pixels from any observed one"),
              std::string::npos)
        << of_hole.warnings[0];
    EXPECT_TRUE(inpaint(with_gaps(stripes(48, 48, 1), 0.8), options).warnings.empty()) << "scattered";
    options.std = false;
    EXPECT_TRUE(inpaint(hole, options).warnings.empty());
}

TEST(Inpaint, NothingMissingIsLeft) {
    const Image complete = stripes(24, 24, 1);
    const InpaintResult result = inpaint(complete);
    EXPECT_TRUE(result.unchanged);
    EXPECT_EQ(psnr(complete, result.image, 255.0), std::numeric_limits<double>::infinity());
}

TEST(Inpaint, StopsWhenAsked) {
    Context context;
    int asked = 0;
    context.execution.stop = [&] { return ++asked > 3; };
    EXPECT_THROW(inpaint(with_gaps(stripes(40, 40, 1), 0.5), quick(), context), Stopped);
}

TEST(Inpaint, TheProgressNeverFalls) {
    double last = 0.0;
    inpaint(with_gaps(stripes(32, 32, 1), 0.5), quick(), {}, [&](const DenoiseProgress& now) {
        EXPECT_GE(now.share, last);
        last = now.share;
    });
    EXPECT_EQ(last, 1.0);
}

TEST(Inpaint, BadInputIsRefused) {
    using test::expect_error;
    const Image good = with_gaps(stripes(32, 32, 1), 0.5);
    Image bad = good;
    bad.planes[0] = Matrix(32, 32, gap);
    expect_error<InputError>([&] { inpaint(bad); }, {"all pixels of the image are missing"});
    bad = good;
    bad.planes[0](3, 4) = std::numeric_limits<double>::infinity();
    expect_error<InputError>([&] { inpaint(bad); }, {"inf", "row 3", "column 4"});
    bad.planes[0](3, 4) = 1e80;
    expect_error<InputError>([&] { inpaint(bad); }, {"1e+80"});
    bad.planes = {Matrix(5, 32, 1.0)};
    expect_error<InputError>([&] { inpaint(bad); }, {"32 x 5"});
    InpaintOptions options;
    options.patch = 40;
    expect_error<InputError>([&] { inpaint(good, options); }, {"patch is 40"});
    Model model;
    model.dictionary = Matrix(10, 49);
    options = quick();
    options.model = &model;
    expect_error<InputError>([&] { inpaint(good, options); }, {"49", "64"});
}

}  // namespace
}  // namespace sbdl
