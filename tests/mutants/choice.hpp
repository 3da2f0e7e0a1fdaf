// What mutate.py puts into a mutated source: which of the mutants runs is decided by the variable SBDL_MUTANT.
#pragma once

#include <cstdlib>

namespace sbdl_mutants {

inline const int chosen = [] {
    const char* number = std::getenv("SBDL_MUTANT");
    return number == nullptr ? 0 : std::atoi(number);
}();

/// The value of an expression: an expression of Eigen is computed, so that two of different types can stand for each
/// other.
template <class Value>
auto value_of(const Value& value) {
    if constexpr (requires { typename Value::PlainObject; })
        return typename Value::PlainObject(value);
    else
        return value;
}

}  // namespace sbdl_mutants

// Only the chosen one of the two is evaluated.
#define SBDL_MUTANT_EXPRESSION(number, mutated, original)                                                         \
    [&] {                                                                                                         \
        using Original = decltype(sbdl_mutants::value_of(original));                                              \
        return sbdl_mutants::chosen == (number) ? Original(sbdl_mutants::value_of(mutated)) : Original(original); \
    }()
