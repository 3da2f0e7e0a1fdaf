// Opens a page in headless chromium and returns the document as it is when its scripts are done.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sbdl::test {

/// The browser's program; empty when there is none.
std::string find_chromium();

struct Window {
    int width = 1280, height = 900;
    bool dark = false;
};

/// The document as HTML; empty when the browser failed. `scratch` is an existing folder for its profile.
std::string dump_document(const std::filesystem::path& page, const Window& window,
                          const std::filesystem::path& scratch);

}  // namespace sbdl::test
