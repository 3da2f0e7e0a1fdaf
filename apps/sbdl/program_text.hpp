// Which program this is, for whatever it writes: a version alone does not tell one build from the next.
#pragma once

#include <string>

namespace sbdl::app {

/// "0.2.0 (1234567890ab)"; the version alone when not built from a git checkout.
std::string program_text();
/// The commit alone; empty when not built from a git checkout.
std::string program_commit();

}  // namespace sbdl::app
