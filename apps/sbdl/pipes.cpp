#include "pipes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <span>
#include <system_error>
#include <utility>

#include "base/stop.hpp"
#include "sbdl/error.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* standard_input = "standard input";
constexpr const char* standard_output = "standard output";

/// What stands in messages, and what should.
std::vector<std::pair<std::string, std::string>>& pipe_names() {
    static std::vector<std::pair<std::string, std::string>> names;
    return names;
}

[[noreturn]] void fail_with(const std::string& name, const char* what, int error) {
    throw FileError(fmt::format("{}: cannot be {}: {}", name, what, std::generic_category().message(error)));
}

void write_all(int to, std::span<const char> bytes, const std::string& name, const char* what) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(to, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) fail_with(name, what, errno);
        look_for_stop();
        if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void copy_all(int from, int to, const std::string& name, const char* what) {
    std::array<char, 1 << 16> buffer{};
    while (true) {
        const ssize_t got = ::read(from, buffer.data(), buffer.size());
        if (got < 0 && errno != EINTR) fail_with(name, "read", errno);
        look_for_stop();
        if (got == 0) return;
        if (got > 0) write_all(to, std::span(buffer).first(static_cast<std::size_t>(got)), name, what);
    }
}

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

}  // namespace

Pipes::~Pipes() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

fs::path Pipes::temporary(const std::string& file, const std::string& name) {
    if (folder_.empty()) {
        std::string made = (fs::temp_directory_path() / "sbdl-XXXXXX").string();
        if (::mkdtemp(made.data()) == nullptr) fail_with(made, "created", errno);
        folder_ = made;
        unfinished_.push_back(std::make_unique<Unfinished>(folder_));
    }
    fs::path path = folder_ / file;
    unfinished_.push_back(std::make_unique<Unfinished>(path));
    pipe_names().emplace_back(path.string(), name);
    return path;
}

void Pipes::take_input(fs::path& path) {
    std::error_code ignored;
    const bool standard = path == "-";
    if (!standard && fs::status(path, ignored).type() != fs::file_type::fifo) return;
    const std::string name = standard ? standard_input : path.string();
    if (standard && std::exchange(standard_input_, true))
        throw InputError("only one input can be '-', the standard input");
    if (standard && ::isatty(STDIN_FILENO) == 1)
        throw InputError("standard input is a terminal; '-' needs a pipe or a file, such as '< signals.npy'");
    const Descriptor from(standard ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (from.number() < 0) fail_with(name, "read", errno);
    path = temporary(fmt::format("input{}", ++inputs_), name);
    const Descriptor copy(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (copy.number() < 0) fail_with(name, "copied", errno);
    copy_all(from.number(), copy.number(), name, "copied");
}

void Pipes::take_output(fs::path& path, std::string_view ending, Output& output) {
    if (path != "-") return;
    if (!output_.empty()) throw InputError("only one output can be '-', the standard output");
    if (output.json) throw InputError("--json and an output '-' both need the standard output");
    on_broken_pipe_ = std::signal(SIGPIPE, SIG_IGN);  // the temporary folder would be left
    path = output_ = temporary(fmt::format("output{}", ending), standard_output);
    output.on_standard_error = true;
}

void Pipes::finish() {
    std::error_code ignored;
    if (output_.empty() || !fs::exists(output_, ignored)) return;
    const Descriptor from(::open(output_.c_str(), O_RDONLY | O_CLOEXEC));
    if (from.number() < 0) fail_with(standard_output, "written", errno);
    // A reader that has enough, such as head, ends the program without a word.
    fs::remove_all(folder_, ignored);
    std::signal(SIGPIPE, on_broken_pipe_);
    copy_all(from.number(), STDOUT_FILENO, standard_output, "written");
}

void Pipes::check_checkpoint(const fs::path& checkpoint) const {
    if (!checkpoint.empty() && inputs_ > 0)
        throw InputError("--checkpoint does not apply to pipes: a run that is resumed reads its input again");
}

std::string with_pipe_names(std::string text) {
    for (const auto& [internal, known] : pipe_names())
        for (std::size_t at = 0; (at = text.find(internal, at)) != std::string::npos; at += known.size()) {
            const std::size_t end = at + internal.size();
            if (end < text.size() && text[end] >= '0' && text[end] <= '9') continue;  // another input
            text.replace(at, internal.size(), known);
        }
    return text;
}

}  // namespace sbdl::app
