// A file that is written whole or not at all: under a temporary name in the same folder, then renamed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/unfinished.hpp"

namespace sbdl {

/// Picks a temporary name in the folder of `target`. commit() flushes it to disk and renames; without commit() the
/// destructor removes it. Every write is checked: FileError has the name of the target and the reason. The constructor
/// throws FileError when the folder is missing or cannot be written, or when the target is a folder or write-protected.
/// A symbolic link is kept: the file it points to is replaced. Devices and pipes
/// (/dev/stdout, /dev/full) are written directly; temporary() is then the target.
class AtomicFile {
public:
    explicit AtomicFile(std::filesystem::path target);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// Where to write. The file exists (empty) once the constructor returns.
    [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }
    [[nodiscard]] const std::filesystem::path& target() const { return target_; }

    /// Adds bytes at the end. Small pieces wait in a buffer; the first call discards what the file contained.
    void write(std::span<const std::byte> bytes);
    void commit();

private:
    [[noreturn]] void fail(int error) const;
    void write_through(std::span<const std::byte> bytes);
    void close();

    std::filesystem::path target_;
    std::filesystem::path place_;      // the target with its symbolic links followed
    std::filesystem::path temporary_;  // equals target_ when written directly
    std::optional<Unfinished> unfinished_;
    bool direct_ = false;
    bool committed_ = false;
    int descriptor_ = -1;  // once something is written
    std::vector<std::byte> buffer_;
};

/// Removes the temporary files for this target that killed processes left behind.
void remove_abandoned_temporaries(const std::filesystem::path& target);

/// Writes text through an AtomicFile.
void write_text_file(const std::filesystem::path& target, const std::string& text);

}  // namespace sbdl
