// Signals in a text file.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/nearest_word.hpp"
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

enum class Parsed { number, missing, not_a_number, too_large };

// What pandas and R write for a missing entry, beside nothing and "nan".
bool is_missing(std::string_view field) {
    constexpr std::array<std::string_view, 8> words{"", "NA", "N/A", "n/a", "<NA>", "None", "NULL", "null"};
    return std::ranges::find(words, field) != words.end();
}

// std::from_chars gives the same error for 1e999 and for 1e-999, which is a valid zero.
Parsed parse_extreme(std::string_view field, double& value) {
    std::istringstream stream{std::string(field)};
    stream.imbue(std::locale::classic());
    return stream >> value ? Parsed::number : Parsed::too_large;
}

Parsed parse_number(std::string_view field, double& value) {
    if (is_missing(field)) {
        value = std::numeric_limits<double>::quiet_NaN();
        return Parsed::missing;
    }
    if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
    const char* end = field.data() + field.size();
    const auto [stopped, error] = std::from_chars(field.data(), end, value);
    if (error == std::errc::invalid_argument || stopped != end) return Parsed::not_a_number;
    return error == std::errc() ? Parsed::number : parse_extreme(field, value);
}

class CsvParser {
public:
    /// With `column`, only the column of that name or number is read, or the only one if it is empty.
    explicit CsvParser(const std::filesystem::path& path, std::optional<std::string> column = std::nullopt)
        : name_(path.string()), file_(path, std::ios::binary), wanted_(std::move(column)) {
        if (!file_) fail_to_read();
    }

    std::unique_ptr<SignalSource> signals() {
        parse();
        check_columns();
        return std::make_unique<OwnedSource>(std::move(values_), rows_, cols_, name_);
    }

    CsvColumn one_column() {
        parse();
        return {std::move(values_), chosen_ < names_.size() ? names_[chosen_] : std::string()};
    }

private:
    void parse() {
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
            if (first && take_header(line)) continue;
            if (first && counts_columns(line)) {
                held_back_ = text;
                held_back_line_ = line_number_;
                continue;
            }
            release_held_back(line);
            append_row(line);
        }
        if (file_.bad()) fail_to_read();
        release_held_back({});
        if (rows_ == 0) throw InputError(fmt::format("{}: the file holds no numbers", name_));
    }

    [[noreturn]] void fail_to_read() const {
        throw FileError(fmt::format("{}: cannot be read: {}", name_, std::generic_category().message(errno)));
    }

    [[nodiscard]] std::string place() const { return fmt::format("{}:{}", name_, line_number_); }

    /// One field after the other, with its position.
    template <class Use>
    std::size_t for_each_field(std::string_view line, const Use& use) const {
        std::size_t fields = 0;
        for (bool more = true; more; ++fields) {
            const std::string_view field = take_field(line, separator_, more);
            use(field, fields);
        }
        return fields;
    }

    // A line of names has no number at all. If it has both, append_row() reports the first field that is not a number.
    // pandas writes the names of rows in a first column without a name; it is left out.
    bool take_header(std::string_view line) {
        bool names = false, numbers = false, first_unnamed = false;
        std::vector<std::string> found;
        std::optional<std::size_t> unnamed;
        const std::size_t fields = for_each_field(line, [&](std::string_view field, std::size_t column) {
            double ignored = 0.0;
            const Parsed parsed = parse_number(field, ignored);
            found.emplace_back(field);
            names = names || parsed == Parsed::not_a_number;
            numbers = numbers || parsed == Parsed::number || parsed == Parsed::too_large;
            if (column == 0 && field.empty())
                first_unnamed = true;
            else if (field.empty() && !unnamed)
                unnamed = column;
        });
        if (!names || numbers) return false;
        if (unnamed)
            throw InputError(
                fmt::format("{}: column {} (counted from 0) has no name; only the first column may have none, "
                            "which is then taken for the names of the rows",
                            place(), *unnamed));
        names_ = std::move(found);
        use_shape(fields, first_unnamed);
        return true;
    }

    void use_shape(std::size_t fields, bool first_column_is_index) {
        index_column_ = first_column_is_index;
        cols_ = fields - (first_column_is_index ? 1 : 0);
        shape_from_ = line_number_;
        if (wanted_) chosen_ = choose(fields);
    }

    [[nodiscard]] std::size_t choose(std::size_t fields) const {
        if (wanted_->empty() && cols_ == 1) return fields - 1;
        const auto named = std::ranges::find(names_, *wanted_);
        if (!wanted_->empty() && named != names_.end()) return static_cast<std::size_t>(named - names_.begin());
        std::size_t number = 0;
        const char* const end = wanted_->data() + wanted_->size();
        const auto [stopped, error] = std::from_chars(wanted_->data(), end, number);
        if (error == std::errc() && stopped == end && number < fields) return number;
        std::string known = fmt::format("{} {}, counted from 0", fields, fields == 1 ? "column" : "columns");
        if (!names_.empty()) {
            known = "the columns";
            for (const std::string& name : names_)
                known += fmt::format("{}{}", &name == &names_.front() ? " " : ", ", sbdl::quoted(name));
        }
        if (wanted_->empty())
            throw InputError(
                fmt::format("{}: has {}; choose the one to denoise with --column NAME|NUMBER", name_, known));
        const std::vector<std::string_view> names(names_.begin(), names_.end());
        throw InputError(fmt::format("{}: has no column {}; it has {}{}", name_, sbdl::quoted(*wanted_), known,
                                     did_you_mean(*wanted_, names)));
    }

    // Columns without names are numbered by pandas: "0,1,2", or ",0,1,2" beside a column of row numbers.
    bool counts_columns(std::string_view line) {
        bool counts = true, first_unnamed = false;
        const std::size_t fields = for_each_field(line, [&](std::string_view field, std::size_t column) {
            if (column == 0 && field.empty())
                first_unnamed = true;
            else if (field != std::to_string(column - (first_unnamed ? 1 : 0)))
                counts = false;
        });
        if (!counts || fields < 2) return false;
        if (!first_unnamed) return true;
        names_.emplace_back();
        for (std::size_t column = 0; column + 1 < fields; ++column) names_.push_back(std::to_string(column));
        use_shape(fields, true);
        return true;
    }

    // Whether "0,1,2" were numbers of columns is known at the next line: pandas writes 1 as 1.0 where numbers are not
    // whole, so they were, if that line has a decimal point.
    void release_held_back(std::string_view next) {
        if (held_back_.empty()) return;
        const std::string text = std::exchange(held_back_, {});
        if (index_column_) return;
        if (next.find('.') != std::string_view::npos) {
            use_shape(for_each_field(next, [](std::string_view, std::size_t) {}), false);
            shape_from_ = held_back_line_;
            return;
        }
        const std::size_t now = std::exchange(line_number_, held_back_line_);
        std::string_view line = text;
        if (line_number_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
        if (line.ends_with('\r')) line.remove_suffix(1);
        append_row(trim(line.substr(0, line.find('#')), padding_for(separator_)));
        line_number_ = now;
    }

    void append_row(std::string_view line) {
        if (cols_ == 0) use_shape(for_each_field(line, [](std::string_view, std::size_t) {}), false);
        const std::size_t skipped = index_column_ ? 1 : 0;
        const std::size_t fields = for_each_field(line, [&](std::string_view field, std::size_t column) {
            if (wanted_ ? column != chosen_ : column < skipped) return;
            double value = 0.0;
            const Parsed parsed = parse_number(field, value);
            if (parsed == Parsed::missing) any_missing_ = true;
            if (parsed == Parsed::not_a_number || parsed == Parsed::too_large) reject(field, column, parsed);
            values_.push_back(value);
        });
        if (fields != cols_ + skipped) {
            throw InputError(fmt::format("{}: this row has {} values, line {} has {}", place(), fields, shape_from_,
                                         cols_ + skipped));
        }
        ++rows_;
    }

    // A comma at the end of every line makes a column without a value.
    void check_columns() const {
        if (!any_missing_) return;
        for (std::size_t column = 0; column < cols_; ++column) {
            bool seen = false;
            for (std::size_t row = 0; row < rows_ && !seen; ++row) seen = !std::isnan(values_[row * cols_ + column]);
            if (!seen)
                throw InputError(fmt::format("{}: column {} (counted from 0) is empty in every row", name_,
                                             column + (index_column_ ? 1 : 0)));
        }
    }

    [[noreturn]] void reject(std::string_view field, std::size_t column, Parsed parsed) const {
        const std::string where = fmt::format("{}: column {} (counted from 0)", place(), column);
        if (parsed == Parsed::too_large) {
            throw InputError(fmt::format("{}: {} is too large for a double", where, quoted(field)));
        }
        const bool named = column < names_.size();
        const bool decimal_comma = separator_ != ',' && field.find(',') != std::string_view::npos;
        const std::string_view note =
            decimal_comma       ? " (a decimal point is needed, not a comma)"
            : named && !wanted_ ? "; remove columns of text, or, if the first column only names the rows, delete its "
                                  "header so that it is skipped"
                                : "";
        throw InputError(fmt::format("{}{}: {} is not a number{}", where,
                                     named ? fmt::format(", {}", sbdl::quoted(names_[column])) : "", quoted(field),
                                     note));
    }

    std::string name_;
    std::ifstream file_;
    std::size_t line_number_ = 0;  // counted from 1
    char separator_ = '\0';
    std::vector<double> values_;
    std::size_t rows_ = 0;
    std::size_t cols_ = 0;
    std::optional<std::string> wanted_;  // the only column to read
    std::size_t chosen_ = 0;             // its number
    std::vector<std::string> names_;     // of the columns, if there are any
    std::size_t shape_from_ = 0;         // the line that fixed the number of columns
    bool index_column_ = false;          // the first column holds names or numbers of rows
    bool any_missing_ = false;
    std::string held_back_;  // a first line that may number the columns
    std::size_t held_back_line_ = 0;
};

}  // namespace

std::unique_ptr<SignalSource> read_csv(const std::filesystem::path& path) {
    return CsvParser(path).signals();
}

CsvColumn read_csv_column(const std::filesystem::path& path, const std::string& column) {
    return CsvParser(path, column).one_column();
}

}  // namespace sbdl
