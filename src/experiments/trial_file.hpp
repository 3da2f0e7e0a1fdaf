// A CSV file of finished trials. Each is one line, written in one piece as soon as it is finished, so that a run can be
// stopped at any moment. The users of this class define the columns.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "sbdl/error.hpp"

namespace sbdl {

/// A 64-bit hash that is the same everywhere and always: it goes into files. `hash` is that of the bytes before these.
inline std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325U) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

inline std::string as_fingerprint(std::uint64_t hash) {
    return fmt::format("{:016x}", hash);
}

/// One line of the file, split into fields; every error message names the file and the line.
class TrialLine {
public:
    TrialLine(const std::filesystem::path& path, std::size_t line_number, std::string_view line, std::size_t columns);

    [[noreturn]] void fail(const std::string& what) const;

    [[nodiscard]] const std::string& text(std::size_t column) const { return fields_[column]; }

    template <class Number>
    [[nodiscard]] Number number(std::size_t column, double least, double most) const {
        const std::string& field = fields_[column];
        Number value{};
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        // Written so that NaN fails as well.
        if (error != std::errc{} || end != field.data() + field.size() ||
            !(static_cast<double>(value) >= least && static_cast<double>(value) <= most))
            fail(fmt::format("field {} is '{}', not a number from {} to {}", column + 1, field, least, most));
        return value;
    }

    /// Adds the file and the line to the InputError of an unknown name.
    template <class Parse>
    [[nodiscard]] auto parse(const Parse& parser) const {
        try {
            return parser();
        } catch (const InputError& error) {
            fail(error.what());
        }
    }

    /// Fails unless the seed in the column is `expected`, the one that this run would use.
    void check_seed(std::size_t column, std::uint64_t expected) const;
    /// Fails unless the column has the fingerprint of this run's options.
    void check_fingerprint(std::size_t column, const std::string& expected) const;

private:
    const std::filesystem::path& path_;
    std::size_t line_number_;
    std::vector<std::string> fields_;
};

class TrialFile {
public:
    using ReadLine = std::function<void(const TrialLine& line)>;

    /// Opens or creates the file, locks out other runs, and reads the lines below its header (which includes its line
    /// end). A last line without a line end was cut off while it was written; it is removed. Throws InputError for any
    /// other damage (`what` says what the file should be: "Table I trials"), before the file is changed, and FileError
    /// when the file cannot be used.
    ///
    /// `later_columns` are the last ones of the header, with a comma before each, which files of earlier programs do
    /// not have. In such a file they are added, and are empty in all its lines.
    TrialFile(std::filesystem::path path, const std::string& header, std::string_view what, const ReadLine& read_line,
              std::string_view later_columns = {});
    TrialFile(const TrialFile&) = delete;
    TrialFile& operator=(const TrialFile&) = delete;
    ~TrialFile();

    /// A line with its line end. On failure (a full disk, for example) the file stays as it was. Throws FileError.
    void append(const std::string& line);

private:
    [[nodiscard]] int open_locked() const;
    void close() const;
    void read_lines(const std::string& header, std::string_view what, const ReadLine& read_line,
                    std::string_view later_columns);
    void replace(const std::string& text);

    std::filesystem::path path_;
    int file_ = -1;
    int replaced_ = -1;  // the file that replace() replaced: it stays locked against a run that opened it before
};

}  // namespace sbdl
