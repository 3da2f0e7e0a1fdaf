// Numbered records on disk, for the time of a run: what does not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace sbdl {

/// A file that has no name, so that nothing is left of it however the program ends. Different records may be read and
/// written by several threads at once. Errors are FileErrors that name the folder.
class ScratchFile {
public:
    /// A record has at most `record_bytes`. Throws FileError when no file can be made in the folder, or when there is
    /// no room for `expected_bytes` in all. `ranks_here` ranks of this machine each make
    /// such a file.
    ScratchFile(std::filesystem::path folder, std::size_t records, std::size_t record_bytes, double expected_bytes,
                int ranks_here = 1);
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile();

    /// Takes the disk's space for all records now, where the file system can: later a full disk cannot end the run.
    void reserve();

    /// Bytes that were written last; 0: none.
    [[nodiscard]] std::size_t size(std::size_t record) const { return written_[record].bytes; }
    void write(std::size_t record, std::span<const std::byte> bytes);
    /// As many bytes as were written. Throws FileError unless they are the same.
    void read(std::size_t record, std::span<std::byte> bytes) const;
    /// Has the system read the record ahead, while the program goes on.
    void prefetch(std::size_t record) const;
    /// From now on all records are empty.
    void clear();

private:
    struct Written {
        std::uint64_t checksum = 0;
        std::size_t bytes = 0;
    };

    [[nodiscard]] std::int64_t place_of(std::size_t record) const;
    [[noreturn]] void fail(int error) const;

    std::filesystem::path folder_;
    std::size_t record_bytes_;  // rounded up to whole pages
    double expected_bytes_;
    int ranks_here_;
    std::vector<Written> written_;
    int descriptor_ = -1;
};

/// Whether files in this folder are in memory themselves, as in many a /tmp.
bool is_in_memory(const std::filesystem::path& folder);

}  // namespace sbdl
