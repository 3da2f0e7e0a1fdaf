// Numbers as text for people. "nan" and "inf" never reach the page. Plain text that needs no escaping.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plot/number_text.hpp"

namespace sbdl::report {

using plot::fixed;
using plot::power_of_ten;

/// With this many significant digits, without trailing zeros, with a true minus sign and powers of ten for very large
/// and small numbers: "0.0384", "1.2·10⁻⁷"; "unknown" if not finite.
std::string number(double value, int digits = 4);

/// "19.27 ± 0.81": both with the digits that the standard deviation leaves meaningful. The value alone when the
/// standard deviation is unknown or 0.
std::string plus_minus(double value, double std_dev);

/// "12.5 %" for 0.125.
std::string percent_text(double share);

/// "4000", "12 000": groups of three from five digits on.
std::string count(std::uint64_t value);

/// "1 atom", "3 atoms".
std::string count_of(std::uint64_t value, std::string_view thing);

/// "1st", "2nd", "3rd", "4th", ...
std::string ordinal(std::uint64_t value);

}  // namespace sbdl::report
