// "-" for standard input and output, and pipes where files are read, such as <(command) in a shell.
//
// Readers want files that can be mapped and read again, so what comes through a pipe is first copied to a temporary
// folder. An output is written there, too: nothing reaches standard output unless the work succeeded.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/unfinished.hpp"
#include "common.hpp"

namespace sbdl::app {

class Pipes {
public:
    Pipes() = default;
    Pipes(const Pipes&) = delete;
    Pipes& operator=(const Pipes&) = delete;
    ~Pipes();

    /// If the path is "-" or a pipe: reads all of it, and sets the path to a copy. Throws InputError when the standard
    /// input is asked for twice or is a terminal.
    void take_input(std::filesystem::path& path);

    /// If the path is "-": sets it to a temporary file with this ending, for finish(). What `output` says goes to
    /// standard error from now on. Throws InputError when standard output is asked for twice, or by --json as well.
    void take_output(std::filesystem::path& path, std::string_view ending, Output& output);

    /// Copies the temporary file, if it was written, to standard output.
    void finish();

    /// Throws InputError if an input cannot be read a second time, as a resumed run would have to.
    void check_checkpoint(const std::filesystem::path& checkpoint) const;

private:
    /// A file in the temporary folder, which messages call by the other name.
    std::filesystem::path temporary(const std::string& file, const std::string& name);

    std::filesystem::path folder_, output_;
    void (*on_broken_pipe_)(int) = nullptr;  // before the output was taken
    std::vector<std::unique_ptr<Unfinished>> unfinished_;
    int inputs_ = 0;
    bool standard_input_ = false;
};

/// A text in which temporary files have the names that the user knows.
std::string with_pipe_names(std::string text);

}  // namespace sbdl::app
