#include "resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "sbdl/error.hpp"
#include "sbdl/train.hpp"

namespace sbdl::app {

namespace {

// In front of the words of a note, each of which ends with a zero byte, as no argument and no path contains one.
constexpr std::string_view note_begin("sbdl command\0", 13);

std::vector<std::string> words_of(std::string_view note) {
    std::vector<std::string> words;
    if (!note.starts_with(note_begin) || !note.ends_with('\0')) return words;
    note.remove_prefix(note_begin.size());
    for (std::size_t end = 0; (end = note.find('\0')) != std::string_view::npos; note.remove_prefix(end + 1))
        words.emplace_back(note.substr(0, end));
    return words;
}

}  // namespace

std::string command_note(const std::vector<std::string>& arguments) {
    std::string note(note_begin);
    note += std::filesystem::current_path().string() + '\0';
    for (const std::string& word : arguments) note += word + '\0';
    return note;
}

std::vector<std::string> command_of(const std::filesystem::path& checkpoint, const std::string& verb) {
    std::vector<std::string> words = words_of(read_checkpoint_note(checkpoint));
    if (words.size() < 2)
        throw InputError(fmt::format("{}: this checkpoint was not written by the program sbdl", checkpoint.string()));
    const std::filesystem::path folder = words.front();
    words.erase(words.begin());
    if (words.front() != verb)
        throw InputError(fmt::format("{}: this checkpoint belongs to sbdl {}", checkpoint.string(), words.front()));
    std::error_code error;
    std::filesystem::current_path(folder, error);
    if (error)
        throw InputError(fmt::format("{}: the command was started in {}, which is gone: {}", checkpoint.string(),
                                     folder.string(), error.message()));
    return words;
}

double seconds_of(const std::string& text, const std::string& option) {
    struct Unit {
        char letter;
        double seconds;
    };
    double scale = 1.0;
    std::string number = text;
    for (const Unit unit : {Unit{'s', 1.0}, Unit{'m', 60.0}, Unit{'h', 3600.0}})
        if (!text.empty() && text.back() == unit.letter) {
            scale = unit.seconds;
            number.pop_back();
        }
    const std::optional<double> value = as_number(number);
    if (!value || !(*value >= 0.0 && *value <= 1e9))
        throw InputError(fmt::format("{} is '{}', must be a time such as 60s, 5m or 1h", option, text));
    return *value * scale;
}

void check_only_resume(const CLI::App& app, const std::vector<std::string>& others) {
    std::vector<std::string> allowed{"--resume", "--threads", "--json", "--quiet", "--help"};
    allowed.insert(allowed.end(), others.begin(), others.end());
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0 && std::find(allowed.begin(), allowed.end(), option->get_name()) == allowed.end())
            throw InputError(
                fmt::format("{} cannot be given with --resume: it is stored in the checkpoint", option->get_name()));
}

Checkpoint ResumeOptions::checkpoint_of(const CLI::App& app, const std::vector<std::string>& arguments,
                                        const std::filesystem::path& resumed) const {
    const CLI::Option* const given = app.get_option_no_throw("--checkpoint-every");
    if (checkpoint.empty() && given != nullptr && given->count() > 0)
        throw InputError("--checkpoint-every has no effect without --checkpoint");
    Checkpoint result;
    result.every_s = seconds_of(every, "--checkpoint-every");
    result.note = command_note(arguments);
    result.resume = !resumed.empty();
    result.path = result.resume ? resumed : checkpoint;
    std::error_code ignored;  // a bad name is rejected as an output
    if (!result.resume && std::filesystem::is_directory(result.path, ignored))
        throw InputError(fmt::format("{}: is a folder; --checkpoint must name a file", result.path.string()));
    if (!result.resume && !result.path.empty() && std::filesystem::exists(result.path, ignored))
        throw InputError(
            fmt::format("{0}: exists; to resume the run that left it: sbdl {1} --resume {0}; to start over, "
                        "remove it",
                        result.path.string(), arguments.front()));
    return result;
}

void ResumeOptions::add_file_to(CLI::App& app) {
    app.add_option("--checkpoint", checkpoint,
                   "Write the state of the run to this file from time to time; it is removed at the end")
        ->type_name("FILE");
    app.add_option("--resume", resume,
                   "Resume the run of this checkpoint, to the same result as if it had never stopped; only --threads, "
                   "--json and --quiet may be combined with it")
        ->type_name("FILE");
}

void ResumeOptions::add_to(CLI::App& app) {
    add_file_to(app);
    app.add_option("--checkpoint-every", every, "Time between two checkpoints; 0s: after every sweep")
        ->capture_default_str()
        ->type_name("TIME");
}

}  // namespace sbdl::app
