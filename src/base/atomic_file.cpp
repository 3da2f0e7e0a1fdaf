#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <exception>
#include <system_error>
#include <utility>

#include "sbdl/error.hpp"

namespace sbdl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

std::string reason(int error) {
    return std::generic_category().message(error);
}

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Follows the symbolic links of `target`; the file they lead to need not exist. Stops early in /proc, whose links stand
// for open files (/dev/stdout is one) and cannot be replaced by renaming.
fs::path follow_links(const fs::path& target) {
    constexpr int most_links = 40;  // the limit of the kernel
    fs::path place = target;
    for (int link = 0; link < most_links; ++link) {
        std::error_code error;
        const fs::path folder = fs::canonical(folder_of(place), error);
        if (error) {
            throw FileError(fmt::format("{}: cannot be written: folder {} does not exist or cannot be entered ({})",
                                        target.string(), folder_of(place).string(), error.message()));
        }
        place = folder / place.filename();
        if (folder.string().starts_with("/proc/") || !fs::is_symlink(place, error)) return place;
        place = folder / fs::read_symlink(place, error);
    }
    throw FileError(fmt::format("{}: cannot be written: {}", target.string(), reason(ELOOP)));
}

bool is_device_or_pipe(const fs::path& place) {
    std::error_code error;
    const fs::file_status status = fs::status(place, error);
    if (!fs::exists(status)) return false;
    return !fs::is_regular_file(status) || place.string().starts_with("/proc/");
}

// Identifies the machine or container in which a process number is valid: another one that shares the folder may use
// the same number.
std::uint32_t machine_mark() {
    std::array<char, 256> host{};
    static_cast<void>(::gethostname(host.data(), host.size() - 1));
    std::error_code error;
    const std::string where = host.data() + fs::read_symlink("/proc/self/ns/pid", error).string();
    std::uint32_t mark = 2166136261U;  // FNV-1a: the same in every build
    for (const char letter : where) mark = (mark ^ static_cast<unsigned char>(letter)) * 16777619U;
    return mark;
}

// How the names of temporary files begin that processes here write for this target.
std::string temporary_prefix(const fs::path& place) {
    static const std::uint32_t mark = machine_mark();
    return fmt::format(".{}.{:08x}-", place.filename().string(), mark);
}

// Creates an empty file with an unused name. If a file will be replaced, its mode is kept.
fs::path create_beside(const fs::path& place, const fs::path& target) {
    static std::atomic<unsigned> counter{0};
    constexpr int most_tries = 100;  // a killed process with the same number may have left files
    for (int tries = 0; tries < most_tries; ++tries) {
        fs::path name = place;
        name.replace_filename(fmt::format("{}{}-{}.tmp", temporary_prefix(place), ::getpid(), ++counter));
        const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            struct ::stat old = {};
            if (::stat(place.c_str(), &old) == 0) ::fchmod(descriptor, old.st_mode & 07777);
            ::close(descriptor);
            return name;
        }
        if (errno != EEXIST) break;
    }
    throw FileError(fmt::format("{}: cannot be written: no file can be created in folder {} ({})", target.string(),
                                folder_of(place).string(), reason(errno)));
}

// Returns the error number, 0 for none.
int flush_to_disk(const fs::path& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int error = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    return error;
}

}  // namespace

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
    if (!target_.has_filename()) {
        throw FileError(fmt::format("'{}': cannot be written: not the name of a file", target_.string()));
    }
    place_ = follow_links(target_);
    std::error_code error;
    if (fs::is_directory(place_, error)) {
        throw FileError(fmt::format("{}: cannot be written: it is a folder", target_.string()));
    }
    if (fs::exists(place_, error) && ::access(place_.c_str(), W_OK) != 0) fail(errno);
    // Renaming over /dev/stdout or /dev/full would replace the device itself by a plain file.
    direct_ = is_device_or_pipe(place_);
    temporary_ = direct_ ? target_ : create_beside(place_, target_);
    if (direct_) return;
    try {
        unfinished_.emplace(temporary_);
    } catch (...) {
        fs::remove(temporary_, error);
        throw;
    }
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (committed_ || direct_) return;
    std::error_code ignored;
    fs::remove(temporary_, ignored);
}

void AtomicFile::fail(int error) const {
    throw FileError(fmt::format("{}: cannot be written: {}", target_.string(), reason(error)));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    if (descriptor_ < 0) descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    if (buffer_.size() + bytes.size() > buffer_bytes) {
        write_through(buffer_);
        buffer_.clear();
    }
    if (bytes.size() > buffer_bytes) {
        write_through(bytes);
    } else {
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
}

void AtomicFile::write_through(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        } else if (written == 0 || errno != EINTR) {
            fail(written == 0 ? ENOSPC : errno);
        }
    }
}

void AtomicFile::close() {
    if (descriptor_ < 0) return;
    write_through(buffer_);
    // Network file systems report a full disk only here.
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
}

void AtomicFile::commit() {
    close();
    if (!direct_) {
        // Without the flush a crash soon after the rename could leave an empty file under the final name.
        int error = flush_to_disk(temporary_, O_WRONLY);
        if (error == 0 && ::rename(temporary_.c_str(), place_.c_str()) != 0) error = errno;
        if (error != 0) fail(error);
        // Makes the rename itself durable. An error is ignored: the file is whole, and not every file system can do
        // this.
        static_cast<void>(flush_to_disk(folder_of(place_), O_RDONLY | O_DIRECTORY));
    }
    committed_ = true;
    if (direct_) return;
    try {
        remove_abandoned_temporaries(place_);
    } catch (const std::exception&) {  // the file is written; another may tidy up
    }
}

void remove_abandoned_temporaries(const fs::path& target) {
    std::error_code error;
    const fs::path place = follow_links(target);
    const std::string begin = temporary_prefix(place), end = ".tmp";
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(place), error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(begin) || !name.ends_with(end)) continue;
        pid_t writer = 0;  // as create_beside() names them
        const auto [after, bad] = std::from_chars(name.data() + begin.size(), name.data() + name.size(), writer);
        if (bad != std::errc{} || *after != '-' || writer <= 0) continue;
        if (::kill(writer, 0) != 0 && errno == ESRCH) fs::remove(entry.path(), error);
    }
}

void write_text_file(const fs::path& target, const std::string& text) {
    AtomicFile file(target);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

}  // namespace sbdl
