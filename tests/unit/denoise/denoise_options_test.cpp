// The options of a denoising: what is rejected, what has no effect, JSON.
#include "denoise/denoise_options.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"

namespace sbdl {
namespace {

DenoiseOptions options_of(const char* method, Recipe recipe = Recipe::standard) {
    DenoiseOptions options;
    options.method = method;
    options.recipe = recipe;
    return options;
}

template <class Change>
void expect_rejected(DenoiseOptions options, const Change& change, std::initializer_list<std::string_view> words) {
    validate(options);
    change(options);
    test::expect_error<InputError>([&] { validate(options); }, words);
}

TEST(DenoiseOptions, DefaultsAreValidForEveryMethodAndRecipe) {
    for (const std::string_view method : denoise_methods())
        for (const Recipe recipe : {Recipe::standard, Recipe::paper}) validate(options_of(method.data(), recipe));
}

TEST(DenoiseOptions, ValuesOutOfBoundsAreRejected) {
    const DenoiseOptions options = options_of("auto", Recipe::paper);
    expect_rejected(options, [](auto& o) { o.patch = 33; }, {"patch is 33, must be at most 32"});
    expect_rejected(options, [](auto& o) { o.max_patches = -1; }, {"max_patches is -1, must be at least 0"});
    expect_rejected(options, [](auto& o) { o.sigma = 0.0; }, {"sigma is 0, must be above 0"});
    expect_rejected(options, [](auto& o) { o.tolerance = 101.0; }, {"tolerance is 101, must be at most 100"});
    expect_rejected(options, [](auto& o) { o.keep_noisy = -1.0; }, {"keep_noisy is -1, must be at least 0"});
    expect_rejected(options_of("majorization"), [](auto& o) { o.lambda = 0.0; }, {"lambda is 0, must be above 0"});
    expect_rejected(options, [](auto& o) { o.recipe = Recipe{7}; }, {"recipe is choice number 7", "standard or paper"});
    expect_rejected(options_of("auto"), [](auto& o) { o.quality = Quality{2}; },
                    {"quality is choice number 2", "fast or best"});
    expect_rejected(options, [](auto& o) { o.method = "magic"; }, {"method is 'magic'", "auto, gibbs"});
}

TEST(DenoiseOptions, OptionsThatDoNotFitEachOtherAreRejected) {
    expect_rejected(options_of("auto"), [](auto& o) { o.stride = 9; }, {"stride is 9", "at most patch, which is 8"});
    expect_rejected(options_of("apru"), [](auto& o) { o.lambda = 1.0; }, {"apru needs both lambda and lambda_s"});
}

TEST(DenoiseOptions, OptionsWithoutEffectAreRejected) {
    const DenoiseOptions options = options_of("auto");
    expect_rejected(options, [](auto& o) { o.tolerance = 1.2; }, {"tolerance applies only to the recipe paper"});
    expect_rejected(options, [](auto& o) { o.keep_noisy = {}; }, {"keep_noisy applies only to the recipe paper"});
    expect_rejected(options, [](auto& o) { o.lambda = 1.0; }, {"lambda does not apply to the method auto"});
    expect_rejected(options_of("majorization"), [](auto& o) { o.lambda_s = 1.0; },
                    {"lambda_s does not apply to the method majorization"});
    expect_rejected(options_of("auto", Recipe::paper), [](auto& o) { o.quality = Quality::fast; },
                    {"quality does not apply to the recipe paper"});
    expect_rejected(options_of("dct"), [](auto& o) { o.sweeps = 5; }, {"sweeps does not apply to the method dct"});
}

std::set<std::string> keys(const DenoiseOptions& options) {
    std::set<std::string> found;
    const auto object = nlohmann::json::parse(to_json(options));
    for (const auto& [key, value] : object.items()) found.insert(key);
    return found;
}

TEST(DenoiseOptions, JsonHasTheMethodAndWhatHasAnEffect) {
    const std::set<std::string> usual{"method", "recipe", "quality", "noise",  "sigma",       "gain",  "read_noise",
                                      "offset", "patch",  "atoms",   "stride", "max_patches", "sweeps"};
    EXPECT_EQ(keys({}), usual);
    DenoiseOptions one_strength;
    one_strength.noise = NoiseKind::gaussian;
    EXPECT_EQ(keys(one_strength).count("gain"), 0U);
    std::set<std::string> all = usual;
    all.erase("quality");
    all.insert({"tolerance", "keep_noisy", "lambda", "lambda_s"});
    EXPECT_EQ(keys(options_of("apru", Recipe::paper)), all);

    DenoiseOptions fast;
    fast.quality = Quality::fast;
    EXPECT_EQ(nlohmann::json::parse(to_json(fast))["quality"], "fast");
    EXPECT_EQ(nlohmann::json::parse(to_json({}))["quality"], "best");

    DenoiseOptions options = options_of("majorization", Recipe::paper);
    options.keep_noisy.reset();
    options.lambda = 2.5;
    const auto object = nlohmann::json::parse(to_json(options));
    EXPECT_EQ(object["recipe"], "paper");
    EXPECT_EQ(object["sigma"], "auto");
    EXPECT_EQ(object["keep_noisy"], "auto");
    EXPECT_EQ(object["lambda"], 2.5);
    EXPECT_EQ(object["max_patches"], 0);
}

}  // namespace
}  // namespace sbdl
