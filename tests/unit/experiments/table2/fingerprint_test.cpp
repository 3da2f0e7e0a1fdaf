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
    DenoiseOptions weights = with("apru", Recipe::paper);
    weights.lambda = 25.0;
    weights.lambda_s = 30.0;
    EXPECT_EQ(recipe(weights)["denoise"]["lambda_s"], 30.0);
}

// Results of this version. If they change on purpose, raise denoise_recipe_version and store the new ones. Nothing is
// learned here. The bounds leave room for compilers, whose images differ: clang's has a noise estimate lower by 0.07
// and PSNRs lower by 0.06 and 0.07 dB.
TEST(Table2Fingerprint, ResultsBelongToTheVersionOfTheRecipe) {
    const Image truth = make_image(72, 72, false, 3), noisy = make_noisy(truth, 20.0, 3);
    const DenoiseResult best = denoise(noisy, with("dct"));
    const DenoiseResult paper = denoise(noisy, with("dct", Recipe::paper));
    ASSERT_EQ(denoise_recipe_version, 2);
    EXPECT_NEAR(best.noise_sd, 19.34, 0.06);
    EXPECT_NEAR(psnr(truth, best.image, 255.0), 25.738, 0.04);
    EXPECT_NEAR(psnr(truth, paper.image, 255.0), 25.660, 0.045);
}

}  // namespace
}  // namespace sbdl::test
