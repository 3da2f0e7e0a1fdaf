// Turns the errors of C libraries that report them by a jump (libpng, libjpeg) into exceptions.
//
// A jump must not skip the destructor of a C++ object. So everything that owns memory is created before guarded() is
// called, and the step given to it has only plain values and references.
#pragma once

#include <fmt/format.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <string>

#include "sbdl/error.hpp"

namespace sbdl {

/// Where to jump after an error in the library, and its message.
struct LibraryError {
    std::jmp_buf back = {};
    std::array<char, 256> message = {};
};

/// For the library's error callback: keeps the message and jumps back to guarded().
[[noreturn]] inline void leave_library(LibraryError& error, const char* message) {
    std::snprintf(error.message.data(), error.message.size(), "%s", message);
    std::longjmp(error.back, 1);
}

/// Runs a step that calls the library. Throws FileError, "NAME: MESSAGE", when the library reported an error.
template <class Step>
void guarded(LibraryError& error, const std::string& name, const Step& step) {
    if (setjmp(error.back) != 0) {
        throw FileError(fmt::format("{}: {}", name, error.message.data()));
    }
    step();
}

}  // namespace sbdl
