// Options of any struct, through OptionRef: bounds, text and JSON.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/options.hpp"

namespace sbdl {

/// Throws InputError for the first value that is out of its bounds; `owner` is the method, for the message;
/// it may be empty.
void check_bounds(std::string_view owner, const std::vector<OptionRef>& options);

/// Throws InputError for the first option that was given and has no effect beside the values of the others; flag(name)
/// is what the user calls it.
void reject_ignored(const std::vector<OptionRef>& options, const std::function<bool(std::string_view)>& given,
                    const std::function<std::string(std::string_view)>& flag);

/// One entry per option, in their order; choices by name, optionals without a value as unset() has it.
nlohmann::ordered_json options_json(const std::vector<OptionRef>& options);

/// The value as a command line shows it.
std::string value_text(const OptionRef& option);

/// Of two references to options of one type.
void copy_value(const OptionRef& from, const OptionRef& to);

/// For methods that code by matching pursuit: throws InputError unless exactly one of the two is given.
void check_sparsity_given(std::string_view method, const std::optional<int>& sparsity,
                          const std::optional<double>& max_error);

/// For chains: throws InputError unless at least one sweep is kept.
void check_thinning(std::string_view method, int thin, int draws);

}  // namespace sbdl
