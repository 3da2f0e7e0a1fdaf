// The ways in which a call can fail, and the exception of a call that was asked to stop. Messages name the file,
// the field, the value and the bound it violates.
#pragma once

#include <stdexcept>
#include <string>

namespace sbdl {

/// Messages are safe to print on a terminal, and what() is valid UTF-8: control characters and bytes that are not
/// UTF-8, quoted from files and their names, are written as \xNN.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message);
};

/// The caller's data or options are wrong (the command-line program exits with 2).
class InputError : public Error {
public:
    using Error::Error;
};

/// A file cannot be read or written as asked (the command-line program exits with 2).
class FileError : public Error {
public:
    using Error::Error;
};

/// There is no file of that name.
class MissingFileError : public FileError {
public:
    using FileError::FileError;
};

/// The arithmetic broke down although the input was accepted (the command-line program exits with 1).
class NumericError : public Error {
public:
    using Error::Error;
};

/// The call was asked to end (Execution::stop) and has no result. This is not an Error: nothing is wrong.
class Stopped : public std::runtime_error {
public:
    Stopped() : std::runtime_error("stopped on request") {}
};

}  // namespace sbdl
