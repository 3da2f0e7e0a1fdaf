#include "base/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/aligned.hpp"
#include "base/bytes_text.hpp"
#include "base/state_archive.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr std::size_t page_bytes = 4096;

/// As hash_bytes(), in four sequences beside each other, because records are hashed in every sweep.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
    constexpr std::uint64_t prime = 0x100000001b3U;
    std::array<std::uint64_t, 4> lanes{1, 2, 3, 4};
    std::size_t at = 0;
    for (; at + sizeof lanes <= bytes.size(); at += sizeof lanes) {
        std::array<std::uint64_t, 4> words{};
        std::memcpy(words.data(), bytes.data() + at, sizeof words);
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            lanes[i] = (lanes[i] ^ words[i]) * prime;
            lanes[i] ^= lanes[i] >> 29;
        }
    }
    return hash_bytes(bytes.data() + at, bytes.size() - at, hash_bytes(lanes.data(), sizeof lanes));
}

/// Bytes that this process may still write in the folder.
double free_bytes(int descriptor) {
    struct ::statvfs system = {};
    if (::fstatvfs(descriptor, &system) != 0) return 0.0;
    return static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize);
}

/// The number of a new file whose name is already gone, or -1.
int open_nameless(const std::filesystem::path& folder) {
    std::string name = (folder / ".sbdl-scratch-XXXXXX").string();
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0) ::unlink(name.c_str());
    return descriptor;
}

}  // namespace

ScratchFile::ScratchFile(std::filesystem::path folder, std::size_t records, std::size_t record_bytes,
                         double expected_bytes, int ranks_here)
    : folder_(std::move(folder)),
      record_bytes_(round_up(record_bytes, page_bytes)),
      expected_bytes_(expected_bytes),
      ranks_here_(ranks_here),
      written_(records),
      descriptor_(open_nameless(folder_)) {
    if (descriptor_ < 0) fail(errno);
    if (free_bytes(descriptor_) >= expected_bytes_) return;
    try {
        fail(ENOSPC);
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

ScratchFile::~ScratchFile() {
    ::close(descriptor_);
}

void ScratchFile::fail(int error) const {
    const std::string why = std::generic_category().message(error);
    if (descriptor_ < 0)
        throw FileError(
            fmt::format("{}: no file for the codes can be created in this folder: {}", folder_.string(), why));
    if (error != ENOSPC && error != EDQUOT)
        throw FileError(fmt::format("{}: the codes cannot be kept in this folder: {}", folder_.string(), why));
    const std::string whose =
        ranks_here_ == 1 ? "" : fmt::format(" of this rank, one of {} on this machine,", ranks_here_);
    throw FileError(fmt::format("{}: the codes{} need about {} in this folder, and {} are free: {}", folder_.string(),
                                whose, needed_text(expected_bytes_), present_text(free_bytes(descriptor_)), why));
}

std::int64_t ScratchFile::place_of(std::size_t record) const {
    return static_cast<std::int64_t>(record) * static_cast<std::int64_t>(record_bytes_);
}

void ScratchFile::reserve() {
    if (written_.empty()) return;
    int status = 0;
    do {
        status = ::fallocate(descriptor_, 0, 0, place_of(written_.size()));
    } while (status != 0 && errno == EINTR);
    if (status != 0 && errno != EOPNOTSUPP && errno != ENOSYS) fail(errno);
}

void ScratchFile::write(std::size_t record, std::span<const std::byte> bytes) {
    written_[record] = {checksum_of(bytes), bytes.size()};
    for (std::int64_t at = place_of(record); !bytes.empty();) {
        const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
        if (done > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(done));
            at += done;
        } else if (done == 0 || errno != EINTR) {
            fail(done == 0 ? ENOSPC : errno);
        }
    }
}

void ScratchFile::read(std::size_t record, std::span<std::byte> bytes) const {
    std::span<std::byte> left = bytes;
    for (std::int64_t at = place_of(record); !left.empty();) {
        const ssize_t done = ::pread(descriptor_, left.data(), left.size(), at);
        if (done > 0) {
            left = left.subspan(static_cast<std::size_t>(done));
            at += done;
        } else if (done == 0 || errno != EINTR) {
            fail(done == 0 ? EIO : errno);
        }
    }
    if (bytes.size() != size(record) || checksum_of(bytes) != written_[record].checksum)
        throw FileError(fmt::format("{}: what this run wrote in this folder has changed: its checksum does not match",
                                    folder_.string()));
}

void ScratchFile::prefetch(std::size_t record) const {
    if (size(record) > 0)  // advice that is not taken does no harm
        ::posix_fadvise(descriptor_, place_of(record), static_cast<off_t>(size(record)), POSIX_FADV_WILLNEED);
}

void ScratchFile::clear() {
    std::fill(written_.begin(), written_.end(), Written());
}

bool is_in_memory(const std::filesystem::path& folder) {
    struct ::statfs system = {};
    if (::statfs(folder.c_str(), &system) != 0) return false;
    return system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC;
}

}  // namespace sbdl
