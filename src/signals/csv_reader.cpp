// Signals in a text file.

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sbdl/error.hpp"
#include "signals/readers.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string_view trim(std::string_view text, std::string_view what) {
    const std::size_t first = text.find_first_not_of(what);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(what) - first + 1);
}

// The first line that is not a comment decides for the whole file. Next to semicolons a comma is a decimal comma, which
// is then rejected as part of a number instead of being taken for a separator.
char separator_of(std::string_view line) {
    for (const char separator : {';', ',', '\t'}) {
        if (line.find(separator) != std::string_view::npos) return separator;
    }
    return ' ';
}

// What may surround a field. Not a tab where tabs separate fields: empty fields would be lost.
std::string_view padding_for(char separator) {
    return separator == '\t' ? " " : blanks;
}

// Removes the next field from a line without padding; `more` tells whether another follows. Separators in double quotes
// are text.
std::string_view take_field(std::string_view& rest, char separator, bool& more) {
    std::size_t search_from = 0;
    if (rest.starts_with('"')) {
        const std::size_t closing = rest.find('"', 1);
        if (closing != std::string_view::npos) search_from = closing;
    }
    const std::size_t end =
        separator == ' ' ? rest.find_first_of(blanks, search_from) : rest.find(separator, search_from);
    more = end != std::string_view::npos;
    std::string_view field = trim(rest.substr(0, end), padding_for(separator));
    rest = more ? trim(rest.substr(end + 1), padding_for(separator)) : std::string_view();
    if (field.size() >= 2 && field.starts_with('"') && field.ends_with('"')) field = field.substr(1, field.size() - 2);
    return field;
}

enum class Parsed { number, not_a_number, too_large };

// std::from_chars gives the same error for 1e999 and for 1e-999, which is a valid zero.
Parsed parse_extreme(std::string_view field, double& value) {
    std::istringstream stream{std::string(field)};
    stream.imbue(std::locale::classic());
    return stream >> value ? Parsed::number : Parsed::too_large;
}

Parsed parse_number(std::string_view field, double& value) {
    if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
    const char* end = field.data() + field.size();
    const auto [stopped, error] = std::from_chars(field.data(), end, value);
    if (error == std::errc::invalid_argument || stopped != end) return Parsed::not_a_number;
    return error == std::errc() ? Parsed::number : parse_extreme(field, value);
}

class CsvParser {
public:
    explicit CsvParser(const std::filesystem::path& path) : name_(path.string()), file_(path, std::ios::binary) {
        if (!file_) fail_to_read();
    }

    std::unique_ptr<SignalSource> parse() {
        for (std::string text; std::getline(file_, text);) {
            ++line_number_;
            std::string_view line = text;
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (line_number_ == 1 && line.starts_with(byte_order_mark)) {
                line.remove_prefix(byte_order_mark.size());
            }
            line = line.substr(0, line.find('#'));
            const std::string_view content = trim(line, blanks);
            if (content.empty()) continue;
            const bool first = separator_ == '\0';
            if (first) separator_ = separator_of(content);
            line = trim(line, padding_for(separator_));
            if (!first || !take_header(line)) append_row(line);
        }
        if (file_.bad()) fail_to_read();
        if (rows_ == 0) throw InputError(fmt::format("{}: the file holds no numbers", name_));
        return std::make_unique<OwnedSource>(std::move(values_), rows_, cols_, name_);
    }

private:
    [[noreturn]] void fail_to_read() const {
        throw FileError(fmt::format("{}: cannot be read: {}", name_, std::generic_category().message(errno)));
    }

    [[nodiscard]] std::string place() const { return fmt::format("{}:{}", name_, line_number_); }

    // A line of names has no number at all. If it has both, append_row() reports the first field that is not a number.
    bool take_header(std::string_view line) {
        std::size_t fields = 0;
        double ignored = 0.0;
        std::optional<std::size_t> unnamed;
        for (bool more = true; more; ++fields) {
            const std::string_view field = take_field(line, separator_, more);
            if (parse_number(field, ignored) != Parsed::not_a_number) return false;
            if (field.empty() && !unnamed) unnamed = fields;
        }
        if (unnamed) {
            throw InputError(
                fmt::format("{}: column {} (counted from 0) has no name; a column of row numbers or row "
                            "names must be left out",
                            place(), *unnamed));
        }
        cols_ = fields;
        shape_from_ = line_number_;
        return true;
    }

    void append_row(std::string_view line) {
        std::size_t fields = 0;
        for (bool more = true; more; ++fields) {
            const std::string_view field = take_field(line, separator_, more);
            double value = 0.0;
            const Parsed parsed = parse_number(field, value);
            if (parsed != Parsed::number) reject(field, fields, parsed);
            values_.push_back(value);
        }
        if (cols_ == 0) {
            cols_ = fields;
            shape_from_ = line_number_;
        }
        if (fields != cols_) {
            throw InputError(
                fmt::format("{}: this row has {} values, line {} has {}", place(), fields, shape_from_, cols_));
        }
        ++rows_;
    }

    [[noreturn]] void reject(std::string_view field, std::size_t column, Parsed parsed) const {
        const std::string where = fmt::format("{}: column {} (counted from 0)", place(), column);
        if (field.empty()) throw InputError(where + " is empty");
        if (parsed == Parsed::too_large) {
            throw InputError(fmt::format("{}: {} is too large for a double", where, quoted(field)));
        }
        const bool decimal_comma = separator_ != ',' && field.find(',') != std::string_view::npos;
        throw InputError(fmt::format("{}: {} is not a number{}", where, quoted(field),
                                     decimal_comma ? " (a decimal point is needed, not a comma)" : ""));
    }

    std::string name_;
    std::ifstream file_;
    std::size_t line_number_ = 0;  // counted from 1
    char separator_ = '\0';
    std::vector<double> values_;
    std::size_t rows_ = 0;
    std::size_t cols_ = 0;
    std::size_t shape_from_ = 0;  // the line that fixed the number of columns
};

}  // namespace

std::unique_ptr<SignalSource> read_csv(const std::filesystem::path& path) {
    return CsvParser(path).parse();
}

}  // namespace sbdl
