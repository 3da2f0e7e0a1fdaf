# Run at every build: writes the commit the sources are at to OUTPUT, touching it only when it changed.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made by apps/sbdl/commit.cmake.
#pragma once

namespace sbdl::app {

/// Where the sources were when the program was built; empty when not built from a git checkout.
inline constexpr const char* commit = \"@commit@\";

}  // namespace sbdl::app
" @ONLY)
