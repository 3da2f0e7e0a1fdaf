#include "common.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/bytes_text.hpp"
#include "base/nearest_word.hpp"
#include "base/printable.hpp"
#include "pipes.hpp"
#include "sbdl/error.hpp"

namespace sbdl::app {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t names_width = 34;  // of the left column of help

std::size_t help_width() {
    winsize size{};
    const bool known = isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? std::clamp<std::size_t>(size.ws_col, 60, 100) : 80;
}

/// A line as several of at most `width` characters; those after the first begin with `indent` blanks.
std::string wrapped_line(const std::string& line, std::size_t width, std::size_t indent) {
    std::string text, rest = line;
    while (rest.size() > width) {
        const std::size_t blank = rest.rfind(' ', width);
        if (blank == std::string::npos || blank <= indent) break;  // a word that is longer than a line
        text += rest.substr(0, blank) + '\n';
        rest = std::string(indent, ' ') + rest.substr(blank + 1);
    }
    return text + rest;
}

/// Lines of a list, "  NAME   what it is", continue below what it is. Other lines that are indented are examples.
std::string wrapped(const std::string& text, std::size_t width) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t gap = line.find("  ", line.find_first_not_of(' '));
        if (!line.starts_with(' '))
            line = wrapped_line(line, width, 0);
        else if (gap != std::string::npos)
            line = wrapped_line(line, width, line.find_first_not_of(' ', gap));
        result += (result.empty() ? "" : "\n") + line;
    }
    return result;
}

// As CLI11 writes help, in lines that fit, and without its mark for the switches that turn something off.
class HelpFormatter final : public CLI::Formatter {
public:
    HelpFormatter() { column_width(names_width); }
    std::string make_description(const CLI::App* app) const override {
        return wrapped(CLI::Formatter::make_description(app), help_width()) + "\n";
    }
    std::string make_footer(const CLI::App* app) const override {
        return wrapped(CLI::Formatter::make_footer(app), help_width()) + "\n";
    }
    std::string make_group(std::string group, bool positional, std::vector<const CLI::Option*> options) const override {
        return CLI::Formatter::make_group(wrapped_line(group, help_width() - 1, 2), positional, std::move(options));
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped_line(CLI::Formatter::make_option_desc(option), help_width() - names_width, 0);
    }
    std::string make_option_name(const CLI::Option* option, bool positional) const override {
        std::string name = CLI::Formatter::make_option_name(option, positional);
        const std::string mark = "{false}";
        if (const std::size_t at = name.find(mark); at != std::string::npos) name.erase(at, mark.size());
        return name;
    }
};

constexpr const char* apart_group = "Further options";

std::function<void(const CLI::App&)>& options_look() {
    static std::function<void(const CLI::App&)> look;
    return look;
}

/// What --help says of an option in place of its description.
std::map<const CLI::Option*, std::string>& brief_texts() {
    static std::map<const CLI::Option*, std::string> texts;
    return texts;
}

/// Help without the options that are set apart.
std::string short_help(CLI::App& app) {
    std::size_t left_out = 0;
    for (CLI::Option* option : app.get_options())
        if (is_apart(*option)) {
            option->group("");  // hidden
            ++left_out;
        } else if (const auto brief = brief_texts().find(option); brief != brief_texts().end()) {
            option->description(brief->second);
        }
    if (left_out > 0)
        app.footer(fmt::format("{} more options: {} --help-all\n\n{}", left_out, app.get_name(), app.get_footer()));
    return app.help();
}

/// Throws if there is an option that the verb does not have.
void reject_unknown_option(const CLI::App& app) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    const std::vector<std::string_view> known(flags.begin(), flags.end());
    for (const std::string& word : app.remaining()) {
        if (word.size() < 2 || !word.starts_with('-')) continue;
        const std::string name = word.substr(0, word.find('='));
        throw CLI::ParseError(fmt::format("{} is not an option{}", name, did_you_mean(name, known, "")),
                              CLI::ExitCodes::ExtrasError);
    }
}

/// `text` with something else for one of its characters.
std::string with(const std::string& text, char character, std::string_view instead) {
    std::string changed;
    for (const char c : text) changed += c == character ? std::string(instead) : std::string(1, c);
    return changed;
}

/// As a shell takes it. Words that could not be shown are written with $'...' and \xNN, which the usual shells know.
std::string shell_word(const std::string& word) {
    if (printable(word) != word) return "$'" + printable(with(with(word, '\\', "\\\\"), '\'', "\\'")) + "'";
    const bool plain = !word.empty() && word.find_first_of(" '\"\\*?[]$&|;<>()`!#~{}") == std::string::npos;
    return plain ? word : "'" + with(word, '\'', "'\\''") + "'";
}

struct ByteUnit {
    char letter;
    double bytes;
};
constexpr std::array byte_units{ByteUnit{'K', 1024.0}, ByteUnit{'M', 1048576.0}, ByteUnit{'G', 1073741824.0},
                                ByteUnit{'T', 1099511627776.0}};

/// "8G" and "8g" are 8 GiB; without a letter the number is one of bytes.
std::optional<double> as_bytes(const std::string& text) {
    if (text.empty()) return std::nullopt;
    for (const auto& [letter, bytes] : byte_units)
        if (text.back() == letter || text.back() == letter - 'A' + 'a') {
            const std::optional<double> number = as_number(text.substr(0, text.size() - 1));
            return number && *number > 0.0 && std::isfinite(*number) ? std::optional(*number * bytes) : std::nullopt;
        }
    const std::optional<double> number = as_number(text);
    return number && *number > 0.0 && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace

bool parse(CLI::App& app, const std::vector<std::string>& arguments) {
    app.formatter(std::make_shared<HelpFormatter>());
    app.set_help_all_flag("--help-all", "Print all options and exit");
    if (options_look()) {
        options_look()(app);
        return false;
    }
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
    } catch (const CLI::CallForHelp&) {
        std::cout << short_help(app);
        return false;
    } catch (const CLI::CallForAllHelp&) {
        std::cout << app.help();
        return false;
    } catch (const CLI::ParseError&) {
        reject_unknown_option(app);  // it explains more than what is missing without it
        throw;
    }
    for (const CLI::Option* option : app.get_options()) brief_texts().erase(option);  // which ends with the app
    return true;
}

void set_apart(CLI::App& app, std::initializer_list<const char*> names) {
    for (const char* name : names) app.get_option(name)->group(apart_group);
}

void set_brief(const CLI::Option& option, const std::string& text) {
    brief_texts()[&option] = text;
}

bool is_apart(const CLI::Option& option) {
    return option.get_group() == apart_group || option.get_group().starts_with("Method");
}

OptionsLook::OptionsLook(std::function<void(const CLI::App&)> look) {
    options_look() = std::move(look);
}

OptionsLook::~OptionsLook() {
    options_look() = nullptr;
}

bool parse(CLI::App& app, int count, char** arguments) {
    return parse(app, std::vector<std::string>(arguments + 1, arguments + count));
}

void require(const CLI::App& app, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (app.count(name) == 0) throw CLI::RequiredError(name);
}

std::string command_line(const std::vector<std::string>& arguments) {
    std::string line = "sbdl";
    for (const std::string& word : arguments) line += " " + shell_word(word);
    return line;
}

std::string command_line(int count, char** arguments) {
    return command_line(std::vector<std::string>(arguments, arguments + count));
}

void Output::add_to(CLI::App& app) {
    app.add_flag("--json", json, "Print the result as one JSON object and nothing else on standard output");
    app.add_flag("-q,--quiet", quiet, "No progress, no summary");
}

void Output::say(const std::string& text) const {
    if (!json && !quiet) (on_standard_error ? std::cerr : std::cout) << printable(with_pipe_names(text), Lines::kept);
}

void Output::print_json(const nlohmann::ordered_json& object) const {
    if (json) std::cout << with_pipe_names(json_text(object, 2)) << '\n';
}

std::string json_text(const nlohmann::ordered_json& object, int indent) {
    const std::string text = object.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t at = 0, bytes = 1; at < text.size(); at += bytes) {  // valid UTF-8
        const auto first = static_cast<unsigned char>(text[at]);
        bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        const std::string_view character = std::string_view(text).substr(at, bytes);
        if ((first < 0x7f) || printable(character) == character) {
            shown += character;
            continue;
        }
        unsigned code = bytes == 1 ? first : first & (0x7fU >> bytes);  // none has more than four digits
        for (const char next : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(next) & 0x3fU);
        shown += fmt::format("\\u{:04x}", code);
    }
    return shown;
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
    return {[least, most](std::string& text) -> std::string {
                std::uint64_t value = 0;
                const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
                const bool number = error == std::errc{} && *end == '\0' && (text.size() == 1 || text.front() != '0');
                if (number && value >= least && value <= most) return {};
                return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
            },
            ""};
}

std::optional<double> as_number(const std::string& text) {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [stopped, error] = std::from_chars(begin, end, value);
    return error == std::errc{} && stopped == end ? std::optional(value) : std::nullopt;
}

CLI::Validator real_number() {
    return {[](std::string& text) -> std::string {
                return as_number(text) ? "" : fmt::format("'{}' is not a number", text);
            },
            ""};
}

CLI::Validator real_number(double least, double most) {
    return {[least, most](std::string& text) -> std::string {
                const std::optional<double> value = as_number(text);
                if (value && *value >= least && *value <= most) return {};
                return fmt::format("'{}' is not a number from {} to {}", text, least, most);
            },
            ""};
}

CLI::Validator one_of(const std::vector<std::string_view>& words) {
    return {[words](std::string& text) -> std::string {
                if (std::find(words.begin(), words.end(), text) != words.end()) return {};
                return fmt::format("'{}' is not {}{}", text, fmt::join(words, " or "), did_you_mean(text, words));
            },
            ""};
}

void add_threads(CLI::App& app, int& threads) {
    app.add_option("--threads", threads, "Threads to use; 0: one per core. They do not change the result")
        ->check(whole_number(0, 1024))
        ->type_name("N")
        ->capture_default_str();
}

void add_seed(CLI::App& app, std::uint64_t& seed) {
    app.add_option("--seed", seed, "Seed of all random numbers: the same seed gives the same result")
        ->check(whole_number())
        ->type_name("N")
        ->capture_default_str();
}

bool progress_on_terminal() {
    const char* terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nothing here sets it
    return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

void check_output(const fs::path& output, std::initializer_list<std::string_view> endings,
                  const std::vector<fs::path>& inputs) {
    std::error_code error;
    const bool plain = !fs::exists(output, error) || fs::is_regular_file(output, error);  // devices have no ending
    std::string ending = output.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    if (plain && std::find(endings.begin(), endings.end(), ending) == endings.end()) {
        throw InputError(
            fmt::format("{}: the name of this output must end in {}", output.string(), fmt::join(endings, " or ")));
    }
    for (const fs::path& input : inputs) {
        if (fs::equivalent(input, output, error)) {
            throw InputError(fmt::format("{}: is both input and output", output.string()));
        }
    }
    const AtomicFile probe(output);  // throws when nothing can be written there; gone again at the end of this function
}

void check_apart(const std::vector<fs::path>& outputs) {
    std::vector<fs::path> places;
    for (const fs::path& output : outputs) {
        std::error_code error;
        if (output.empty() || (fs::exists(output, error) && !fs::is_regular_file(output, error))) continue;  // a device
        const fs::path place = fs::weakly_canonical(fs::absolute(output));
        if (std::find(places.begin(), places.end(), place) != places.end())
            throw InputError(fmt::format("{}: two outputs need two files", output.string()));
        places.push_back(place);
    }
}

void MemoryLimit::add_to(CLI::App& app) {
    app.add_option("--memory", text_, "Memory that the run may take, such as 8G or 500M; default: what the machine has")
        ->check(CLI::Validator(
            [](std::string& text) -> std::string {
                return as_bytes(text) ? "" : fmt::format("'{}' is not an amount of memory such as 8G or 500M", text);
            },
            ""))
        ->type_name("BYTES");
}

void MemoryLimit::require(double bytes, std::string_view what, std::string_view instead) const {
    const double present = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
    const double most = given().value_or(present);
    if (most > 0.0 && bytes > most)
        throw InputError(fmt::format("{} needs about {} of memory; {} {}{}", what, needed_text(bytes),
                                     given() ? "--memory allows" : "this machine has", present_text(most), instead));
}

std::optional<double> MemoryLimit::given() const {
    return as_bytes(text_);
}

std::string methods_that(bool (*can)(const Capabilities&)) {
    std::vector<std::string_view> names;
    for (const Method& method : methods())
        if (can(method.can)) names.push_back(method.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string name_text(const fs::path& file) {
    return printable(file.string());
}

std::string number_text(double value) {
    return std::isnan(value) ? "unknown" : fmt::format("{:.5g}", value);
}

}  // namespace sbdl::app
