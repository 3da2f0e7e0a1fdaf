// Writes bytes to an existing file, such as the temporary of an AtomicFile, and checks every write.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace sbdl {

/// Buffers small writes. Discards the previous content of the file. FileError has the name `shown` and the reason.
class FileWriter {
public:
    FileWriter(const std::filesystem::path& path, std::filesystem::path shown);
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;
    ~FileWriter();

    void write(std::span<const std::byte> bytes);
    /// Writes what is still in the buffer and closes. Without it the destructor discards the buffer.
    void close();

private:
    void flush();
    void write_through(std::span<const std::byte> bytes);

    std::filesystem::path shown_;
    int descriptor_ = -1;
    std::vector<std::byte> buffer_;
};

}  // namespace sbdl
