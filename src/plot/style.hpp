// plot.css, embedded when the library is configured.
#pragma once

#include <string_view>

namespace sbdl::plot {

std::string_view style();

}  // namespace sbdl::plot
