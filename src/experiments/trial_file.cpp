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
                     const ReadLine& read_line)
    : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) throw FileError(fmt::format("{}: cannot be opened: {}", path_.string(), std::strerror(errno)));
    try {
        if (::flock(file_, LOCK_EX | LOCK_NB) != 0)
            throw FileError(errno == EWOULDBLOCK
                                ? fmt::format("{}: another run is writing to this folder", path_.string())
                                : fmt::format("{}: cannot be locked: {}", path_.string(), std::strerror(errno)));
        read_lines(header, what, read_line);
    } catch (...) {
        ::close(file_);
        throw;
    }
}

TrialFile::~TrialFile() {
    ::close(file_);
}

void TrialFile::read_lines(const std::string& header, std::string_view what, const ReadLine& read_line) {
    std::ifstream in(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw FileError(fmt::format("{}: cannot be read", path_.string()));

    const std::string_view start = std::string_view(text).substr(0, header.size());
    if (!header.starts_with(start) || (start.size() < header.size() && start.find('\n') != std::string_view::npos))
        throw InputError(fmt::format("{} line 1: not the header of a file of {}", path_.string(), what));

    // All lines are parsed before the file is changed: a rejected file stays as it is.
    const auto columns = static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')) + 1;
    std::size_t whole = 0;
    std::size_t line_number = 0;
    for (std::size_t end; (end = text.find('\n', whole)) != std::string::npos; whole = end + 1) {
        if (++line_number == 1) continue;
        read_line(TrialLine(path_, line_number, std::string_view(text).substr(whole, end - whole), columns));
    }
    if (whole < text.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0)
        throw FileError(
            fmt::format("{}: its half-written last line cannot be removed: {}", path_.string(), std::strerror(errno)));
    if (whole == 0) append(header);
}

void TrialFile::append(const std::string& line) {
    const off_t before = ::lseek(file_, 0, SEEK_END);
    const ssize_t written = ::write(file_, line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return;
    const int reason = written < 0 ? errno : ENOSPC;
    // If this fails too, the next run removes the half line.
    [[maybe_unused]] const int undone = ::ftruncate(file_, before);
    throw FileError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(reason)));
}

}  // namespace sbdl
