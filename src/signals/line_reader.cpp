#include "signals/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

constexpr std::size_t first_buffer_bytes = std::size_t{1} << 18;

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
    throw FileError(fmt::format("{}: cannot be read: {}", path.string(), std::generic_category().message(error)));
}

}  // namespace

LineReader::LineReader(std::filesystem::path path)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")), buffer_(first_buffer_bytes) {
    if (!file_) fail(path_, errno);
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // the buffer is here
}

bool LineReader::next(std::string_view& line) {
    std::size_t searched = 0;
    for (;;) {
        const char* start = buffer_.data() + begin_;
        const auto* feed = static_cast<const char*>(std::memchr(start + searched, '\n', end_ - begin_ - searched));
        searched = end_ - begin_;
        if (feed == nullptr && refill()) continue;
        if (feed == nullptr && begin_ == end_) return false;
        start = buffer_.data() + begin_;
        const std::size_t length = feed != nullptr ? static_cast<std::size_t>(feed - start) : end_ - begin_;
        line = {start, length};
        if (line.ends_with('\r')) line.remove_suffix(1);
        begin_ += length + (feed != nullptr ? 1 : 0);
        ++line_number_;
        return true;
    }
}

// Moves the unread characters to the front and reads more after them; false at the end of the file.
bool LineReader::refill() {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t found = std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_.get());
    if (std::ferror(file_.get()) != 0) fail(path_, errno);
    end_ += found;
    return found > 0;
}

}  // namespace sbdl
