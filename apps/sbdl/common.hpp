// What the verbs share: common options, checks before the work starts, and how results and progress are shown.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/methods.hpp"

namespace sbdl::app {

/// Parses the arguments of a verb. False if help was requested, which is then on standard output. Throws
/// CLI::ParseError for wrong use; an option that does not exist is named with the one that was probably meant.
bool parse(CLI::App& app, int count, char** arguments);
bool parse(CLI::App& app, const std::vector<std::string>& arguments);

/// Options that few people need: --help leaves them out, --help-all has them. The options of methods are such, too.
void set_apart(CLI::App& app, std::initializer_list<const char*> names);
/// What --help says of an option whose description is long; --help-all and the manual page have all of it.
void set_brief(const CLI::Option& option, const std::string& text);
/// Whether an option is set apart.
bool is_apart(const CLI::Option& option);

/// While an object of this class exists, parse() shows the options of a verb to `look` instead of parsing, and is
/// false.
class OptionsLook {
public:
    explicit OptionsLook(std::function<void(const CLI::App&)> look);
    OptionsLook(const OptionsLook&) = delete;
    OptionsLook& operator=(const OptionsLook&) = delete;
    ~OptionsLook();
};

/// Throws CLI::RequiredError for the first of these options that was not given. For options that --resume replaces.
void require(const CLI::App& app, std::initializer_list<const char*> names);

/// The command of a verb as it could be typed again in a shell.
std::string command_line(const std::vector<std::string>& arguments);
std::string command_line(int count, char** arguments);

/// --json and --quiet. What a verb prints follows them: say() a result for people, print_json() one for programs.
struct Output {
    bool json = false;
    bool quiet = false;
    bool on_standard_error = false;  ///< standard output carries data

    void add_to(CLI::App& app);
    /// To standard output, or to standard error if that carries data, unless --json or --quiet was given.
    void say(const std::string& text) const;
    /// To standard output, if --json was given.
    void print_json(const nlohmann::ordered_json& object) const;
};

/// As text, in lines of their own with `indent`. Bytes that are not UTF-8, as file names may have, are replaced;
/// control characters and those that turn the direction of writing are escaped.
std::string json_text(const nlohmann::ordered_json& object, int indent = -1);

/// The number that a text spells; nothing for what is not a number or overflows, and for an empty text.
std::optional<double> as_number(const std::string& text);

/// For options without a sign. CLI11 alone would take -1 for a huge number and 010 for eight, and of a fraction it
/// would only say that it cannot be converted.
CLI::Validator whole_number(std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
/// The same for a number of any kind; without bounds inf and nan pass too, and are left to the caller.
CLI::Validator real_number();
CLI::Validator real_number(double least, double most);

/// For options that take one of some words. A mistyped one is answered with the one that was probably meant.
CLI::Validator one_of(const std::vector<std::string_view>& words);

void add_threads(CLI::App& app, int& threads);
void add_seed(CLI::App& app, std::uint64_t& seed);

/// Whether standard error is a terminal on which a bar can be redrawn.
bool progress_on_terminal();

/// Throws unless `output` can be written and its name has one of the endings. None of the inputs may be that very file.
void check_output(const std::filesystem::path& output, std::initializer_list<std::string_view> endings,
                  const std::vector<std::filesystem::path>& inputs = {});

/// Throws InputError when two of the outputs are one file. Empty paths are ignored; a device may be given several
/// times.
void check_apart(const std::vector<std::filesystem::path>& outputs);

/// How much memory a verb may take.
class MemoryLimit {
public:
    /// --memory.
    void add_to(CLI::App& app);
    /// Throws InputError, naming both, when so many bytes are more than --memory allows, or than the machine has.
    /// `what` needs them. `instead` may say what to do, after a semicolon.
    void require(double bytes, std::string_view what, std::string_view instead = {}) const;
    /// What --memory allows; none if it is not given.
    [[nodiscard]] std::optional<double> given() const;

private:
    std::string text_;  // of the option; empty: what the machine has
};

/// The names of the methods that can do something, as a list in a sentence.
std::string methods_that(bool (*can)(const Capabilities&));

/// The name of a file as text for people, in one line.
std::string name_text(const std::filesystem::path& file);

/// A number as text for people: "unknown" for NaN.
std::string number_text(double value);

}  // namespace sbdl::app
