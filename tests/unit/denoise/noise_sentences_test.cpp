// What was found about the noise is said in words.
#include "denoise/noise_sentences.hpp"

#include <gtest/gtest.h>

namespace sbdl {
namespace {

std::string all(const NoiseFound& found, bool any = true) {
    std::string text;
    for (const std::string& sentence : noise_sentences(found, any)) text += sentence + ". ";
    return text;
}

NoiseFound grey_white() {
    NoiseFound found;
    found.planes.resize(1);
    found.correlation = {0.0};
    return found;
}

bool says(const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
}

TEST(NoiseSentences, NameTheKindOfTheNoise) {
    NoiseFound found = grey_white();
    EXPECT_EQ(all(found), "the noise is white, and equally strong at every brightness. ");
    EXPECT_EQ(all(found, false), "");
    found.correlation = {0.634};
    EXPECT_TRUE(says(all(found), "equally strong at every brightness")) << all(found);
    EXPECT_TRUE(says(all(found), "is correlated: 0.63; such noise is harder to remove")) << all(found);
    EXPECT_FALSE(says(all(found), "white,")) << all(found);
    found = grey_white();
    found.correlation_unknown = true;
    EXPECT_TRUE(says(all(found), "it is unknown whether")) << all(found);
    EXPECT_FALSE(says(all(found), "is white")) << all(found);
    found = grey_white();
    found.kind = NoiseKind::poisson_gaussian;
    found.planes[0].grows = true;
    found.planes[0].gain = 3.41;
    found.planes[0].read_noise = 1.32;
    found.planes[0].offset = 3.7;
    EXPECT_TRUE(says(all(found), "grows with brightness: gain 3.41, read noise 1.32, offset 3.7. ")) << all(found);
    found.offset_assumed = true;
    EXPECT_TRUE(says(all(found), "offset 3.7 (the last two are a guess: an image shows only what they amount to "))
        << all(found);
    EXPECT_TRUE(says(all(found), "the noise is white: neighbouring pixels do not share it")) << all(found);
}

TEST(NoiseSentences, NameTheColoursWhoseNoiseGrowsAndTheOthers) {
    NoiseFound found;
    found.kind = NoiseKind::poisson_gaussian;
    found.planes.resize(3);
    found.planes[0].grows = found.planes[2].grows = true;
    found.planes[0].gain = 2.0;
    found.planes[0].read_noise = 3.0;
    found.planes[1].read_noise = 12.5;
    found.planes[2].gain = 4.0;
    found.planes[2].read_noise = 5.0;
    found.planes[2].offset = 1.0;
    EXPECT_EQ(all(found),
              "the noise of red and blue grows with brightness: gain 2, 4, read noise 3, 5, offset 0, 1; that of green "
              "is equally strong at every brightness: standard deviation 12.5. ");
    for (PlaneNoise& plane : found.planes) plane.grows = true;
    found.planes[1].gain = 1.0;
    EXPECT_TRUE(says(all(found), "the noise grows with brightness: gain 2, 1, 4, read noise 3, 12.5, 5")) << all(found);
}

TEST(NoiseSentences, SayHowTheNoiseOfAnImageWithoutFlatRegionsWasFound) {
    NoiseFound found = grey_white();
    found.correlation.clear();
    found.nowhere_flat = true;
    EXPECT_TRUE(
        says(all(found), "no region of the image is flat: the noise was estimated from parts of it that look alike"))
        << all(found);
    EXPECT_FALSE(says(all(found), "the noise is equally strong")) << all(found);
}

// The kind of the noise is not told where such noise would mislead what measures it.
TEST(NoiseSentences, NameStripesAndSaltAndPepper) {
    NoiseFound found = grey_white();
    found.nearly_none = true;
    found.row_stripes = 5.12;
    EXPECT_TRUE(says(all(found), "whole rows are brighter or darker than their neighbours (standard deviation 5.12)"))
        << all(found);
    EXPECT_FALSE(says(all(found), "white")) << all(found);
    EXPECT_FALSE(says(all(found), "nearly free")) << all(found);
    found.column_stripes = 2.0;
    EXPECT_TRUE(says(all(found), "rows and columns are")) << all(found);
    EXPECT_TRUE(says(all(found), "(standard deviations 5.12 and 2)")) << all(found);
    EXPECT_TRUE(says(all(found, false), "stripes cannot be modelled")) << "also without other noise";
    found = grey_white();
    found.impulses = 0.052;
    EXPECT_EQ(all(found),
              "5.2 % of the pixels are black or white at random (salt and pepper): such noise cannot be "
              "modelled, and the result should not be trusted. ");
}

TEST(NoiseSentences, SayNothingThatWasNotMeasured) {
    EXPECT_EQ(all({}), "") << "the noise was given";
}

TEST(NoiseSentences, NameWhatIsClippedCompressedOrNearlyFreeOfNoise) {
    NoiseFound found = grey_white();
    found.planes[0].clipped = 0.004;
    EXPECT_FALSE(says(all(found), "clipped"));
    found.planes[0].clipped = 0.124;
    EXPECT_TRUE(says(all(found), "12 % of the samples are clipped")) << all(found);
    found = grey_white();
    found.compressed = true;
    EXPECT_TRUE(says(all(found), "compressed so strongly (JPEG)")) << all(found);
    EXPECT_FALSE(says(all(found), "is white")) << all(found);
    found = grey_white();
    found.nearly_none = true;
    EXPECT_TRUE(says(all(found), "nearly free of noise; little changes")) << all(found);
}

}  // namespace
}  // namespace sbdl
