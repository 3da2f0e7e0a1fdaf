#include "signals/source_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "sbdl/error.hpp"

namespace sbdl {

namespace fs = std::filesystem;

void check_range(const SignalSource& source, std::size_t first, std::size_t how_many) {
    if (first > source.count() || how_many > source.count() - first) {
        throw InputError(fmt::format("{}: {} signals from {} on were requested, but there are {}", source.name(),
                                     how_many, first, source.count()));
    }
}

void check_readable(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        throw FileError(fmt::format("{}: cannot be read: {}", path.string(), error.message()));
    }
    if (fs::is_directory(status)) throw FileError(fmt::format("{}: is a folder, not a file", path.string()));
    if (!fs::is_regular_file(status)) throw FileError(fmt::format("{}: is not a plain file", path.string()));
    if (fs::file_size(path, error) == 0 && !error) throw FileError(fmt::format("{}: the file is empty", path.string()));
}

std::string lower_case_extension(const fs::path& path) {
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    return extension;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t most_shown = 40;
    std::string shown = "'";
    for (const char c : text.substr(0, most_shown)) {
        const auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code < 0x7f) {
            shown += c;
        } else {
            shown += fmt::format("\\x{:02x}", code);
        }
    }
    return shown + (text.size() > most_shown ? "...'" : "'");
}

OwnedSource::OwnedSource(std::vector<double> values, std::size_t count, std::size_t dim, std::string name)
    : values_(std::move(values)), count_(count), dim_(dim), name_(std::move(name)) {}

void OwnedSource::read(std::size_t first, std::size_t how_many, double* out) const {
    check_range(*this, first, how_many);
    std::copy_n(values_.data() + first * dim_, how_many * dim_, out);
}

void MemorySource::read(std::size_t first, std::size_t how_many, double* out) const {
    check_range(*this, first, how_many);
    std::copy_n(rows_.data + first * rows_.cols, how_many * rows_.cols, out);
}

}  // namespace sbdl
