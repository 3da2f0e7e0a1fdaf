// What the fuzzer feeds to each reader. A function takes the fuzzer's bytes and returns when the reader has read them,
// or has thrown sbdl::Error; anything else is a finding.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sbdl::fuzz {

using Bytes = std::span<const std::byte>;

/// An image of one format; the bytes of other formats are left alone, see image_input.cpp.
void read_image(Bytes bytes, std::string_view format);

/// Signals in files of these formats, of which the bytes are the whole content.
void read_npy(Bytes bytes);
void read_csv(Bytes bytes);
/// A sound.
void read_wav(Bytes bytes);
/// The same for MATLAB's version 5. When the first byte of the header's text is a 'c', each variable is compressed
/// first: hardly any changed byte of compressed ones would get past zlib.
void read_mat(Bytes bytes);

/// The bytes are a script that makes an HDF5 file through the library, since the library itself stops most damaged
/// files: groups, datasets of all types and layouts, MATLAB's attributes, links; it is then read as signals.
void read_hdf5(Bytes bytes);
/// The same for a model: the script changes a good one, with the right checksums.
void read_model(Bytes bytes);

/// A checkpoint without its checksum, which is added.
void read_checkpoint(Bytes bytes);

/// A file on a file system in memory, for readers that want a path.
class MemoryFile {
public:
    MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile();

    void write(Bytes bytes) const;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    int descriptor_ = -1;
    std::filesystem::path path_;
};

/// Takes decisions from the fuzzer's bytes; zeros after their end.
class Script {
public:
    explicit Script(Bytes bytes) : rest_(bytes) {}
    [[nodiscard]] bool ended() const { return rest_.empty(); }

    std::size_t byte() {
        if (rest_.empty()) return 0;
        const auto value = std::to_integer<std::size_t>(rest_.front());
        rest_ = rest_.subspan(1);
        return value;
    }
    std::size_t below(std::size_t bound) { return byte() % bound; }
    template <class Items>
    const auto& one_of(const Items& items) {
        return items[below(std::size(items))];
    }
    /// One of the numbers that often break something, or any.
    double number();
    /// A short text, of any bytes but zero.
    std::string text();

private:
    Bytes rest_;
};

/// For what must hold of everything that was read.
inline void must(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
}

}  // namespace sbdl::fuzz
