// The options of K-SVD: what is required, what is rejected, and how they appear in JSON.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/train.hpp"
#include "support/expect_error.hpp"

namespace sbdl::test {
namespace {

KsvdOptions with_sparsity(int sparsity, int atoms = 12) {
    KsvdOptions options = KsvdOptions::preset(Preset::standard, atoms);
    options.sparsity = sparsity;
    return options;
}

TEST(KsvdOptions, ExactlyOneOfSparsityAndErrorMustBeGiven) {
    KsvdOptions options = KsvdOptions::preset(Preset::standard, 12);
    expect_error<InputError>([&] { validate(options); }, {"ksvd", "exactly one of sparsity", "max_error"});
    options.sparsity = 3;
    EXPECT_NO_THROW(validate(options));
    options.max_error = 0.5;
    expect_error<InputError>([&] { validate(options); }, {"exactly one of sparsity", "max_error", "both are given"});
    options.sparsity.reset();
    EXPECT_NO_THROW(validate(options));
}

TEST(KsvdOptions, WhatIsOutOfBoundsIsNamedWithItsValue) {
    expect_error<InputError>([] { validate(with_sparsity(0)); }, {"sparsity is 0, must be at least 1"});
    expect_error<InputError>([] { validate(with_sparsity(3, 0)); }, {"atoms is 0, must be at least 1"});
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {0.0, -1.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
        KsvdOptions options = KsvdOptions::preset(Preset::standard, 12);
        options.max_error = bad;
        expect_error<InputError>([&] { validate(options); }, {"max_error is "});
    }
    const auto expect_rejected = [](auto change, std::string_view words) {
        KsvdOptions options = with_sparsity(3);
        change(options);
        expect_error<InputError>([&] { validate(options); }, {words});
    };
    expect_rejected([](KsvdOptions& o) { o.sweeps = 0; }, "sweeps is 0, must be at least 1");
    expect_rejected([](KsvdOptions& o) { o.least_users = -1; }, "least_users is -1, must be at least 0");
    expect_rejected([](KsvdOptions& o) { o.duplicate_correlation = 0.0; },
                    "duplicate_correlation is 0, must be above 0");
    expect_rejected([](KsvdOptions& o) { o.duplicate_correlation = 1.5; },
                    "duplicate_correlation is 1.5, must be at most 1");
    expect_rejected([](KsvdOptions& o) { o.update = static_cast<KsvdUpdate>(5); },
                    "update is choice number 5, must be exact or approximate");
    expect_rejected([](KsvdOptions& o) { o.update = static_cast<KsvdUpdate>(-1); }, "update is choice number -1");
}

TEST(KsvdOptions, JsonHasEveryOptionAndSaysWhatIsNotUsed) {
    const auto json = nlohmann::ordered_json::parse(to_json(with_sparsity(3)));
    std::vector<std::string> names;
    for (const auto& item : json.items()) names.push_back(item.key());
    EXPECT_EQ(names, (std::vector<std::string>{"atoms", "sweeps", "sparsity", "max_error", "update",
                                               "duplicate_correlation", "least_users", "least_share", "keep_codes"}));
    EXPECT_EQ(json["sparsity"], 3);
    EXPECT_EQ(json["max_error"], "none");
    EXPECT_EQ(json["update"], "approximate");
}

TEST(KsvdOptions, APresetIsNamedWhateverHadToBeGiven) {
    const Matrix rows(20, 4, 1.0);
    const auto preset_of = [&](const KsvdOptions& options) { return train(MemorySource{rows}, options).model.preset; };
    EXPECT_EQ(preset_of(with_sparsity(3)), "standard");
    KsvdOptions options = KsvdOptions::preset(Preset::paper, 12);
    options.max_error = 0.25;
    EXPECT_EQ(options.update, KsvdUpdate::exact);
    EXPECT_EQ(preset_of(options), "paper");
    options.sweeps += 1;
    EXPECT_EQ(preset_of(options), "custom");
}

}  // namespace
}  // namespace sbdl::test
