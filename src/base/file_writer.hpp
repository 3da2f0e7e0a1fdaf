// Writes bytes to an existing file, such as the temporary of an AtomicFile, and checks every write.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace sbdl {

/// Small writes are gathered. What the file held is dropped. FileError tells the name `shown` and what the system said.
class FileWriter {
public:
    FileWriter(const std::filesystem::path& path, std::filesystem::path shown);
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;
    ~FileWriter();

    void write(std::span<const std::byte> bytes);
    /// Writes what is still gathered and closes. Without it the destructor drops what is gathered.
    void close();

private:
    void flush();
    void write_through(std::span<const std::byte> bytes);

    std::filesystem::path shown_;
    int descriptor_ = -1;
    std::vector<std::byte> gathered_;
};

}  // namespace sbdl
