// Numbers as plots and reports show them. Plain text that needs no escaping.
#pragma once

#include <string>

namespace sbdl::plot {

/// With exactly this many decimals and a true minus sign; "unknown" if not finite.
std::string fixed(double value, int decimals);

/// A number as fmt wrote it with a true minus sign, which is as wide as the plus. A rounded -0 has none.
std::string with_minus_sign(const std::string& text);

/// The power of ten as text: "10⁶"; "10" when it is 1.
std::string power_of_ten(int exponent);

}  // namespace sbdl::plot
