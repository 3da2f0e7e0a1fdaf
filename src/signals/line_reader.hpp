// The lines of a text file, one after the other, with only one buffer of it in memory.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace sbdl {

class LineReader {
public:
    /// Throws FileError when the file cannot be opened.
    explicit LineReader(std::filesystem::path path);

    /// The next line without its end (LF or CRLF); valid until the next call. False at the end of the file.
    bool next(std::string_view& line);
    [[nodiscard]] std::size_t line_number() const { return line_number_; }  ///< of the last line, counted from 1

private:
    bool refill();

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::filesystem::path path_;
    std::unique_ptr<std::FILE, Close> file_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;  // unread characters are buffer_[begin_ ... end_)
    std::size_t end_ = 0;
    std::size_t line_number_ = 0;
};

}  // namespace sbdl
