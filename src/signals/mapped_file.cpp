#include "signals/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

// The file's length now, or -1 with errno set.
off_t length_of(int descriptor) {
    struct ::stat state = {};
    return ::fstat(descriptor, &state) == 0 ? state.st_size : -1;
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    const off_t length = descriptor_ < 0 ? -1 : length_of(descriptor_);
    void* start = MAP_FAILED;
    if (length > 0 && std::in_range<std::size_t>(length)) {
        start = ::mmap(nullptr, static_cast<std::size_t>(length), PROT_READ, MAP_PRIVATE, descriptor_, 0);
    }
    if (start == MAP_FAILED) {
        const int error = errno;
        if (descriptor_ >= 0) ::close(descriptor_);
        throw FileError(fmt::format("{}: cannot be read: {}", path_.string(),
                                    length == 0 ? "the file is empty" : std::generic_category().message(error)));
    }
    bytes_ = {static_cast<const std::byte*>(start), static_cast<std::size_t>(length)};
}

MappedFile::~MappedFile() {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    ::close(descriptor_);
}

void MappedFile::check_length() const {
    const off_t length = length_of(descriptor_);
    if (length < 0 || std::cmp_less(length, bytes_.size())) {
        throw FileError(fmt::format("{}: the file was truncated from {} to {} bytes while it was in use",
                                    path_.string(), bytes_.size(), length));
    }
}

void MappedFile::count_read(std::size_t bytes) const {
    constexpr std::size_t most = std::size_t{32} << 20;
    if (read_ += bytes; read_ < most) return;
    read_ = 0;
    ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace sbdl
