// Reading rejects everything this program would not have written: averages are only as good as the lines they come
// from.
#include "experiments/trial_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/atomic_file.hpp"

namespace sbdl {

TrialLine::TrialLine(const std::filesystem::path& path, std::size_t line_number, std::string_view line,
                     std::size_t columns)
    : path_(path), line_number_(line_number) {
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        fields_.emplace_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    if (fields_.size() != columns) fail(fmt::format("{} fields instead of {}", fields_.size(), columns));
}

void TrialLine::fail(const std::string& what) const {
    throw InputError(fmt::format("{} line {}: {}", path_.string(), line_number_, what));
}

void TrialLine::check_seed(std::size_t column, std::uint64_t expected) const {
    const auto seed = number<std::uint64_t>(column, 0, 1e300);
    if (seed != expected)
        fail(
            fmt::format("the trial was made with another --seed (its seed is {}, this run would use {}); use the same "
                        "--seed or another folder",
                        seed, expected));
}

void TrialLine::check_fingerprint(std::size_t column, const std::string& expected) const {
    if (text(column) != expected)
        fail(
            fmt::format("the trial was made with other options or another version of the program (fingerprint {}, this "
                        "run has {}); remove such lines to repeat their trials, or use another folder",
                        text(column), expected));
}

TrialFile::TrialFile(std::filesystem::path path, const std::string& header, std::string_view what,
                     const ReadLine& read_line, std::string_view later_columns)
    : path_(std::move(path)), file_(open_locked()) {
    try {
        read_lines(header, what, read_line, later_columns);
    } catch (...) {
        close();
        throw;
    }
}

TrialFile::~TrialFile() {
    close();
}

void TrialFile::close() const {
    ::close(file_);
    if (replaced_ >= 0) ::close(replaced_);
}

int TrialFile::open_locked() const {
    const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) throw FileError(fmt::format("{}: cannot be opened: {}", path_.string(), std::strerror(errno)));
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    const int reason = errno;
    ::close(file);
    throw FileError(reason == EWOULDBLOCK
                        ? fmt::format("{}: another run is writing to this folder", path_.string())
                        : fmt::format("{}: cannot be locked: {}", path_.string(), std::strerror(reason)));
}

void TrialFile::read_lines(const std::string& header, std::string_view what, const ReadLine& read_line,
                           std::string_view later_columns) {
    std::ifstream in(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw FileError(fmt::format("{}: cannot be read", path_.string()));

    const std::string earlier_header = header.substr(0, header.size() - 1 - later_columns.size()) + "\n";
    const bool earlier = !later_columns.empty() && text.starts_with(earlier_header);
    const std::string& expected = earlier ? earlier_header : header;
    const std::string_view start = std::string_view(text).substr(0, expected.size());
    if (!expected.starts_with(start) || (start.size() < expected.size() && start.find('\n') != std::string_view::npos))
        throw InputError(fmt::format("{} line 1: not the header of a file of {}", path_.string(), what));

    // All lines are parsed before the file is changed: a rejected file stays as it is.
    const auto columns = static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')) + 1;
    const std::string missing(
        earlier ? static_cast<std::size_t>(std::count(later_columns.begin(), later_columns.end(), ',')) : 0, ',');
    std::string completed = header;
    std::size_t whole = 0;
    std::size_t line_number = 0;
    for (std::size_t end; (end = text.find('\n', whole)) != std::string::npos; whole = end + 1) {
        if (++line_number == 1) continue;
        const std::string line = text.substr(whole, end - whole) + missing;
        read_line(TrialLine(path_, line_number, line, columns));
        if (earlier) completed += line + "\n";
    }
    if (earlier) return replace(completed);
    if (whole < text.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0)
        throw FileError(
            fmt::format("{}: its half-written last line cannot be removed: {}", path_.string(), std::strerror(errno)));
    if (whole == 0) append(header);
}

void TrialFile::replace(const std::string& text) {
    write_text_file(path_, text);
    const int file = open_locked();
    replaced_ = std::exchange(file_, file);
}

void TrialFile::append(const std::string& line) {
    const off_t before = ::lseek(file_, 0, SEEK_END);
    std::string_view left = line;
    while (!left.empty()) {
        const ssize_t written = ::write(file_, left.data(), left.size());
        if (written > 0) {
            left.remove_prefix(static_cast<std::size_t>(written));
            continue;
        }
        if (written < 0 && errno == EINTR) continue;
        const int reason = written < 0 ? errno : ENOSPC;
        // If this fails too, the next run removes the half line.
        [[maybe_unused]] const int undone = ::ftruncate(file_, before);
        throw FileError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(reason)));
    }
}

}  // namespace sbdl
