// Learners that code by matching pursuit have to be told when it stops.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "sbdl/error.hpp"

namespace sbdl {

/// Throws InputError unless exactly one of the two is given; `owner` is the method, for the message.
inline void check_told_sparsity(std::string_view owner, const std::optional<int>& sparsity,
                                const std::optional<double>& max_error) {
    if (sparsity.has_value() != max_error.has_value()) return;
    throw InputError(fmt::format(
        "{}: {} of sparsity (the most atoms in a signal) and max_error (the norm that a residual may have) is given, "
        "must be exactly one",
        owner, sparsity ? "each" : "none"));
}

}  // namespace sbdl
