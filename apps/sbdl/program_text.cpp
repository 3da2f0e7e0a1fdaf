#include "program_text.hpp"

#include <fmt/format.h>

#include "commit.hpp"
#include "sbdl/version.hpp"

namespace sbdl::app {

std::string program_commit() {
    return commit;
}

std::string program_text() {
    return *commit == '\0' ? version() : fmt::format("{} ({})", version(), commit);
}

}  // namespace sbdl::app
