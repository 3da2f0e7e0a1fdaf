#include "browser/chromium.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace sbdl::test {

namespace fs = std::filesystem;

std::string find_chromium() {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
        for (const char* name : {"chromium", "chromium-browser"})
            if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return (fs::path(folder) / name).string();
    return {};
}

std::string dump_document(const fs::path& page, const Window& window, const fs::path& scratch) {
    // A sandbox needs privileges that containers seldom grant, and the page is our own. A browser that hangs is killed.
    std::ostringstream command;
    command << "timeout 120 '" << find_chromium() << "' --headless --no-sandbox --disable-gpu --no-first-run"
            << " --disable-dev-shm-usage --virtual-time-budget=10000 --user-data-dir='" << scratch.string() << "'"
            << " --window-size=" << window.width << ',' << window.height
            << (window.dark ? " --force-dark-mode --blink-settings=preferredColorScheme=0" : "")
            << " --dump-dom 'file://" << page.string() << "' 2>/dev/null";
    FILE* pipe = popen(command.str().c_str(), "r");
    if (pipe == nullptr) return {};
    std::string document;
    std::array<char, 65536> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
        document.append(buffer.data(), got);
    return pclose(pipe) == 0 ? document : std::string();
}

}  // namespace sbdl::test
