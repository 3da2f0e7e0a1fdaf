#include "sbdl/options.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "options/describe.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

GibbsOptions gibbs() {
    return GibbsOptions::preset(Preset::standard, 50);
}

VbOptions vb() {
    return VbOptions::preset(Preset::standard, 50);
}

template <class Options>
std::string complaint(const Options& options) {
    try {
        validate(options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Options, PresetsAreValid) {
    for (const Preset preset : {Preset::standard, Preset::paper}) {
        EXPECT_NO_THROW(validate(GibbsOptions::preset(preset, 50)));
        EXPECT_NO_THROW(validate(VbOptions::preset(preset, 50)));
    }
}

TEST(Options, ComplaintNamesOptionValueAndBound) {
    GibbsOptions options = gibbs();
    options.burn_in = -3;
    EXPECT_EQ(complaint(options), "gibbs: burn_in is -3, must be at least 0");
    options = gibbs();
    options.noise_rate = 0.0;
    EXPECT_EQ(complaint(options), "gibbs: noise_rate is 0, must be above 0");
    options = gibbs();
    options.anneal_growth = 1.5;
    EXPECT_EQ(complaint(options), "gibbs: anneal_growth is 1.5, must be at most 1");
    VbOptions variational = vb();
    variational.sweeps = 0;
    EXPECT_EQ(complaint(variational), "vb: sweeps is 0, must be at least 1");
}

TEST(Options, AtomsMustBeGiven) {
    EXPECT_EQ(complaint(GibbsOptions{}), "gibbs: atoms is 0, must be at least 1");
    EXPECT_EQ(complaint(VbOptions{}), "vb: atoms is 0, must be at least 1");
}

TEST(Options, ThinningThatWouldKeepNothingIsRefused) {
    GibbsOptions options = gibbs();
    options.draws = 10;
    options.thin = 11;
    EXPECT_EQ(complaint(options), "gibbs: thin is 11, must be at most draws, which is 10: nothing would be kept");
}

TEST(Options, BoundsThatAreAllowedAreAccepted) {
    GibbsOptions options = gibbs();
    options.burn_in = 0;
    options.anneal_growth = 1.0;
    options.refresh_every = 0;
    EXPECT_EQ(complaint(options), "accepted");
}

// Every real-valued option refuses what is no number or not finite, and every number option refuses what is below all
// bounds.
template <class Options>
void expect_unusable_numbers_refused(const Options& good) {
    Options options = good;
    for_each_field(options, [&](const auto& field, auto& value) {
        using Value = std::remove_reference_t<decltype(value)>;
        const Value before = value;
        if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>) {
            for (const double bad : {nan, infinity, -infinity, -1.0}) {
                value = bad;
                EXPECT_THROW(validate(options), InputError) << field.name << " = " << bad;
            }
        } else if constexpr (std::is_same_v<Value, int>) {
            value = -1;
            EXPECT_THROW(validate(options), InputError) << field.name;
        } else if constexpr (std::is_same_v<Value, DictionaryUpdate>) {
            value = static_cast<DictionaryUpdate>(7);
            EXPECT_THROW(validate(options), InputError) << field.name;
        }
        value = before;
    });
}

TEST(Options, UnusableNumbersAreRefused) {
    expect_unusable_numbers_refused(gibbs());
    expect_unusable_numbers_refused(vb());
}

TEST(Options, UnsetRateIsNotChecked) {
    GibbsOptions options = gibbs();
    options.code_rate.reset();
    EXPECT_EQ(complaint(options), "accepted");
    options.code_rate = 0.0;
    EXPECT_EQ(complaint(options), "gibbs: code_rate is 0, must be above 0");
}

TEST(Options, JsonHasEveryOptionInOrder) {
    GibbsOptions options = gibbs();
    options.update = DictionaryUpdate::joint;
    options.noise_rate = 0.1;  // not representable: must come back to the last bit
    const std::string text = to_json(options);
    const auto json = nlohmann::ordered_json::parse(text);

    std::vector<std::string> described;
    for_each_field(options, [&](const auto& field, const auto&) { described.emplace_back(field.name); });
    std::vector<std::string> found;
    for (const auto& item : json.items()) found.push_back(item.key());
    EXPECT_EQ(found, described);

    EXPECT_EQ(json["atoms"], 50);
    EXPECT_EQ(json["update"], "joint");
    EXPECT_EQ(json["code_rate"], "auto");
    EXPECT_EQ(json["noise_rate"].get<double>(), 0.1);
    EXPECT_EQ(json["own_units"], true);

    options.code_rate = 1e-6;
    EXPECT_EQ(nlohmann::json::parse(to_json(options))["code_rate"].get<double>(), 1e-6);
    EXPECT_EQ(nlohmann::json::parse(to_json(vb()))["sweeps"], vb().sweeps);
}

TEST(Options, StandardPresetIsTheDefaults) {
    GibbsOptions gibbs_defaults;
    gibbs_defaults.atoms = 12;
    EXPECT_EQ(to_json(GibbsOptions::preset(Preset::standard, 12)), to_json(gibbs_defaults));
    VbOptions vb_defaults;
    vb_defaults.atoms = 12;
    EXPECT_EQ(to_json(VbOptions::preset(Preset::standard, 12)), to_json(vb_defaults));
}

TEST(Options, PaperPresetIsTheMethodAsPrinted) {
    const GibbsOptions g = GibbsOptions::preset(Preset::paper, 7);
    EXPECT_EQ(g.atoms, 7);
    EXPECT_EQ(g.update, DictionaryUpdate::sequential);
    EXPECT_EQ(g.burn_in + g.draws, 300);
    EXPECT_EQ(g.draws, 1);
    EXPECT_FALSE(g.average);
    EXPECT_EQ(g.atom_variance, 1.0);
    EXPECT_EQ(g.anneal_growth, 0.0);
    EXPECT_EQ(g.refresh_every, 0);

    const VbOptions v = VbOptions::preset(Preset::paper, 7);
    EXPECT_EQ(v.update, DictionaryUpdate::joint);
    EXPECT_EQ(v.start_sweeps, 0);
    EXPECT_EQ(v.sweeps, 300);
    EXPECT_EQ(v.atom_variance, 1e8);

    const auto expect_shared = [](const auto& o) {
        EXPECT_EQ(o.code_shape, 0.5);
        EXPECT_EQ(o.noise_shape, 0.5);
        EXPECT_EQ(o.code_rate, 1e-6);
        EXPECT_EQ(o.noise_rate, 1e-6);
        EXPECT_FALSE(o.own_units);
        EXPECT_FALSE(o.second_look);
    };
    expect_shared(g);
    expect_shared(v);
}

TEST(Options, ChoicesHaveNames) {
    EXPECT_EQ(to_string(DictionaryUpdate::sequential), "sequential");
    EXPECT_EQ(to_string(DictionaryUpdate::joint), "joint");
    EXPECT_EQ(to_string(Preset::standard), "standard");
    EXPECT_EQ(to_string(Preset::paper), "paper");
}

}  // namespace
}  // namespace sbdl
