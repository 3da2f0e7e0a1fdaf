// Text from outside (files, file names, libraries) for people to read.
#pragma once

#include <string>
#include <string_view>

namespace sbdl {

enum class Lines { escaped, kept };

/// Valid UTF-8 that moves no cursor and rings no bell: control characters, characters that turn the direction of
/// writing, and bytes that are not UTF-8 become \xNN, a byte each. `lines` says whether tabs and ends of lines do too.
/// What is printable already stays as it is.
std::string printable(std::string_view text, Lines lines = Lines::escaped);

}  // namespace sbdl
