#include "base/file_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

[[noreturn]] void fail(const std::filesystem::path& shown, int error) {
    throw FileError(fmt::format("{}: cannot be written: {}", shown.string(), std::generic_category().message(error)));
}

}  // namespace

FileWriter::FileWriter(const std::filesystem::path& path, std::filesystem::path shown)
    : shown_(std::move(shown)), descriptor_(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)) {
    if (descriptor_ < 0) fail(shown_, errno);
}

FileWriter::~FileWriter() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void FileWriter::write(std::span<const std::byte> bytes) {
    if (buffer_.size() + bytes.size() > buffer_bytes) flush();
    if (bytes.size() > buffer_bytes) {
        write_through(bytes);
    } else {
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
}

void FileWriter::close() {
    flush();
    // Network file systems report a full disk only here.
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(shown_, errno);
}

void FileWriter::flush() {
    write_through(buffer_);
    buffer_.clear();
}

void FileWriter::write_through(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        } else if (written == 0 || errno != EINTR) {
            fail(shown_, written == 0 ? ENOSPC : errno);
        }
    }
}

}  // namespace sbdl
