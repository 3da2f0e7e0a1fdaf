// What a checkpoint remembers of the command that wrote it, so that --resume needs nothing else.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "common.hpp"
#include "sbdl/context.hpp"
#include "verbs.hpp"

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

/// Parses the words of a verb, itself the first, into `arguments`, and sets their checkpoint. With --resume, runs the
/// command that the checkpoint remembers; that run gets the arguments of this one as `resumed`. Returns the status if
/// the program is done: after that, or after help. Throws when one of the options `needed` is missing. `also` are the
/// options of this verb that may be combined with --resume beside the usual ones.
template <class Arguments>
std::optional<int> begin_or_resume(CLI::App& app, const ResumeOptions& options, const std::vector<std::string>& words,
                                   std::initializer_list<const char*> needed, Arguments& arguments,
                                   const Arguments* resumed,
                                   int (*run)(const std::vector<std::string>&, const Arguments*),
                                   const std::vector<std::string>& also = {}) {
    if (!parse(app, {words.begin() + 1, words.end()})) return done;
    if (!options.resume.empty()) {
        check_only_resume(app, also);
        // Relative to this folder, not to that of the command which is resumed.
        arguments.context.checkpoint.path = std::filesystem::absolute(options.resume);
        if (std::filesystem::path& scratch = arguments.context.execution.scratch; !scratch.empty())
            scratch = std::filesystem::absolute(scratch);
        return run(command_of(options.resume, words.front()), &arguments);
    }
    require(app, needed);
    arguments.context.checkpoint =
        options.checkpoint_of(app, words, resumed != nullptr ? resumed->context.checkpoint.path : "");
    if (resumed == nullptr) return std::nullopt;
    arguments.context.execution.threads = resumed->context.execution.threads;
    arguments.output = resumed->output;
    return std::nullopt;
}

}  // namespace sbdl::app
