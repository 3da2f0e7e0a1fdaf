// The style and the script of the page: page.css and page.js, embedded when the library is configured.
#pragma once

#include <string_view>

namespace sbdl::report {

std::string_view page_style();
std::string_view page_script();

}  // namespace sbdl::report
