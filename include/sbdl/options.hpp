// The options of the methods. A plain struct per method describes each of its options once, in fields(): name,
// bounds, help. The command line, Python, JSON, the model file and validation all read it from there. AnyOptions holds
// the options of any method, for code that serves all of them.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sbdl/detail/fields.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// How the dictionary is updated in a sweep.
enum class DictionaryUpdate {
    sequential,  ///< one atom at a time
    joint        ///< the whole dictionary at once
};
/// The names of a choice, in the order of its values. Every enum that is an option has such a function.
constexpr std::array<std::string_view, 2> words_of(DictionaryUpdate) {
    return {"sequential", "joint"};
}

/// The prior of the codes that a posterior is computed with.
enum class CodePrior {
    student_t,  ///< the paper's: heavy tails, never exactly zero
    on_off      ///< each entry is exactly zero or drawn from a Gaussian; atoms have unit norm
};
constexpr std::array<std::string_view, 2> words_of(CodePrior) {
    return {"student-t", "on-off"};
}

/// For options of methods that have a choice of priors.
template <class Options, class Value>
constexpr auto with_on_off(const Field<Options, Value>& field) {
    return only_with(
        "prior on-off", [](const Options& options) { return options.prior == CodePrior::on_off; }, field);
}
template <class Options, class Value>
constexpr auto with_student_t(const Field<Options, Value>& field) {
    return only_with(
        "prior student-t", [](const Options& options) { return options.prior == CodePrior::student_t; }, field);
}

/// For options of methods that accept missing entries.
template <class Options>
constexpr auto empty_signals_field() {
    return choice("empty_signals", &Options::empty_signals,
                  "Signals without any observed entry: an error (refuse), or nothing is learned from them, and their "
                  "codes and reconstructions are zero (ignore).");
}

/// `paper` is the method as printed; `standard` is recommended and needs only the data and the number of atoms.
enum class Preset { standard, paper };
constexpr std::array<std::string_view, 2> words_of(Preset) {
    return {"standard", "paper"};
}

/// The options of a method: a struct with the method's name, described fields, presets, and, where options depend on
/// each other, a check() that throws InputError.
template <class Options>
concept MethodOptions = requires(Options options) {
    { Options::method } -> std::convertible_to<std::string_view>;
    { Options::preset(Preset::standard, 1) } -> std::same_as<Options>;
    Options::fields();
    options.atoms;
};

/// The options of some method. Converts from every method's struct, so that functions take all of them.
class AnyOptions {
public:
    template <MethodOptions Options>
    AnyOptions(Options options)  // NOLINT(google-explicit-constructor): meant to convert
        : held_(std::make_unique<Held<Options>>(std::move(options))) {}
    AnyOptions(const AnyOptions& other) : held_(other.held_ ? other.held_->clone() : nullptr) {}
    AnyOptions(AnyOptions&&) noexcept = default;
    AnyOptions& operator=(const AnyOptions& other) {
        held_ = other.held_ ? other.held_->clone() : nullptr;
        return *this;
    }
    AnyOptions& operator=(AnyOptions&&) noexcept = default;
    ~AnyOptions() = default;

    [[nodiscard]] std::string_view method() const { return held_->method(); }
    [[nodiscard]] int atoms() const { return held_->atoms(); }
    /// In the order of fields(); references into this object.
    [[nodiscard]] std::vector<OptionRef> options() { return held_->options(); }
    /// The same method's preset for as many atoms.
    [[nodiscard]] AnyOptions preset(Preset which) const { return AnyOptions(held_->preset(which)); }
    /// What depends on several options; throws InputError.
    void check() const { held_->check(); }

    /// The struct itself; std::bad_cast when it is another method's.
    template <class Options>
    [[nodiscard]] const Options& as() const {
        return dynamic_cast<const Held<Options>&>(*held_).value;
    }

private:
    struct Base {
        virtual ~Base() = default;
        [[nodiscard]] virtual std::unique_ptr<Base> clone() const = 0;
        [[nodiscard]] virtual std::string_view method() const = 0;
        [[nodiscard]] virtual int atoms() const = 0;
        virtual std::vector<OptionRef> options() = 0;
        [[nodiscard]] virtual std::unique_ptr<Base> preset(Preset which) const = 0;
        virtual void check() const = 0;
    };
    template <class Options>
    struct Held final : Base {
        explicit Held(Options options) : value(std::move(options)) {}
        [[nodiscard]] std::unique_ptr<Base> clone() const override { return std::make_unique<Held>(value); }
        [[nodiscard]] std::string_view method() const override { return Options::method; }
        [[nodiscard]] int atoms() const override { return value.atoms; }
        std::vector<OptionRef> options() override { return option_refs(value); }
        [[nodiscard]] std::unique_ptr<Base> preset(Preset which) const override {
            return std::make_unique<Held>(Options::preset(which, value.atoms));
        }
        void check() const override {
            if constexpr (requires { value.check(); }) value.check();
        }
        Options value;
    };
    explicit AnyOptions(std::unique_ptr<Base> held) : held_(std::move(held)) {}

    std::unique_ptr<Base> held_;
};

/// Throws InputError naming the first option that is out of its bounds, with its value and the bound, or what is
/// missing.
void validate(AnyOptions options);

/// All options as a JSON object, in the order of fields().
std::string to_json(AnyOptions options);

/// The word of a choice; "unknown" for a number that is none of its values.
template <class Choice>
requires std::is_enum_v<Choice> && requires(Choice choice) {
    words_of(choice);
}
constexpr std::string_view to_string(Choice value) {
    const auto number = static_cast<std::size_t>(value);
    return number < choice_words<Choice>.size() ? choice_words<Choice>[number] : "unknown";
}

}  // namespace sbdl
