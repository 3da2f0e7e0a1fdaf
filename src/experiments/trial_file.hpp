// A CSV file of finished trials, one line each, written at once and whole, so that a run can be stopped at any moment.
// What the columns mean is told by those who use it.
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

/// One line of the file, taken apart; every complaint names the file and the line.
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

    /// Turns the InputError of a name that does not exist into one that says where it stands.
    template <class Parse>
    [[nodiscard]] auto parse(const Parse& parser) const {
        try {
            return parser();
        } catch (const InputError& error) {
            fail(error.what());
        }
    }

    /// Fails unless the seed in the column is `expected`, the one that this run would have used.
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

    /// Opens or makes the file, keeps other runs out of it, and reads the lines below its header (given with its line
    /// end). A last line without its line end was cut off while it was written: it is taken away. Throws InputError for
    /// any other damage (`what` is what the file should have been, "Table I trials"), before the file is touched, and
    /// FileError when the file cannot be used.
    TrialFile(std::filesystem::path path, const std::string& header, std::string_view what, const ReadLine& read_line);
    TrialFile(const TrialFile&) = delete;
    TrialFile& operator=(const TrialFile&) = delete;
    ~TrialFile();

    /// A line with its line end. On a failure (a full disk, say) the file is left as it was. Throws FileError.
    void append(const std::string& line);

private:
    void read_lines(const std::string& header, std::string_view what, const ReadLine& read_line);

    std::filesystem::path path_;
    int file_ = -1;
};

}  // namespace sbdl
