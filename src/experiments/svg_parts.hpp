// What our plots share: the page they are drawn on, text and lines. Coordinates are pixels; y grows downwards.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/markup.hpp"

namespace sbdl::svg {

using Out = std::back_insert_iterator<std::string>;

inline constexpr std::string_view heading = R"(class="ink-text" font-size="18" font-weight="600")";
inline constexpr std::string_view remark = R"(class="soft-text" font-size="12")";

/// Opens a drawing with its page, which is light or dark as the reader likes. `style`: a <style> of the plot's own.
inline void begin(Out out, double width, double height, std::string_view style, std::string_view title) {
    fmt::format_to(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
                   "height=\"{1:.0f}\" role=\"img\" font-family=\"system-ui, 'DejaVu Sans', Helvetica, sans-serif\">\n"
                   "<title>{2}</title>\n",
                   width, height, escaped(title));
    fmt::format_to(out, "{}", R"(<style>
  .page { fill: #ffffff } .ink-text { fill: #1f2328 } .soft-text { fill: #59636e }
  .frame { fill: none; stroke: #8c959f } .grid { stroke: #d8dee4 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .ink-text { fill: #e6edf3 } .soft-text { fill: #9aa4af }
    .frame { stroke: #6e7681 } .grid { stroke: #2b313a }
  }
</style>
)");
    fmt::format_to(out, "{}<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n", style);
}

inline void text(Out out, double x, double y, std::string_view attributes, std::string_view words) {
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, escaped(words));
}

inline void line(Out out, double x1, double y1, double x2, double y2, std::string_view attributes) {
    fmt::format_to(out, "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                   attributes);
}

}  // namespace sbdl::svg
