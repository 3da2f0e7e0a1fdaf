// A TIFF file that libtiff has open, in memory or on disk. Messages are kept instead of printed.
#pragma once

#include <tiffio.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sbdl {

/// libtiff calls back to the object itself, so it cannot be moved.
class OpenTiff {
public:
    /// Opens for reading and reads the directory of the first page. Throws FileError, beginning with `name`.
    OpenTiff(std::span<const std::byte> file, std::string name);
    /// Opens for writing to memory, as BigTIFF when the file may have more than 4 GiB.
    OpenTiff(bool big, std::string name);
    /// The same for writing to a file.
    OpenTiff(const std::filesystem::path& file, bool big, std::string name);
    OpenTiff(const OpenTiff&) = delete;
    OpenTiff& operator=(const OpenTiff&) = delete;
    ~OpenTiff();

    [[nodiscard]] TIFF* handle() const { return tiff_; }

    /// Ends the file that was written; every page must be. Throws FileError.
    void close();

    /// Throws FileError with libtiff's first message: an error if there was one, else a warning.
    [[noreturn]] void fail() const;

    /// The first error and the warnings so far, and forgets them. Those about a directory mostly concern tags that are
    /// not needed; after that, a warning counts as a failure.
    std::string take_message();
    /// libtiff does not always tell its caller that a write failed.
    [[nodiscard]] bool failed() const { return error_[0] != '\0'; }
    [[nodiscard]] bool warned() const { return warning_[0] != '\0'; }

    /// The file that was written to memory.
    [[nodiscard]] std::vector<std::byte>& written() { return written_; }

private:
    using Message = std::array<char, 512>;

    /// Calls `open` with the options that all files share.
    template <class Open>
    void open(tmsize_t most_memory, const Open& open);
    int release();
    void open_memory(const char* mode, tmsize_t most_memory);
    static void keep_first(Message& message, const char* format, va_list arguments);
    static int on_error(TIFF* tiff, void* self, const char* module, const char* format, va_list arguments);
    static int on_warning(TIFF* tiff, void* self, const char* module, const char* format, va_list arguments);
    static tmsize_t on_read(thandle_t self, void* to, tmsize_t count);
    static tmsize_t on_write(thandle_t self, void* from, tmsize_t count);
    static toff_t on_seek(thandle_t self, toff_t offset, int whence);
    static toff_t on_size(thandle_t self);
    static int on_close(thandle_t self);
    [[nodiscard]] std::span<const std::byte> bytes() const { return reading_ ? file_ : std::span(written_); }

    std::string name_;
    bool reading_;
    std::span<const std::byte> file_;
    std::vector<std::byte> written_;
    std::size_t at_ = 0;
    Message error_ = {};
    Message warning_ = {};
    TIFF* tiff_ = nullptr;
};

}  // namespace sbdl
