// The fingerprint of a trial covers everything that determines its row: a changed recipe is not averaged with the old
// one.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "denoise/recipe.hpp"
#include "sbdl/quality.hpp"
#include "unit/experiments/table2/case.hpp"

namespace sbdl::test {
namespace {

DenoiseOptions with(const std::string& method, Recipe recipe = Recipe::standard) {
    DenoiseOptions options;
    options.method = method;
    options.recipe = recipe;
    return options;
}

nlohmann::json recipe(const DenoiseOptions& options, std::size_t side = 256) {
    return nlohmann::json::parse(recipe_json(options, side, side, 1));
}

std::string print_of(const std::string& row, const Table2Cell& cell, const Table2Options& options,
                     std::size_t side = 256) {
    return table2::fingerprint({row, cell, 0, 1}, side, side, options);
}

TEST(Table2Fingerprint, DependsOnRowStrideAndOptionsNotOnTrialOrSeed) {
    const Table2Cell cell{"boat", 25, 2};
    const Table2Options options;
    std::set<std::string> prints;
    for (const std::string& row : table2_rows()) prints.insert(print_of(row, cell, options));
    EXPECT_EQ(prints.size(), table2_rows().size());
    const std::string print = print_of("gibbs", cell, options);
    EXPECT_EQ(table2::fingerprint({"gibbs", cell, 5, 77}, 256, 256, options), print);
    EXPECT_EQ(print_of("gibbs", {"couple", 50, 2}, options), print) << "sigma is inferred";
    EXPECT_NE(print_of("ksvd", {"boat", 50, 2}, options), print_of("ksvd", cell, options)) << "sigma is given";
    EXPECT_NE(print_of("gibbs", {"boat", 25, 4}, options), print);
    Table2Options other = options;
    other.atoms = 128;
    EXPECT_NE(print_of("gibbs", cell, other), print);
    other = options;
    other.max_patches = 1000;
    EXPECT_NE(print_of("gibbs", cell, other), print);
    other = options;
    other.threads = 7;
    other.trials = 9;
    EXPECT_EQ(print_of("gibbs", cell, other), print) << "these do not change a trial";
}

TEST(Table2Fingerprint, KnowsTheSweepsAndPassesThatAreMade) {
    EXPECT_NE(print_of("online", {"boat", 25, 4}, {}, 256), print_of("online", {"boat", 25, 4}, {}, 512));
    DenoiseOptions options = with("gibbs", Recipe::paper);
    const auto chain = recipe(options)["learn"];
    ASSERT_EQ(chain.size(), 2U) << "the chain, and the l1 learner it starts from";
    const int sweeps = chain[0]["burn_in"].get<int>() + chain[0]["draws"].get<int>();
    EXPECT_GT(sweeps, 0);
    EXPECT_GT(chain[1]["sweeps"].get<int>(), 0);
    options.sweeps = sweeps + 1;
    EXPECT_NE(recipe(options)["learn"][0], chain[0]);
    EXPECT_EQ(recipe(options)["learn"][1], chain[1]);

    DenoiseOptions online = with("online");
    online.stride = 4;
    EXPECT_GT(recipe(online, 256)["learn"][0]["sweeps"], recipe(online, 512)["learn"][0]["sweeps"])
        << "fewer patches get more passes";
}

TEST(Table2Fingerprint, HasTheOptionsThatAnImageGets) {
    const auto small = recipe({}, 64), large = recipe({}, 256);
    EXPECT_EQ(small["denoise"]["method"], "dct");
    EXPECT_EQ(large["denoise"]["method"], "online");
    EXPECT_EQ(small["recipe_version"], denoise_recipe_version);
    EXPECT_EQ(large["training_patches"], 125 * 125) << "a stride of 2";
    EXPECT_EQ(recipe(with("dct", Recipe::paper))["denoise"]["tolerance"], paper_tolerance);
    EXPECT_FALSE(recipe(with("dct", Recipe::paper))["denoise"].contains("quality")) << "it has no effect";
    DenoiseOptions fast;
    fast.quality = Quality::fast;
    EXPECT_EQ(large["denoise"]["quality"], "best");
    EXPECT_EQ(recipe(fast)["denoise"]["quality"], "fast");
    DenoiseOptions weights = with("apru", Recipe::paper);
    weights.lambda = 25.0;
    weights.lambda_s = 30.0;
    EXPECT_EQ(recipe(weights)["denoise"]["lambda_s"], 30.0);
}

/// Root of the mean square of the differences.
double apart(const Matrix& a, const Matrix& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a.data()[i] - b.data()[i]) * (a.data()[i] - b.data()[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

// Results of this version. If they change on purpose, raise denoise_recipe_version and store the new ones: this test
// prints them when it fails. One dictionary is learned, by a few short passes. The bounds leave room for compilers,
// whose images may differ: a clang's had a noise estimate lower by 0.07 and PSNRs lower by 0.06 and 0.07 dB. The PSNR
// is close to its maximum and hardly changes with the constants of the groups; how far the qualities are apart, and the
// standard deviations, do.
TEST(Table2Fingerprint, ResultsBelongToTheVersionOfTheRecipe) {
    const Image truth = make_image(72, 72, false, 3), noisy = make_noisy(truth, 20.0, 3);
    DenoiseOptions options = with("dct");
    options.std = true;
    const DenoiseResult best = denoise(noisy, options);
    options.quality = Quality::fast;
    const DenoiseResult fast = denoise(noisy, options);
    const DenoiseResult paper = denoise(noisy, with("dct", Recipe::paper));
    DenoiseOptions learning = with("online");
    learning.quality = Quality::fast;
    learning.atoms = 128;
    learning.sweeps = 3;
    const DenoiseResult learned = denoise(noisy, learning);
    ASSERT_EQ(denoise_recipe_version, 10);
    EXPECT_NEAR(psnr(truth, learned.image, 255.0), 26.00, 0.08);
    EXPECT_NEAR(apart(learned.image.planes[0], fast.image.planes[0]), 5.29, 0.08);
    EXPECT_NEAR(fast.noise_sd, 19.34, 0.06);
    EXPECT_NEAR(psnr(truth, fast.image, 255.0), 25.738, 0.04);
    EXPECT_NEAR(psnr(truth, paper.image, 255.0), 25.660, 0.045);
    EXPECT_NEAR(psnr(truth, best.image, 255.0), 26.56, 0.05);
    EXPECT_NEAR(apart(best.image.planes[0], fast.image.planes[0]), 4.51, 0.05);
    EXPECT_NEAR(apart(fast.std.planes[0], Matrix(72, 72)), 9.90, 0.06);
    EXPECT_NEAR(apart(best.std.planes[0], Matrix(72, 72)), 10.71, 0.06);
}

}  // namespace
}  // namespace sbdl::test
