// Numbers as people read them. Nothing here lets "nan" or "inf" reach the page. All of it is plain text that needs no
// escaping.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sbdl::report {

/// So many significant digits, without trailing zeros, a true minus sign and powers of ten for the very large and
/// small: "0.0384", "1.2·10⁻⁷", "unknown" for what is not finite.
std::string number(double value, int digits = 4);

/// With exactly so many digits after the point; "unknown" for what is not finite.
std::string fixed(double value, int decimals);

/// "19.27 ± 0.81": both with the digits that the deviation leaves meaningful. The value alone when the deviation is
/// unknown or 0.
std::string plus_minus(double value, double deviation);

/// "4000", "12 000": thousands set apart from five digits on.
std::string count(std::uint64_t value);

/// "1 atom", "3 atoms".
std::string count_of(std::uint64_t value, std::string_view thing);

/// "1st", "2nd", "3rd", "4th", ...
std::string ordinal(std::uint64_t value);

/// The power of ten as text: "10⁶"; "10" when it is 1.
std::string power_of_ten(int exponent);

}  // namespace sbdl::report
