// What messages call an option: the field of its struct, unless the program or Python has other names for options.
#pragma once

#include <string>
#include <string_view>

namespace sbdl {

/// What the user types for the option of this field.
using OptionSpelling = std::string (*)(std::string_view field);

/// From now on messages of this process spell options like this; null: as the fields.
void spell_options(OptionSpelling spelling);

/// The name of an option for a message.
std::string option_name(std::string_view field);

/// What the user types to give the option this word: "--empty-signals ignore", or in Python empty_signals='ignore'.
std::string option_with(std::string_view field, std::string_view word);

}  // namespace sbdl
