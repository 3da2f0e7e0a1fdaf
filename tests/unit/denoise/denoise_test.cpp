// Denoising from end to end, on small synthetic images.
#include "sbdl/denoise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "support/expect_error.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

Image constant_image(std::size_t height, std::size_t width, double value) {
    Image image;
    image.planes.assign(1, Matrix(height, width, value));
    return image;
}

// Similar patches are not estimated together here, which takes longer than all else: denoise_groups_test.cpp.
DenoiseOptions small_options() {
    DenoiseOptions options;
    options.quality = Quality::fast;
    options.atoms = 64;
    options.max_patches = 2000;
    return options;
}

// Golden test: small image, fixed seed. The limits are 0.3 dB below what was measured when they were set.
TEST(Denoise, GainsAsMuchAsBefore) {
    const Image truth = make_image(96, 96, false, 1);
    const Image noisy = make_noisy(truth, 25.0, 1);
    const double before = psnr(truth, noisy, 255.0);
    const DenoiseResult best = denoise(noisy, small_options());
    EXPECT_GT(psnr(truth, best.image, 255.0), before + 4.7);
    EXPECT_NEAR(best.noise_sd / 25.0, 1.0, 0.06);
    EXPECT_FALSE(best.unchanged);
    EXPECT_EQ(best.model.patch.height, 8U);
    EXPECT_EQ(best.model.method, "online");
    EXPECT_DOUBLE_EQ(best.model.noise_sd, best.noise_sd);
    int coded = 0;
    for (const int count : best.model.code_sizes) coded += count;
    EXPECT_EQ(coded, 89 * 89);
}

TEST(Denoise, EveryMethodAndRecipeWorks) {
    const Image truth = make_image(48, 48, false, 2);
    const Image noisy = make_noisy(truth, 30.0, 2);
    const double before = psnr(truth, noisy, 255.0);
    for (const Recipe recipe : {Recipe::standard, Recipe::paper})
        for (const std::string_view method : denoise_methods()) {
            DenoiseOptions options = small_options();
            options.recipe = recipe;
            if (recipe == Recipe::paper) options.quality = Quality::best;  // the default
            options.method = method;
            options.sweeps = method == "dct" ? 0 : 6;
            options.atoms = 36;
            options.max_patches = 400;
            options.std = true;
            const DenoiseResult result = denoise(noisy, options);
            EXPECT_GT(psnr(truth, result.image, 255.0), before + 2.8) << method;
            EXPECT_EQ(result.std.height(), 48U);
            for (std::size_t i = 0; i < 48 * 48; ++i) {
                ASSERT_TRUE(std::isfinite(result.image.planes[0].data()[i]));
                ASSERT_GT(result.std.planes[0].data()[i], 0.0);
            }
        }
}

// With few patches, each is learned from more often; with very few, it is not. A given number of sweeps is always made.
TEST(Denoise, TheNumberOfPassesDependsOnTheNumberOfPatches) {
    const Image noisy = make_noisy(make_image(144, 144, false, 4), 25.0, 4);
    const auto passes = [&](int patches, int sweeps) {
        DenoiseOptions options = small_options();
        options.atoms = 8;
        options.max_patches = patches;
        options.sweeps = sweeps;
        return denoise(noisy, options).model.trace.noise_sd.size();
    };
    EXPECT_EQ(passes(1999, 0), 10u);
    EXPECT_EQ(passes(2000, 0), 40u);
    EXPECT_EQ(passes(4500, 0), 35u);
    EXPECT_EQ(passes(4500, 3), 3u);
}

// The chain's noise is fixed above the true noise where the image is weak compared with it, and below where it is
// strong. The model has the true noise all the same.
TEST(Denoise, TheModelOfAChainHasTheNoiseThatWasFound) {
    for (const double sigma : {6.0, 60.0}) {
        DenoiseOptions options = small_options();
        options.method = "gibbs";
        options.atoms = 32;
        options.max_patches = 200;
        options.sigma = sigma;
        const DenoiseResult result = denoise(make_noisy(make_image(48, 48, false, 2), sigma, 2), options);
        EXPECT_NEAR(result.model.noise_sd / sigma, 1.0, 0.01);
        for (const double sd : result.model.trace.noise_sd) EXPECT_NEAR(sd / sigma, 1.0, 0.01);
    }
}

// The noise that the image is denoised with, even if the learner infers its own or the three planes differ.
TEST(Denoise, EveryModelHasTheNoiseThatWasUsed) {
    for (const char* method : {"online", "vb", "gibbs", "bpfa"})
        for (const bool colour : {false, true}) {
            DenoiseOptions options = small_options();
            options.method = method;
            options.atoms = 16;
            options.max_patches = 200;
            options.sweeps = 4;
            options.stride = 3;
            const DenoiseResult result = denoise(make_noisy(make_image(40, 40, colour, 2), 20.0, 2), options);
            EXPECT_DOUBLE_EQ(result.model.noise_sd, result.noise_sd) << method << (colour ? ", colour" : "");
            EXPECT_NE(result.model.denoise_json.find("\"stride\":3"), std::string::npos) << result.model.denoise_json;
        }
}

TEST(Denoise, KeepsColourAndAlpha) {
    Image truth = make_image(48, 40, true, 3);
    truth.alpha = Matrix(48, 40, 200.0);
    const Image noisy = make_noisy(truth, 20.0, 3);
    DenoiseOptions options = small_options();
    options.std = true;
    const DenoiseResult result = denoise(noisy, options);
    ASSERT_EQ(result.image.planes.size(), 3U);
    EXPECT_EQ(result.std.planes.size(), 3U);
    EXPECT_EQ(result.image.alpha(5, 5), 200.0);
    EXPECT_EQ(result.image.samples, noisy.samples);
    EXPECT_EQ(result.plane_noise.size(), 3U);
    EXPECT_GT(psnr(truth, result.image, 255.0), psnr(truth, noisy, 255.0) + 3.4);
}

TEST(Denoise, TheSameSeedGivesTheSameResultForAnyNumberOfThreads) {
    const Image noisy = make_noisy(make_image(40, 56, false, 4), 20.0, 4);
    DenoiseOptions options = small_options();
    options.std = true;
    Context one, three;
    one.execution.threads = 1;
    three.execution.threads = 3;
    const DenoiseResult a = denoise(noisy, options, one);
    const DenoiseResult b = denoise(noisy, options, three);
    for (std::size_t i = 0; i < 40 * 56; ++i) {
        ASSERT_EQ(a.image.planes[0].data()[i], b.image.planes[0].data()[i]);
        ASSERT_EQ(a.std.planes[0].data()[i], b.std.planes[0].data()[i]);
    }
}

TEST(Denoise, UnitsDoNotMatter) {
    const Image noisy = make_noisy(make_image(40, 40, false, 5), 20.0, 5);
    Image small = noisy;
    for (std::size_t i = 0; i < 1600; ++i) small.planes[0].data()[i] *= 0x1p-20;
    DenoiseOptions options = small_options();
    options.quality = Quality::best;
    const DenoiseResult a = denoise(noisy, options);
    const DenoiseResult b = denoise(small, options);
    EXPECT_NEAR(b.noise_sd * 0x1p20, a.noise_sd, 1e-9 * a.noise_sd);
    for (std::size_t i = 0; i < 1600; ++i)
        ASSERT_NEAR(b.image.planes[0].data()[i] * 0x1p20, a.image.planes[0].data()[i], 1e-6);
}

TEST(Denoise, AcceptsEveryScaleWithinItsLimits) {
    const Image noisy = make_noisy(make_image(24, 24, false, 5), 20.0, 5);
    DenoiseOptions options = small_options();
    options.quality = Quality::best;
    options.atoms = 16;
    const auto scaled = [&](double scale) {
        Image image = noisy;
        for (std::size_t i = 0; i < 24 * 24; ++i) image.planes[0].data()[i] *= scale;
        return image;
    };
    for (const char* method : {"online", "vb", "ksvd"}) {
        options.method = method;
        options.sweeps = method == std::string("vb") ? 2 : 0;
        const DenoiseResult usual = denoise(noisy, options);
        for (const double scale : {0x1p-200, 0x1p190}) {  // about 1e-60 and 1e57
            const DenoiseResult result = denoise(scaled(scale), options);
            EXPECT_NEAR(result.noise_sd / scale, usual.noise_sd, 1e-9 * usual.noise_sd) << method << ", " << scale;
            for (std::size_t i = 0; i < 24 * 24; ++i)
                ASSERT_NEAR(result.image.planes[0].data()[i] / scale, usual.image.planes[0].data()[i], 1e-5)
                    << method << ", " << scale;
        }
    }
    for (const double scale : {1e155, -1e155, 1e-155, 1e59})
        test::expect_error<InputError>([&] { denoise(scaled(scale), options); },
                                       {"the image's values are", "at most 1e+60", "at least 1e-60"});
    EXPECT_TRUE(denoise(constant_image(20, 30, 0.0), options).unchanged) << "constant: there is no scale to check";
}

TEST(Denoise, UsesAGivenNoise) {
    const Image noisy = make_noisy(make_image(40, 40, false, 6), 20.0, 6);
    for (const Recipe recipe : {Recipe::standard, Recipe::paper}) {
        DenoiseOptions options = small_options();
        options.recipe = recipe;
        if (recipe == Recipe::paper) options.quality = Quality::best;
        options.sigma = 17.0;
        const DenoiseResult result = denoise(noisy, options);
        EXPECT_TRUE(result.noise_given);
        EXPECT_DOUBLE_EQ(result.noise_sd, 17.0);
    }
}

TEST(Denoise, ReusesADictionary) {
    const Image truth = make_image(64, 64, false, 7);
    const Image noisy = make_noisy(truth, 20.0, 7);
    const DenoiseResult first = denoise(noisy, small_options());
    DenoiseOptions options = small_options();
    options.model = &first.model;
    const DenoiseResult second = denoise(noisy, options);
    for (std::size_t i = 0; i < 64 * 64; ++i)
        ASSERT_EQ(first.image.planes[0].data()[i], second.image.planes[0].data()[i]);
    EXPECT_EQ(second.training_patches, 0U);
    options.patch = 6;
    test::expect_error<InputError>([&] { denoise(noisy, options); }, {"64 entries", "6 x 6"});
}

TEST(Denoise, LeavesAnImageWithoutNoiseAlone) {
    const Image flat = constant_image(20, 30, 99.0);
    DenoiseOptions options = small_options();
    options.std = true;
    const DenoiseResult result = denoise(flat, options);
    EXPECT_TRUE(result.unchanged);
    EXPECT_EQ(result.noise_sd, 0.0);
    EXPECT_EQ(result.image.planes[0](3, 4), 99.0);
    EXPECT_EQ(result.std.planes[0](3, 4), 0.0);
}

TEST(Denoise, PureNoiseBecomesNearlyConstantAndIsReported) {
    const Image noisy = make_noisy(constant_image(128, 128, 100.0), 10.0, 8);
    const DenoiseResult result = denoise(noisy, small_options());
    EXPECT_NEAR(result.noise_sd, 10.0, 0.6);
    EXPECT_GT(result.empty_share, 0.8);
    EXPECT_TRUE(result.only_noise);
    EXPECT_GT(psnr(constant_image(128, 128, 100.0), result.image, 255.0), 38.0);
}

// A small bright spot is enough to count as an image. Colour planes without noise of their own do not change the
// verdict.
TEST(Denoise, StarsAreMoreThanNoise) {
    Image sky = constant_image(128, 128, 100.0);
    for (std::size_t i = 60; i < 63; ++i)
        for (std::size_t j = 40; j < 43; ++j) sky.planes[0](i, j) = 220.0;
    EXPECT_FALSE(denoise(make_noisy(sky, 10.0, 8), small_options()).only_noise);
    Image grey = make_noisy(constant_image(128, 128, 100.0), 10.0, 8);
    grey.planes.assign(3, grey.planes[0]);
    EXPECT_TRUE(denoise(grey, small_options()).only_noise);
}

TEST(Denoise, TheSmallestImagesWork) {
    for (const std::size_t side : {8U, 9U, 12U, 20U}) {
        const Image truth = constant_image(side, side, 100.0);
        const Image noisy = make_noisy(truth, 10.0, 9);
        DenoiseOptions options = small_options();
        options.atoms = side == 9 ? 70 : 64;  // also a number that is not a square
        const DenoiseResult result = denoise(noisy, options);
        EXPECT_EQ(result.model.method, "dct") << "there is nothing to learn from";
        EXPECT_GT(psnr(truth, result.image, 255.0), psnr(truth, noisy, 255.0) + 6.0) << side;
    }
}

TEST(Denoise, LearnsFromAllPatchesOfASmallImage) {
    const auto learned_from = [](std::size_t side, int stride) {
        DenoiseOptions options = small_options();
        options.max_patches = 0;
        options.sweeps = 1;
        options.stride = stride;
        options.patch = 4;
        options.atoms = 16;
        const DenoiseResult result = denoise(make_noisy(make_image(side, side, false, 3), 20.0, 3), options);
        EXPECT_FALSE(result.only_noise);
        EXPECT_EQ(result.model.method, "online");
        return result.training_patches;
    };
    EXPECT_EQ(learned_from(76, 0), 73U * 73U);
    EXPECT_EQ(learned_from(76, 2), 37U * 37U);
    EXPECT_EQ(learned_from(202, 0), 100U * 100U);
}

// Errors are not Gaussian, and overlapping patches share them, so the match is only rough; docs/results/README.md has
// the shares on photographs.
TEST(Denoise, StandardDeviationsMatchTheErrors) {
    const Image truth = make_image(96, 96, false, 5);
    struct Way {
        Recipe recipe;
        Quality quality;
    };
    for (const Way& way : {Way{Recipe::standard, Quality::fast}, Way{Recipe::standard, Quality::best},
                           Way{Recipe::paper, Quality::best}})
        for (const double sigma : {10.0, 40.0}) {
            DenoiseOptions options = small_options();
            options.recipe = way.recipe;
            options.quality = way.quality;
            options.sweeps = 4;
            options.std = true;
            const DenoiseResult result = denoise(make_noisy(truth, sigma, 5), options);
            const double within_1 = share_within(truth, result.image, result.std, 1.0);
            const double within_2 = share_within(truth, result.image, result.std, 2.0);
            EXPECT_GT(within_1, 0.55) << sigma;
            EXPECT_LT(within_1, 0.90) << sigma;
            EXPECT_GT(within_2, 0.85) << sigma;
            EXPECT_LT(within_2, 0.995) << sigma;
        }
}

TEST(Denoise, StopsLearningWhenAsked) {
    const Image noisy = make_noisy(make_image(40, 40, false, 10), 20.0, 10);
    const std::atomic<bool> stop{true};
    DenoiseHooks hooks;
    hooks.stop = &stop;
    const DenoiseResult result = denoise(noisy, small_options(), {}, hooks);
    EXPECT_EQ(result.model.stop_reason, "interrupted");
    EXPECT_TRUE(std::isfinite(result.image.planes[0](20, 20)));
}

class Complainer final : public Observer {
public:
    Flow on_sweep(const SweepReport&) override { throw std::runtime_error("the observer's trouble"); }
};

TEST(Denoise, AnObserverThatThrowsCostsNothingAndTheProgressEndsTheRun) {
    const Image noisy = make_noisy(make_image(40, 40, false, 10), 20.0, 10);
    Complainer complainer;
    const std::vector<Observer*> observers{&complainer};
    DenoiseHooks hooks;
    hooks.observers = observers;
    const DenoiseResult result = denoise(noisy, small_options(), {}, hooks);
    const Matrix expected = denoise(noisy, small_options()).image.planes[0];
    EXPECT_TRUE(std::equal(expected.data(), expected.data() + expected.size(), result.image.planes[0].data()));
    EXPECT_EQ(result.warnings, std::vector<std::string>{"the observer's trouble"});
    for (const char* stage : {"noise", "learn", "pursuit"}) {
        hooks.progress = [stage](const DenoiseProgress& now) {
            if (now.stage == stage) throw std::runtime_error(stage);
        };
        test::expect_error<std::runtime_error>([&] { denoise(noisy, small_options(), {}, hooks); }, {stage});
    }
}

// From any stage, on the thread that tells the progress.
TEST(Denoise, StopThreadsEndsEveryStage) {
    const Image noisy = make_noisy(make_image(32, 32, false, 10), 20.0, 10);
    for (const char* stage :
         {"noise", "start", "learn", "pursuit", "posterior", "blend", "half size", "groups", "done"}) {
        DenoiseOptions options = small_options();
        options.quality = Quality::best;
        options.method = "gibbs";
        options.sweeps = 4;
        std::atomic<bool> stop{false};
        Context context;
        context.execution.threads = 3;
        context.execution.stop = [&] { return stop.load(); };
        DenoiseHooks hooks;
        bool late = false;  // whether another stage came after the request
        hooks.progress = [&](const DenoiseProgress& now) {
            if (stop && now.stage != stage) late = true;
            if (now.stage == stage) stop = true;
        };
        if (std::string(stage) == "done")
            EXPECT_NO_THROW(denoise(noisy, options, context, hooks)) << "then there is a result";
        else
            EXPECT_THROW(denoise(noisy, options, context, hooks), Stopped) << stage;
        EXPECT_TRUE(stop) << stage;
        EXPECT_FALSE(late) << stage;
    }
}

// One share for all stages and planes: it never falls, and 1 comes once, at the end.
TEST(Denoise, TheShareOfTheWholeRisesToOneOnce) {
    Context two_threads;
    two_threads.execution.threads = 2;
    struct Case {
        std::size_t height, width;
        bool colour;
        const char* method;
        std::size_t stages;  // with the noise and the end
    };
    for (const Case& c : {Case{40, 40, false, "dct", 8}, Case{2064, 16, false, "dct", 8}, Case{24, 24, true, "dct", 8},
                          Case{24, 24, true, "gibbs", 9}}) {
        DenoiseOptions options;
        options.method = c.method;
        options.sigma = 25.0;
        options.atoms = 64;
        if (c.stages == 9) options.sweeps = 3;
        std::set<std::string, std::less<>> stages;
        std::vector<double> shares;
        DenoiseHooks hooks;
        hooks.progress = [&](const DenoiseProgress& progress) {
            stages.emplace(progress.stage);
            shares.push_back(progress.share);
            EXPECT_GE(progress.seconds_left, 0.0);
        };
        denoise(make_noisy(make_image(c.height, c.width, c.colour, 5), 25.0, 5), options, two_threads, hooks);
        EXPECT_EQ(stages.size(), c.stages) << c.method;
        EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
        EXPECT_EQ(shares.back(), 1.0);
        EXPECT_LT(shares[shares.size() - 2], 1.0);
        EXPECT_GE(shares.front(), 0.0);
    }
}

TEST(Denoise, KeepsTheMetadata) {
    Image noisy = make_noisy(make_image(24, 24, true, 5), 25.0, 5);
    noisy.metadata.orientation = 6;
    noisy.metadata.colour_profile.resize(200);
    noisy.metadata.description = "OME";
    DenoiseOptions options = small_options();
    options.std = true;
    const DenoiseResult result = denoise(noisy, options);
    EXPECT_EQ(result.image.metadata.orientation, 6);
    EXPECT_EQ(result.image.metadata.colour_profile.size(), 200U);
    EXPECT_EQ(result.std.metadata.description, "OME");
    EXPECT_TRUE(result.std.metadata.colour_profile.empty()) << "standard deviations are not colours";
}

// Rounding makes pivots of the posterior's systems 0.
TEST(Denoise, AVerySmallSigmaGivesFiniteResults) {
    const Image noisy = make_noisy(make_image(24, 24, false, 12), 20.0, 12);
    for (const double sigma : {1e-2, 1e-3, 1e-9}) {
        DenoiseOptions options = small_options();
        options.atoms = 16;
        options.sigma = sigma;
        const DenoiseResult result = denoise(noisy, options);
        EXPECT_EQ(result.unchanged, sigma < 1e-6);
        for (std::size_t i = 0; i < 24 * 24; ++i) ASSERT_TRUE(std::isfinite(result.image.planes[0].data()[i])) << sigma;
    }
}

TEST(Denoise, RejectsBadInput) {
    const Image noisy = make_noisy(constant_image(16, 16, 100.0), 10.0, 11);
    const auto rejects = [&](const auto& change, std::initializer_list<std::string_view> words) {
        DenoiseOptions options = small_options();
        change(options);
        test::expect_error<InputError>([&] { denoise(noisy, options); }, words);
    };
    rejects([](DenoiseOptions& o) { o.patch = 1; }, {"patch is 1"});
    rejects([](DenoiseOptions& o) { o.patch = 17; }, {"16 x 16", "17 x 17"});
    rejects([](DenoiseOptions& o) { o.atoms = 0; }, {"atoms is 0"});
    rejects([](DenoiseOptions& o) { o.stride = 9; }, {"stride is 9", "at most patch, which is 8"});
    rejects([](DenoiseOptions& o) { o.sigma = -1.0; }, {"sigma is -1"});
    rejects([](DenoiseOptions& o) { o.sigma = std::numeric_limits<double>::quiet_NaN(); }, {"sigma is nan"});
    rejects([](DenoiseOptions& o) { o.method = "magic"; }, {"magic", "gibbs"});
    Image broken = noisy;
    broken.planes[0](3, 5) = std::numeric_limits<double>::infinity();
    test::expect_error<InputError>([&] { denoise(broken, small_options()); }, {"inf", "row 3", "column 5"});
    test::expect_error<InputError>([&] { denoise(constant_image(7, 30, 1.0), small_options()); }, {"30 x 7"});
    test::expect_error<InputError>([] { denoise(Image{}); }, {"0 planes"});
}

}  // namespace
}  // namespace sbdl
