// Holds every option against the bounds its field states.
#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "options/describe.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

template <class Options>
struct BoundCheck {
    std::string_view owner;

    // Written so that NaN, which is neither above nor below anything, is refused.
    template <class Value, class Number>
    void number(const Field<Options, Value>& field, Number value) const {
        const auto v = static_cast<double>(value);
        if (field.least_allowed && !(v >= field.least)) refuse(field.name, value, "at least", field.least);
        if (!field.least_allowed && !(v > field.least)) refuse(field.name, value, "above", field.least);
        if (!(v <= field.most)) refuse(field.name, value, "at most", field.most);
    }

    void operator()(const Field<Options, int>& field, int value) const { number(field, value); }
    void operator()(const Field<Options, double>& field, double value) const { number(field, value); }
    void operator()(const Field<Options, std::optional<double>>& field, const std::optional<double>& value) const {
        if (value) number(field, *value);
    }
    void operator()(const Field<Options, bool>&, bool) const {}
    void operator()(const Field<Options, DictionaryUpdate>& field, DictionaryUpdate value) const {
        if (value != DictionaryUpdate::sequential && value != DictionaryUpdate::joint)
            throw InputError(fmt::format("{}: {} is choice number {}, must be sequential or joint", owner, field.name,
                                         static_cast<int>(value)));
    }

    template <class Number>
    [[noreturn]] void refuse(std::string_view name, Number value, std::string_view relation, double bound) const {
        throw InputError(fmt::format("{}: {} is {}, must be {} {}", owner, name, value, relation, bound));
    }
};

}  // namespace

void validate(const GibbsOptions& options) {
    for_each_field(options, BoundCheck<GibbsOptions>{"GibbsOptions"});
    if (options.thin > options.draws)
        throw InputError(
            fmt::format("GibbsOptions: thin is {}, must be at most draws, which is {}: nothing would be kept",
                        options.thin, options.draws));
}

void validate(const VbOptions& options) {
    for_each_field(options, BoundCheck<VbOptions>{"VbOptions"});
}

}  // namespace sbdl
