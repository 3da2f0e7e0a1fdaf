// What a checkpoint remembers of the command that wrote it, so that --resume needs nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common.hpp"
#include "sbdl/context.hpp"

namespace sbdl::app {

/// The arguments of a verb (the verb first) and the folder it was started in, as Checkpoint::note.
std::string command_note(const std::vector<std::string>& arguments);

/// The arguments that the checkpoint remembers. Relative paths in them are relative to the folder of that command,
/// which becomes the working folder. Throws InputError when the checkpoint was written by another verb, or not by this
/// program.
std::vector<std::string> command_of(const std::filesystem::path& checkpoint, const std::string& verb);

/// "60", "60s", "5m" or "2h" in seconds. Throws InputError.
double seconds_of(const std::string& text, const std::string& option);

/// Throws InputError naming the first option given with --resume, except those that do not change the result: `others`
/// of this verb, too.
void check_only_resume(const CLI::App& app, const std::vector<std::string>& others = {});

/// --checkpoint, --checkpoint-every and --resume.
struct ResumeOptions {
    std::filesystem::path checkpoint, resume;
    std::string every = "60s";

    void add_to(CLI::App& app);
    /// Without --checkpoint-every, for runs that keep what is done as soon as it is.
    void add_file_to(CLI::App& app);
    /// The checkpoint of the run that the arguments (the verb first) ask for; of a resumed run, `resumed` is the file.
    /// Throws InputError when the file of a new run exists: it may be all that is left of another run.
    [[nodiscard]] Checkpoint checkpoint_of(const CLI::App& app, const std::vector<std::string>& arguments,
                                           const std::filesystem::path& resumed) const;
};

}  // namespace sbdl::app
