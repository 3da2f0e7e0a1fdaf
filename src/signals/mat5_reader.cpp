// MATLAB files of version 5, which versions 6 and 7 write too:
//
//   128 bytes of header, the last two of them "IM" (little-endian) or "MI"
//   elements: type (4 bytes), length (4 bytes), so many bytes. A variable is an element of type `matrix`, or one of
//   type `compressed`, which is such an element behind zlib.
//
// A matrix consists of elements too, which begin at multiples of 8 bytes: flags, dimensions, name, and the numbers by
// columns, in any type that holds them. Elements of at most 4 bytes may have type and length in 2 bytes each, and their
// bytes in the other 4. Of cells, structures and objects only the name is read.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked_size.hpp"
#include "sbdl/error.hpp"
#include "signals/item_conversion.hpp"
#include "signals/mapped_file.hpp"
#include "signals/readers.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t file_header_bytes = 128;
constexpr std::size_t tag_bytes = 8;
constexpr std::size_t most_shrinking = 1032;  // of deflate

// Types of elements.
constexpr std::uint32_t type_int8 = 1, type_int32 = 5, type_uint32 = 6, type_matrix = 14, type_compressed = 15;

/// What is in front of an element's bytes.
struct Tag {
    std::uint32_t type = 0;
    std::size_t length = 0;
    std::size_t data_at = 0;
};

std::uint32_t number_at(Bytes bytes, std::size_t at, bool big_endian) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number = number << 8 | std::to_integer<std::uint32_t>(bytes[at + (big_endian ? i : 3 - i)]);
    return number;
}

/// Of the element at `at`; nothing where the bytes end before it does.
std::optional<Tag> tag_at(Bytes bytes, std::size_t at, bool big_endian) {
    if (at > bytes.size() || bytes.size() - at < tag_bytes) return std::nullopt;
    const std::uint32_t first = number_at(bytes, at, big_endian);
    if (first >> 16 != 0) return Tag{first & 0xffff, first >> 16, at + 4};  // the short form
    return Tag{first, number_at(bytes, at + 4, big_endian), at + tag_bytes};
}

/// One variable of the file.
struct Variable {
    NamedArray array;
    Bytes element;  ///< as it is in the file, without its tag
    bool compressed = false;
    std::size_t matrix_bytes = 0;  ///< with its tag, not compressed
    Tag numbers;
};

/// Undoes zlib for the bytes of one element.
class Inflater {
public:
    Inflater(Bytes packed, const std::string& message) : message_(message) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
        stream_.avail_in = static_cast<uInt>(packed.size());  // the length has 4 bytes in the file
        if (inflateInit(&stream_) != Z_OK) throw FileError(message_ + ": not enough memory");
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { inflateEnd(&stream_); }

    /// The next bytes, fewer only at the end.
    std::vector<std::byte> next(std::size_t most) {
        constexpr std::size_t step = std::size_t{1} << 20;  // memory grows with what has been found
        std::vector<std::byte> bytes;
        while (bytes.size() < most && !ended_) {
            const std::size_t before = bytes.size();
            bytes.resize(std::min(most, before + std::max(before, step)));
            bytes.resize(before + fill(bytes.data() + before, bytes.size() - before));
        }
        return bytes;
    }

    /// Whether nothing follows and the checksum of everything that was read is right.
    bool ends_here() { return next(1).empty(); }

private:
    std::size_t fill(std::byte* to, std::size_t size) {
        constexpr std::size_t most_at_once = std::numeric_limits<uInt>::max();
        const auto wanted = static_cast<uInt>(std::min(size, most_at_once));
        stream_.next_out = reinterpret_cast<Bytef*>(to);
        stream_.avail_out = wanted;
        const int status = inflate(&stream_, Z_NO_FLUSH);
        ended_ = status == Z_STREAM_END;
        if (status != Z_OK && !ended_)
            throw FileError(fmt::format("{} is damaged: {}", message_,
                                        stream_.msg != nullptr ? stream_.msg : "its compressed bytes end too early"));
        return wanted - stream_.avail_out;
    }

    const std::string& message_;
    z_stream stream_ = {};
    bool ended_ = false;
};

/// How a type of element stores numbers; nothing for types that are not numbers.
struct Stored {
    ItemKind kind;
    std::size_t bytes;
};

std::optional<Stored> stored_as(std::uint32_t type) {
    constexpr std::pair<std::uint32_t, Stored> types[] = {
        {1, {ItemKind::signed_integer, 1}},  {2, {ItemKind::unsigned_integer, 1}},
        {3, {ItemKind::signed_integer, 2}},  {4, {ItemKind::unsigned_integer, 2}},
        {5, {ItemKind::signed_integer, 4}},  {6, {ItemKind::unsigned_integer, 4}},
        {7, {ItemKind::floating, 4}},        {9, {ItemKind::floating, 8}},
        {12, {ItemKind::signed_integer, 8}}, {13, {ItemKind::unsigned_integer, 8}}};
    const auto* const found = std::ranges::find(types, type, &std::pair<std::uint32_t, Stored>::first);
    return found == std::end(types) ? std::nullopt : std::optional(found->second);
}

std::string problem_by_class(std::uint32_t array_class) {
    constexpr std::uint32_t first_numeric = 6, last_numeric = 15;
    if (array_class >= first_numeric && array_class <= last_numeric) return {};
    switch (array_class) {
        case 1:
            return "is a MATLAB cell array";
        case 2:
            return "is a MATLAB struct array";
        case 4:
            return "is a MATLAB char array";
        case 5:
            return "is a sparse MATLAB matrix";
        default:
            return "is not a MATLAB array of numbers";
    }
}

class Mat5File {
public:
    explicit Mat5File(const std::filesystem::path& path) : file_(path) {
        if (file_.bytes().size() < file_header_bytes)
            throw FileError(fmt::format("{}: the file ends inside its header", name()));
        big_endian_ = file_.bytes()[file_header_bytes - 2] == std::byte{'M'};
    }

    [[nodiscard]] std::vector<Variable> variables() const {
        std::vector<Variable> found;
        const Bytes file = file_.bytes();
        for (std::size_t at = file_header_bytes; at < file.size();) {
            const std::size_t left = file.size() - at;
            const std::size_t length = left < tag_bytes ? 0 : number_at(file, at + 4, big_endian_);
            if (left < tag_bytes || length > left - tag_bytes)
                throw FileError(fmt::format("{}: the file is cut off: at byte {} it must have {} more bytes, {} found",
                                            name(), at, tag_bytes + length, left));
            if (std::optional<Variable> next = variable(at, length)) found.push_back(std::move(*next));
            at += tag_bytes + length;
        }
        return found;
    }

    [[nodiscard]] std::vector<double> values(const Variable& variable) const {
        const NamedArray& array = variable.array;
        const std::string message = fmt::format("{}: variable '{}'", name(), array.name);
        const auto too_large = [&] {
            return FileError(
                fmt::format("{} claims to be {} x {}, more than the file can hold", message, array.rows, array.cols));
        };
        const auto elements = checked_product({array.rows, array.cols});
        const std::optional<Stored> stored = stored_as(variable.numbers.type);
        if (elements == 0) return {};
        if (!stored) throw FileError(message + " is damaged: its numbers have a type that does not exist");
        const auto bytes = elements ? checked_product({*elements, stored->bytes}) : std::nullopt;
        if (!bytes || *bytes > variable.numbers.length || variable.numbers.data_at > variable.matrix_bytes ||
            variable.numbers.length > variable.matrix_bytes - variable.numbers.data_at ||
            (variable.compressed && variable.matrix_bytes / most_shrinking > variable.element.size()))
            throw too_large();
        if (!variable.compressed) return rows_of(array, *stored, variable.element.data() + variable.numbers.data_at);
        Inflater inflater(variable.element, message);
        const std::vector<std::byte> matrix = inflater.next(variable.matrix_bytes);
        if (matrix.size() < variable.matrix_bytes || !inflater.ends_here())
            throw FileError(fmt::format("{} is damaged: it does not have the {} bytes that it claims", message,
                                        variable.matrix_bytes));
        return rows_of(array, *stored, matrix.data() + variable.numbers.data_at);
    }

    [[nodiscard]] std::string name() const { return file_.path().string(); }

private:
    [[noreturn]] void damaged(std::size_t at, std::string_view what) const {
        throw FileError(fmt::format("{}: the variable at byte {} is damaged: {}", name(), at, what));
    }

    // Nothing for an element that is no variable. `at` is where its tag is in the file.
    [[nodiscard]] std::optional<Variable> variable(std::size_t at, std::size_t length) const {
        constexpr std::size_t most_before_numbers = 4096;
        const std::uint32_t type = number_at(file_.bytes(), at, big_endian_);
        Variable variable;
        variable.compressed = type == type_compressed;
        // With the tag of the matrix, as it is behind the compression.
        variable.element = variable.compressed ? file_.bytes().subspan(at + tag_bytes, length)
                                               : file_.bytes().subspan(at, tag_bytes + length);
        if (!variable.compressed) {
            if (type != type_matrix) return std::nullopt;
            variable.matrix_bytes = variable.element.size();
            describe(variable, variable.element, at);
        } else {
            const std::string message = fmt::format("{}: the variable at byte {}", name(), at);
            const std::vector<std::byte> begin = Inflater(variable.element, message).next(most_before_numbers);
            if (begin.size() < tag_bytes) damaged(at, "it has no tag");
            if (number_at(begin, 0, big_endian_) != type_matrix) return std::nullopt;
            variable.matrix_bytes = tag_bytes + number_at(begin, 4, big_endian_);
            describe(variable, begin, at);
        }
        // MATLAB stores what belongs to objects without a name.
        return variable.array.name.empty() ? std::nullopt : std::optional(std::move(variable));
    }

    // Reads flags, dimensions and name. `matrix` may end before the numbers do.
    void describe(Variable& variable, Bytes matrix, std::size_t file_at) const {
        std::size_t at = tag_bytes;
        const auto next = [&](std::string_view what) {
            const std::optional<Tag> tag = tag_at(matrix, at, big_endian_);
            if (!tag || tag->length > matrix.size() - tag->data_at) damaged(file_at, fmt::format("it has no {}", what));
            at = (tag->data_at + tag->length + 7) / 8 * 8;
            return *tag;
        };
        const Tag flags = next("flags");
        if (flags.type != type_uint32 || flags.length != 8) damaged(file_at, "it has no flags");
        const std::uint32_t bits = number_at(matrix, flags.data_at, big_endian_);
        NamedArray& array = variable.array;
        array.problem = problem_by_class(bits & 0xff);
        constexpr std::uint32_t complex_flag = 0x800;
        if (array.problem.empty() && (bits & complex_flag) != 0) array.problem = "holds complex numbers";

        Tag element = next("dimensions");
        if (element.type == type_int32) {  // objects have none
            read_shape(matrix, element, array);
            element = next("name");
        }
        if (element.type != type_int8) damaged(file_at, "it has no name");
        const auto* const text = reinterpret_cast<const char*>(matrix.data() + element.data_at);
        array.name.assign(text, element.length);
        if (!array.problem.empty()) return;
        const std::optional<Tag> numbers = tag_at(matrix, at, big_endian_);
        if (!numbers) damaged(file_at, "it has no numbers");
        variable.numbers = *numbers;
    }

    void read_shape(Bytes matrix, const Tag& element, NamedArray& array) const {
        const std::size_t rank = element.length / 4;
        if (array.problem.empty() && rank != 2) array.problem = fmt::format("has {} dimensions", rank);
        if (!array.problem.empty()) return;
        array.rows = number_at(matrix, element.data_at, big_endian_);
        array.cols = number_at(matrix, element.data_at + 4, big_endian_);
    }

    // MATLAB stores column by column; signals are rows.
    [[nodiscard]] std::vector<double> rows_of(const NamedArray& array, const Stored& stored,
                                              const std::byte* numbers) const {
        const Convert to_doubles = conversion_for(stored.kind, stored.bytes, big_endian_);
        std::vector<double> values(array.rows * array.cols);
        for (std::size_t col = 0; col < array.cols; ++col)
            to_doubles(numbers + col * array.rows * stored.bytes, array.rows, values.data() + col, array.cols);
        return values;
    }

    MappedFile file_;
    bool big_endian_ = false;
};

}  // namespace

std::unique_ptr<SignalSource> read_mat5(const std::filesystem::path& path, const std::string& wanted) {
    const Mat5File file(path);
    const std::vector<Variable> variables = file.variables();
    std::vector<NamedArray> arrays;
    for (const Variable& variable : variables) arrays.push_back(variable.array);
    const NamedArray& array = choose_array(arrays, wanted, file.name(), "variable");
    const Variable& chosen = variables[static_cast<std::size_t>(&array - arrays.data())];
    return std::make_unique<OwnedSource>(file.values(chosen), array.rows, array.cols,
                                         fmt::format("{}:{}", file.name(), array.name));
}

}  // namespace sbdl
