// A file mapped into memory for reading.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <span>

namespace sbdl {

class MappedFile {
public:
    /// Throws FileError when the file cannot be opened or mapped, or is empty.
    explicit MappedFile(std::filesystem::path path);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Throws FileError when the file has been truncated since it was opened. Touching the lost pages would end the
    /// program with a bus error, so this is called before each read; only a truncation during the read is not caught.
    void check_length() const;

    /// So many bytes have been read. After many, all pages are given back to the system, which has them for the next
    /// read if it has room: a file larger than memory does not fill the memory of this process.
    void count_read(std::size_t bytes) const;

private:
    std::filesystem::path path_;
    int descriptor_ = -1;
    std::span<const std::byte> bytes_;
    mutable std::atomic<std::size_t> read_{0};  // since pages were given back
};

}  // namespace sbdl
