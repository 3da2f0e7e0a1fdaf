#include "sbdl/options.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "options/option_name.hpp"
#include "options/option_values.hpp"
#include "sbdl/error.hpp"
#include "sbdl/gibbs.hpp"
#include "sbdl/vb.hpp"
#include "support/expect_error.hpp"

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

TEST(Options, ThinningThatWouldKeepNothingIsRejected) {
    GibbsOptions options = gibbs();
    options.draws = 10;
    options.thin = 11;
    EXPECT_EQ(complaint(options), "gibbs: thin is 11, must be at most draws, which is 10: nothing would be kept");
}

TEST(Options, TooFewClosingSweepsAndTooFewMostDrawsAreRejected) {
    VbOptions of_vb = VbOptions::preset(Preset::standard, 4);
    of_vb.closing_sweeps = 39;
    EXPECT_EQ(complaint(of_vb),
              "vb: closing_sweeps is 39, must be 0 or at least 40: the chain starts with all codes off");
    of_vb.closing_sweeps = 100;
    of_vb.most_closing_sweeps = 99;
    EXPECT_EQ(complaint(of_vb), "vb: most_closing_sweeps is 99, must be 0 or at least closing_sweeps, which is 100");
    of_vb.closing_sweeps = 0;
    EXPECT_EQ(complaint(of_vb), "accepted");
    GibbsOptions options = gibbs();
    options.draws = 50;
    options.most_draws = 20;
    EXPECT_EQ(complaint(options), "gibbs: most_draws is 20, must be 0 or at least draws, which is 50");
    options.most_draws = 50;
    EXPECT_EQ(complaint(options), "accepted");
}

TEST(Options, OnOffCodesNeedAtomsInTurn) {
    VbOptions options = vb();
    ASSERT_EQ(options.prior, CodePrior::on_off);
    options.update = DictionaryUpdate::joint;
    EXPECT_EQ(complaint(options), "vb: update is joint, must be sequential with prior on-off");
    options.prior = CodePrior::student_t;
    EXPECT_NO_THROW(validate(options));
}

TEST(Options, BoundsThatAreAllowedAreAccepted) {
    GibbsOptions options = gibbs();
    options.burn_in = 0;
    options.anneal_growth = 1.0;
    options.refresh_every = 0;
    EXPECT_EQ(complaint(options), "accepted");
}

// Every real-valued option rejects NaN and infinity, and every numeric option rejects values below all bounds.
template <class Options>
void expect_unusable_numbers_rejected(const Options& good) {
    Options options = good;
    for (const OptionRef& option : option_refs(options)) {
        const auto expect_rejected = [&](auto& value, auto bad) {
            const auto before = value;
            value = bad;
            EXPECT_THROW(validate(options), InputError) << option.name << " = " << bad;
            value = before;
        };
        if (auto* const* number = std::get_if<double*>(&option.value))
            for (const double bad : {nan, infinity, -infinity, -1.0}) expect_rejected(**number, bad);
        else if (auto* const* maybe = std::get_if<std::optional<double>*>(&option.value))
            for (const double bad : {nan, infinity, -infinity, -1.0}) expect_rejected(**maybe, bad);
        else if (auto* const* count = std::get_if<int*>(&option.value))
            expect_rejected(**count, -1);
        else if (const auto* choice = std::get_if<ChoiceRef>(&option.value)) {
            const std::size_t before = choice->get(choice->value);
            choice->set(choice->value, 7);
            EXPECT_THROW(validate(options), InputError) << option.name;
            choice->set(choice->value, before);
        }
    }
}

TEST(Options, UnusableNumbersAreRejected) {
    expect_unusable_numbers_rejected(gibbs());
    expect_unusable_numbers_rejected(vb());
}

TEST(Options, UnsetRateIsNotChecked) {
    GibbsOptions options = gibbs();
    options.code_rate.reset();
    EXPECT_EQ(complaint(options), "accepted");
    options.code_rate = 0.0;
    EXPECT_EQ(complaint(options), "gibbs: code_rate is 0, must be above 0");
}

// Only what was given is rejected: a default has to be somewhere.
TEST(Options, WhatHasNoEffectBesideOthersIsRejectedWhenGiven) {
    VbOptions options = vb();
    const auto rejected = [&](std::string_view name) {
        try {
            reject_ignored(
                option_refs(options), [name](std::string_view other) { return other == name; },
                [](std::string_view given) { return "--" + std::string(given); });
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(rejected("closing_sweeps"), "accepted");
    EXPECT_EQ(rejected("code_shape"), "--code_shape does not apply: it has an effect only with --prior student-t");
    EXPECT_EQ(rejected("none"), "accepted");
    options.prior = CodePrior::student_t;
    EXPECT_EQ(rejected("closing_sweeps"), "--closing_sweeps does not apply: it has an effect only with --prior on-off");
    EXPECT_EQ(rejected("code_shape"), "accepted");
    EXPECT_EQ(complaint(options), "accepted");
}

TEST(Options, JsonHasEveryOptionInOrder) {
    GibbsOptions options = gibbs();
    options.update = DictionaryUpdate::joint;
    options.noise_rate = 0.1;  // not representable: must come back to the last bit
    const std::string text = to_json(options);
    const auto json = nlohmann::ordered_json::parse(text);

    std::vector<std::string> described;
    for (const OptionRef& option : option_refs(options)) described.emplace_back(option.name);
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
    EXPECT_EQ(v.prior, CodePrior::student_t);
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
        EXPECT_FALSE(o.reestimate_noise);
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

TEST(OptionRefs, ReadAndWriteTheStruct) {
    GibbsOptions options = gibbs();
    const std::vector<OptionRef> refs = option_refs(options);
    const auto named = [&](std::string_view name) -> const OptionRef& {
        for (const OptionRef& ref : refs)
            if (ref.name == name) return ref;
        throw std::out_of_range(std::string(name));
    };
    *std::get<int*>(named("burn_in").value) = 17;
    EXPECT_EQ(options.burn_in, 17);
    *std::get<std::optional<double>*>(named("code_rate").value) = 0.5;
    EXPECT_EQ(options.code_rate, 0.5);
    const auto& update = std::get<ChoiceRef>(named("update").value);
    update.set(update.value, 1);
    EXPECT_EQ(options.update, DictionaryUpdate::joint);
    EXPECT_EQ(update.get(update.value), 1U);
    ASSERT_EQ(named("update").words.size(), 2U);
    EXPECT_EQ(named("update").words[1], "joint");
    EXPECT_TRUE(named("burn_in").words.empty());
    EXPECT_EQ(named("anneal_growth").most, 1.0);
    EXPECT_FALSE(named("noise_rate").least_allowed);
}

TEST(OptionRefs, ShowValuesAsACommandLineDoes) {
    GibbsOptions options = gibbs();
    options.noise_rate = 1e-12;
    std::string text;
    for (const OptionRef& option : option_refs(options))
        if (option.name == "atoms" || option.name == "update" || option.name == "code_rate" ||
            option.name == "noise_rate" || option.name == "own_units")
            text += std::string(option.name) + "=" + value_text(option) + " ";
    EXPECT_EQ(text, "atoms=50 update=sequential code_rate=auto noise_rate=1e-12 own_units=on ");
}

TEST(AnyOptions, CopiesAreIndependent) {
    AnyOptions first = gibbs();
    AnyOptions second = first;
    *std::get<int*>(second.options().front().value) = 9;  // atoms
    EXPECT_EQ(first.atoms(), 50);
    EXPECT_EQ(second.atoms(), 9);
    first = second;
    EXPECT_EQ(first.atoms(), 9);
    EXPECT_EQ(second.preset(Preset::paper).as<GibbsOptions>().draws, 1);
    EXPECT_EQ(second.preset(Preset::paper).atoms(), 9);
    EXPECT_EQ(second.method(), "gibbs");
    EXPECT_THROW(static_cast<void>(second.as<VbOptions>()), std::bad_cast);
}

TEST(AnyOptions, OneThatWasMovedFromCanBeCopied) {
    AnyOptions from = gibbs();
    const AnyOptions taken = std::move(from);
    AnyOptions copy = from;  // NOLINT(bugprone-use-after-move)
    copy = taken;
    EXPECT_EQ(copy.atoms(), 50);
    copy = from;
    copy = gibbs();
    EXPECT_EQ(copy.method(), "gibbs");
}

TEST(AnyOptions, ValuesAreCopiedOneByOne) {
    AnyOptions from = GibbsOptions::preset(Preset::paper, 7), to = gibbs();
    const std::vector<OptionRef> source = from.options(), target = to.options();
    ASSERT_EQ(source.size(), target.size());
    EXPECT_NE(to_json(from), to_json(to));
    for (std::size_t i = 0; i < source.size(); ++i) copy_value(source[i], target[i]);
    EXPECT_EQ(to_json(from), to_json(to));
}

// Python and the program have names of their own for options.
TEST(OptionName, IsTheFieldsUnlessAnotherSpellingIsSet) {
    EXPECT_EQ(option_name("max_error"), "max_error");
    spell_options([](std::string_view field) { return "<" + std::string(field) + ">"; });
    EXPECT_EQ(option_name("max_error"), "<max_error>");
    EXPECT_EQ(option_with("prior", "on-off"), "<prior>='on-off'");
    GibbsOptions options = GibbsOptions::preset(Preset::standard, 4);
    options.thin = 0;
    test::expect_error<InputError>([&] { validate(options); }, {"gibbs: <thin> is 0, must be at least 1"});
    options.thin = options.draws + 1;
    test::expect_error<InputError>([&] { validate(options); }, {"<thin> is", "at most <draws>"});
    spell_options([](std::string_view field) { return "--" + std::string(field); });
    EXPECT_EQ(option_with("prior", "on-off"), "--prior on-off");
    spell_options(nullptr);
    EXPECT_EQ(option_name("max_error"), "max_error");
}

}  // namespace
}  // namespace sbdl
