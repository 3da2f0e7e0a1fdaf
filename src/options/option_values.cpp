#include "options/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "options/option_name.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

class BoundCheck {
public:
    BoundCheck(std::string_view owner, const OptionRef& option) : owner_(owner), option_(option) {}

    void operator()(const bool*) const {}
    void operator()(const ChoiceRef& choice) const {
        const std::size_t number = choice.get(choice.value);
        if (number >= option_.words.size())
            throw InputError(fmt::format("{}{} is choice number {}, must be {}", prefix(), option_name(option_.name),
                                         static_cast<std::ptrdiff_t>(number), fmt::join(option_.words, " or ")));
    }
    template <class Number>
    void operator()(const std::optional<Number>* value) const {
        if (*value) (*this)(&**value);
    }
    // Written so that NaN, which is neither above nor below anything, is rejected.
    template <class Number>
    void operator()(const Number* value) const {
        const auto v = static_cast<double>(*value);
        if (option_.least > 0.0 && option_.least < 1e-50 && !(v > 0.0)) reject(*value, "above", 0.0);
        if (option_.least_allowed && !(v >= option_.least)) reject(*value, "at least", option_.least);
        if (!option_.least_allowed && !(v > option_.least)) reject(*value, "above", option_.least);
        if (!(v <= option_.most)) reject(*value, "at most", option_.most);
    }

private:
    template <class Number>
    [[noreturn]] void reject(Number value, std::string_view relation, double bound) const {
        throw InputError(
            fmt::format("{}{} is {}, must be {} {}", prefix(), option_name(option_.name), value, relation, bound));
    }

    [[nodiscard]] std::string prefix() const { return owner_.empty() ? "" : fmt::format("{}: ", owner_); }

    std::string_view owner_;
    const OptionRef& option_;
};

std::string_view word_of(const OptionRef& option, const ChoiceRef& choice) {
    const std::size_t number = choice.get(choice.value);
    return number < option.words.size() ? option.words[number] : "unknown";
}

struct JsonValue {
    const OptionRef& option;
    nlohmann::ordered_json operator()(const ChoiceRef& choice) const { return word_of(option, choice); }
    template <class Value>
    nlohmann::ordered_json operator()(const Value* value) const {
        return *value;
    }
    template <class Value>
    nlohmann::ordered_json operator()(const std::optional<Value>* value) const {
        return *value ? nlohmann::ordered_json(**value) : nlohmann::ordered_json(option.unset());
    }
};

struct ValueText {
    const OptionRef& option;
    std::string operator()(const ChoiceRef& choice) const { return std::string(word_of(option, choice)); }
    std::string operator()(const bool* value) const { return *value ? "on" : "off"; }
    std::string operator()(const int* value) const { return fmt::to_string(*value); }
    std::string operator()(const double* value) const { return fmt::format("{:g}", *value); }
    template <class Value>
    std::string operator()(const std::optional<Value>* value) const {
        return *value ? (*this)(&**value) : std::string(option.unset());
    }
};

/// "--prior on-off" for "prior on-off".
std::string with_flag(std::string_view others, const std::function<std::string(std::string_view)>& flag) {
    const std::size_t blank = std::min(others.find(' '), others.size());
    return flag(others.substr(0, blank)) + std::string(others.substr(blank));
}

}  // namespace

void check_bounds(std::string_view owner, const std::vector<OptionRef>& options) {
    for (const OptionRef& option : options) std::visit(BoundCheck(owner, option), option.value);
}

void reject_ignored(const std::vector<OptionRef>& options, const std::function<bool(std::string_view)>& given,
                    const std::function<std::string(std::string_view)>& flag) {
    for (const OptionRef& option : options)
        if (!option.applies && given(option.name))
            throw InputError(fmt::format("{} does not apply: it has an effect only with {}", flag(option.name),
                                         with_flag(option.only_with, flag)));
}

nlohmann::ordered_json options_json(const std::vector<OptionRef>& options) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const OptionRef& option : options)
        object[std::string(option.name)] = std::visit(JsonValue{option}, option.value);
    return object;
}

std::string value_text(const OptionRef& option) {
    return std::visit(ValueText{option}, option.value);
}

void copy_value(const OptionRef& from, const OptionRef& to) {
    std::visit(
        [&](const auto& value) {
            using Ref = std::remove_cvref_t<decltype(value)>;
            const Ref& target = std::get<Ref>(to.value);
            if constexpr (std::is_same_v<Ref, ChoiceRef>)
                target.set(target.value, value.get(value.value));
            else
                *target = *value;
        },
        from.value);
}

void validate(AnyOptions options) {
    check_bounds(options.method(), options.options());
    options.check();
}

std::string to_json(AnyOptions options) {
    return options_json(options.options()).dump();
}

void check_sparsity_given(std::string_view method, const std::optional<int>& sparsity,
                          const std::optional<double>& max_error) {
    if (sparsity.has_value() != max_error.has_value()) return;
    throw InputError(
        fmt::format("{}: give exactly one of {} (the maximum number of atoms in a signal) and {} (the maximum norm of "
                    "a residual); {} "
                    "given",
                    method, option_name("sparsity"), option_name("max_error"), sparsity ? "both are" : "neither is"));
}

void check_thinning(std::string_view method, int thin, int draws) {
    if (thin > draws)
        throw InputError(fmt::format("{}: {} is {}, must be at most {}, which is {}: nothing would be kept", method,
                                     option_name("thin"), thin, option_name("draws"), draws));
}

}  // namespace sbdl
