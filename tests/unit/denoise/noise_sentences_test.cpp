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
    found.planes[0].gain = 3.41;
    found.planes[0].read_noise = 1.32;
    found.planes[0].offset = 3.7;
    EXPECT_TRUE(says(all(found), "grows with brightness: gain 3.41, read noise 1.32, offset 3.7. ")) << all(found);
    EXPECT_TRUE(says(all(found), "the noise is white: neighbouring pixels do not share it")) << all(found);
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
