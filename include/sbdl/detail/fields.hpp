// How plain structs describe their own members: the options of a method, and the numbers of a part of a model. You
// meet these types when you write a method or read options by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

namespace sbdl {

/// One described option: where it lives, what it is called, the least and greatest value it takes.
template <class Options, class Value>
struct Field {
    std::string_view name;  ///< as in JSON and the model file; the command line has dashes for underscores
    Value Options::*member;
    double least;
    bool least_allowed;  ///< false: the value must be above `least`
    double most;
    std::string_view help;
    bool needed = false;  ///< an optional that the user must give, or another in its place; no preset sets it
    std::string_view only_with = {};            ///< what other options must be for it to have an effect, in words
    bool (*applies)(const Options&) = nullptr;  ///< whether they are; null: it always has an effect
};

constexpr double unbounded = 1e300;

template <class Options, class Value>
constexpr auto at_least(std::string_view name, Value Options::*member, double least, std::string_view help,
                        double most = unbounded) {
    return Field<Options, Value>{name, member, least, true, most, help};
}
template <class Options, class Value>
constexpr auto above(std::string_view name, Value Options::*member, double least, std::string_view help,
                     double most = unbounded) {
    return Field<Options, Value>{name, member, least, false, most, help};
}
/// For options without an order: switches and choices.
template <class Options, class Value>
constexpr auto choice(std::string_view name, Value Options::*member, std::string_view help) {
    return Field<Options, Value>{name, member, 0.0, true, unbounded, help};
}
template <class Options, class Value>
constexpr auto needed(Field<Options, std::optional<Value>> field) {
    field.needed = true;
    return field;
}
/// For an option that is ignored unless others have certain values. Giving it anyway is an error.
template <class Options, class Value>
constexpr auto only_with(std::string_view others, std::type_identity_t<bool (*)(const Options&)> applies,
                         Field<Options, Value> field) {
    field.only_with = others;
    field.applies = applies;
    return field;
}

/// A choice by reference, whatever its enum.
struct ChoiceRef {
    void* value;
    std::size_t (*get)(const void* value);
    void (*set)(void* value, std::size_t choice);
};

/// One option of a struct as code that does not know the struct sees it: its description, and a reference to its value.
struct OptionRef {
    std::string_view name;
    std::string_view help;
    double least;
    bool least_allowed;
    double most;
    bool needed;
    std::string_view only_with;               ///< what other options must be for it to have an effect; empty: anything
    bool applies;                             ///< whether they were when this reference was made
    std::span<const std::string_view> words;  ///< of a choice; empty otherwise
    std::variant<int*, double*, bool*, std::optional<int>*, std::optional<double>*, ChoiceRef> value;

    /// What an optional without a value is called.
    [[nodiscard]] std::string_view unset() const { return needed ? "none" : "auto"; }
};

template <class Choice>
inline constexpr auto choice_words = words_of(Choice{});

template <class Options, class Value>
OptionRef option_ref(const Field<Options, Value>& field, Options& options) {
    Value& value = options.*(field.member);
    OptionRef ref{.name = field.name,
                  .help = field.help,
                  .least = field.least,
                  .least_allowed = field.least_allowed,
                  .most = field.most,
                  .needed = field.needed,
                  .only_with = field.only_with,
                  .applies = field.applies == nullptr || field.applies(options),
                  .words = {},
                  .value = {}};
    if constexpr (std::is_enum_v<Value>) {
        ref.words = choice_words<Value>;
        ref.value =
            ChoiceRef{&value, [](const void* at) { return static_cast<std::size_t>(*static_cast<const Value*>(at)); },
                      [](void* at, std::size_t choice) { *static_cast<Value*>(at) = static_cast<Value>(choice); }};
    } else {
        ref.value = &value;
    }
    return ref;
}

/// All options of a struct, in the order of its fields(). The references are valid while `options` lives.
template <class Options>
std::vector<OptionRef> option_refs(Options& options) {
    static constexpr auto fields = Options::fields();
    return std::apply([&](const auto&... field) { return std::vector{option_ref(field, options)...}; }, fields);
}

/// How a number of the model is bounded. `known_not_negative`: or NaN, when it is not known. `diagnostic`: the same,
/// and it may be infinite.
enum class Range { positive, not_negative, known_not_negative, diagnostic };

/// One number of a part of the model: what it is called in the file, in JSON and in Python, and what it means.
template <class Part>
struct PartNumber {
    const char* name;
    double Part::*member;
    Range range;
    const char* meaning;
};

/// The same for a whole number.
template <class Part>
struct PartCount {
    const char* name;
    std::uint64_t Part::*member;
    const char* meaning;
};

/// The same for an array.
template <class Part, class Values>
struct PartArray {
    const char* name;
    Values Part::*member;
    const char* meaning;
};
// For clang before 17, which does not deduce the arguments of aggregates.
template <class Part, class Values>
PartArray(const char*, Values Part::*, const char*) -> PartArray<Part, Values>;

/// Calls visit(field, value) for everything that a part describes in its fields().
template <class Part, class Visitor>
void for_each_field(Part& part, Visitor&& visit) {
    std::apply([&](const auto&... field) { (visit(field, part.*(field.member)), ...); },
               std::remove_const_t<Part>::fields());
}

}  // namespace sbdl
