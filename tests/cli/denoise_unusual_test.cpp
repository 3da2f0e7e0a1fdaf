// `sbdl denoise` and images that are unusual: it works or falls back, and says which.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/program.hpp"
#include "sbdl/image_stack.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

class DenoiseUnusual : public CliTest {
protected:
    /// Few atoms and few passes: the words count here, not the image.
    static std::vector<std::string> quick(const std::string& input, const std::string& output,
                                          const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"denoise",       input, "-o",       output, "--atoms",   "32",
                                       "--max-patches", "300", "--sweeps", "2",    "--quality", "fast"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    void write_stack(const std::string& name, const std::vector<Image>& pages) const {
        const auto writer = write_pages(folder_ / name, pages.front(), pages.size());
        for (const Image& page : pages) writer->add(page);
        writer->commit();
    }
    static Image noisy_page(Samples samples, double scale, std::uint64_t seed) {
        Image page = make_noisy(make_image(32, 24, false, 3), 20.0, seed);
        for (std::size_t i = 0; i < page.planes[0].size(); ++i) page.planes[0].data()[i] *= scale;
        page.samples = samples;
        return page;
    }
    static bool holds(const std::string& text, const std::string& words) {
        return text.find(words) != std::string::npos;
    }
};

TEST_F(DenoiseUnusual, PagesOfDifferentDepthsKeepTheirs) {
    write_stack("noisy.tif", {noisy_page(Samples::u8, 1.0, 1), noisy_page(Samples::u16, 100.0, 2)});
    const Outcome outcome = run(quick("noisy.tif", "clean.tif"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "24 x 32 pixels, grey, uint8, page 2 does not")) << outcome.err;
    const auto clean = open_pages(folder_ / "clean.tif");
    EXPECT_EQ(clean->read(0).samples, Samples::u8);
    EXPECT_EQ(clean->read(1).samples, Samples::u16);
}

TEST_F(DenoiseUnusual, AStackOfOnePageStaysAStack) {
    write_stack("noisy.npy", {noisy_page(Samples::u16, 100.0, 1)});
    const nlohmann::json result = run_json(quick("noisy.npy", "clean.npy"));
    EXPECT_EQ(result.at("pages"), 1);
    EXPECT_EQ(open_pages(folder_ / "clean.npy")->count(), 1U);
    EXPECT_EQ(open_pages(folder_ / "clean.npy")->read(0).samples, Samples::u16);
}

TEST_F(DenoiseUnusual, APageOfNothingButNoiseIsNamed) {
    Image flat;
    flat.planes.assign(1, Matrix(96, 96, 120.0));
    Image page = make_noisy(make_image(96, 96, false, 3), 20.0, 1);
    write_stack("noisy.tif", {page, make_noisy(flat, 20.0, 2)});
    const Outcome outcome = run(quick("noisy.tif", "clean.tif"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(holds(outcome.out, "almost nothing but noise in page 2")) << outcome.out;
    const Matrix clean = open_pages(folder_ / "clean.tif")->read(1).planes[0];
    const auto [least, most] = std::minmax_element(clean.data(), clean.data() + clean.size());
    EXPECT_LT(*most - *least, 60.0) << "noise of 20 alone has a range of some 150";
}

TEST_F(DenoiseUnusual, EqualPagesHaveTheNoiseOfOne) {
    write_stack("noisy.tif", std::vector<Image>(3, make_noisy(make_image(48, 40, false, 3), 20.0, 1)));
    const Outcome outcome = run(quick("noisy.tif", "clean.tif"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_FALSE(holds(outcome.err, "no noise")) << outcome.err;
    EXPECT_FALSE(holds(outcome.out, "no noise")) << outcome.out;
}

TEST_F(DenoiseUnusual, ConstantPagesAreLeftAsTheyAre) {
    Image flat;
    flat.planes.assign(1, Matrix(32, 24, 120.0));
    write_stack("noisy.tif", {flat, flat});
    const Outcome outcome = run(quick("noisy.tif", "clean.tif"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(holds(outcome.out, "no noise in pages 1 and 2; left as they are")) << outcome.out;
    EXPECT_TRUE(holds(outcome.err, "each page with such noise learns its own")) << outcome.err;
}

/// Eight levels of brightness, with Gaussian noise whose variance is a line from black to white.
Matrix levels_with_variance(double dark, double bright, std::uint64_t seed) {
    Image levels;
    levels.planes.assign(1, Matrix(96, 96));
    Matrix noise = make_noisy(levels, 1.0, seed).planes[0];
    for (std::size_t row = 0; row < 96; ++row) {
        const double level = 50.0 + 100.0 * static_cast<double>(row / 12) / 7.0;
        const double sd = std::sqrt(dark + (bright - dark) * (level - 50.0) / 100.0);
        for (double& value : noise.row(row)) value = level + sd * value;
    }
    return noise;
}

TEST_F(DenoiseUnusual, AColourWhoseNoiseDoesNotGrowIsNamed) {
    Image image;
    image.planes = {levels_with_variance(100.0, 200.0, 1), levels_with_variance(100.0, 200.0, 2),
                    levels_with_variance(400.0, 40.0, 3)};
    image.samples = Samples::f32;
    write_image(folder_ / "noisy.tif", image);
    const nlohmann::json noise = run_json(quick("noisy.tif", "clean.tif")).at("noise");
    ASSERT_EQ(noise.at("kind"), "poisson-gaussian");
    EXPECT_TRUE(holds(noise.at("found").at(0), "the noise of red and green grows with brightness")) << noise;
    EXPECT_TRUE(holds(noise.at("found").at(0), "that of blue is equally strong")) << noise;
    const nlohmann::json& blue = noise.at("planes").at(2);
    EXPECT_EQ(blue.at("grows"), false);
    EXPECT_FALSE(blue.contains("gain"));
    EXPECT_GT(blue.at("read_noise"), 3.0);
}

TEST_F(DenoiseUnusual, EveryOrientationIsKept) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
        SCOPED_TRACE(orientation);
        Image turned = noisy_page(Samples::u8, 1.0, 1);
        turned.metadata.orientation = orientation;
        write_image(folder_ / "turned.png", turned);
        write_image(folder_ / "upright.png", with_orientation(turned, 1));
        const nlohmann::json result = run_json(quick("turned.png", "clean.png", {"--clean", "upright.png"}));
        EXPECT_TRUE(result.at("psnr_before").is_null()) << "the truth is the same picture: no error at all";
        const Image clean = read_image(folder_ / "clean.png");
        EXPECT_EQ(clean.metadata.orientation, orientation);
        EXPECT_EQ(clean.width(), turned.width());
        std::filesystem::remove(folder_ / "clean.png");
    }
}

TEST_F(DenoiseUnusual, AGainThatAFlatImageDoesNotShow) {
    Image flat;
    flat.planes.assign(1, Matrix(96, 96, 120.0));
    write_image(folder_ / "flat.tif", make_noisy(flat, 20.0, 5));
    const Outcome outcome = run(quick("flat.tif", "clean.tif", {"--noise", "poisson-gaussian"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const bool one_strength =
        holds(outcome.err, "cannot be inferred from this image; it is taken to have one strength");
    EXPECT_TRUE(one_strength || holds(outcome.err, "the image shows no clear growth of the noise")) << outcome.err;
}

}  // namespace
}  // namespace sbdl::test
