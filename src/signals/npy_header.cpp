#include "signals/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <utility>

#include "base/checked_size.hpp"
#include "sbdl/error.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

// The header of a plain array has about a hundred characters; a header this long belongs to none.
constexpr std::size_t most_header_bytes = std::size_t{1} << 20;

// Reads the few Python literals that a header consists of.
class LiteralReader {
public:
    LiteralReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    [[noreturn]] void fail(std::string_view what) const {
        throw FileError(fmt::format("{}: damaged .npy header: {} at {}", name_, what, quoted(text_.substr(at_))));
    }

    char peek() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool take(char wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }

    void expect(char wanted) {
        if (!take(wanted)) fail(fmt::format("'{}' is missing", wanted));
    }

    std::string_view read_string() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail("text in quotes is missing");
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) fail("quotes are not closed");
        const std::string_view string = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return string;
    }

    bool read_bool() {
        peek();
        for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}}) {
            if (!text_.substr(at_).starts_with(word)) continue;
            at_ += word.size();
            return value;
        }
        fail("neither True nor False");
    }

    std::size_t read_size() {
        peek();
        std::size_t size = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
        if (error == std::errc::result_out_of_range) fail("a number that is too large");
        if (error != std::errc()) fail("not a whole number of at least 0");
        at_ = static_cast<std::size_t>(end - text_.data());
        take('L');  // written by Python 2
        return size;
    }

    std::vector<std::size_t> read_shape() {
        std::vector<std::size_t> shape;
        expect('(');
        while (!take(')')) {
            shape.push_back(read_size());
            if (!take(',') && peek() != ')') fail("',' between the sizes is missing");
        }
        return shape;
    }

private:
    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
};

struct Description {
    std::optional<std::string_view> dtype;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::size_t>> shape;
};

Description read_description(LiteralReader& reader, const std::string& name) {
    Description description;
    reader.expect('{');
    while (!reader.take('}')) {
        const std::string_view key = reader.read_string();
        reader.expect(':');
        if (key == "descr") {
            if (reader.peek() == '[' || reader.peek() == '(') {
                throw InputError(
                    fmt::format("{}: the array holds records (a structured dtype), not plain numbers", name));
            }
            description.dtype = reader.read_string();
        } else if (key == "fortran_order") {
            description.fortran_order = reader.read_bool();
        } else if (key == "shape") {
            description.shape = reader.read_shape();
        } else {
            reader.fail(fmt::format("unknown key {}", quoted(key)));
        }
        if (!reader.take(',') && reader.peek() != '}') reader.fail("',' between the entries is missing");
    }
    if (!description.dtype || !description.fortran_order || !description.shape) {
        throw FileError(fmt::format("{}: damaged .npy header: descr, fortran_order or shape is missing", name));
    }
    return description;
}

[[noreturn]] void reject_dtype(std::string_view dtype, std::string_view what, const std::string& name) {
    throw InputError(
        fmt::format("{}: dtype {} ({}) cannot be used; convert with .astype('float64')", name, quoted(dtype), what));
}

// '<f8': byte order (or '|' for none, '=' for this machine's), kind, bytes.
void read_dtype(std::string_view dtype, NpyArray& header, const std::string& name) {
    std::string_view rest = dtype;
    char order = '=';
    if (!rest.empty() && std::string_view("<>|=").find(rest.front()) != std::string_view::npos) {
        order = rest.front();
        rest.remove_prefix(1);
    }
    if (rest.empty()) reject_dtype(dtype, "not a dtype", name);
    header.big_endian = order == '>' || (order != '<' && std::endian::native == std::endian::big);
    const char letter = rest.front();
    const std::string_view width = rest.substr(1);
    struct Usable {
        char letter;
        ItemKind kind;
        std::string_view widths, otherwise;
    };
    for (const Usable& usable :
         {Usable{'f', ItemKind::floating, "48", "only floats of 4 and 8 bytes are supported"},
          Usable{'i', ItemKind::signed_integer, "1248", "integer"},
          Usable{'u', ItemKind::unsigned_integer, "1248", "integer"}, Usable{'b', ItemKind::boolean, "1", "boolean"}}) {
        if (letter != usable.letter) continue;
        if (width.size() != 1 || usable.widths.find(width.front()) == std::string_view::npos)
            reject_dtype(dtype, usable.otherwise, name);
        header.kind = usable.kind;
        header.item_bytes = static_cast<std::size_t>(width.front() - '0');
        return;
    }
    using Other = std::pair<std::string_view, std::string_view>;
    for (const auto& [letters, what] : {Other{"O", "Python objects"}, Other{"c", "complex numbers"},
                                        Other{"SaU", "text"}, Other{"Mm", "dates or times"}, Other{"V", "raw bytes"}})
        if (letters.find(letter) != std::string_view::npos) reject_dtype(dtype, what, name);
    reject_dtype(dtype, "unknown", name);
}

std::optional<std::size_t> bytes_needed(const NpyArray& array) {
    std::optional<std::size_t> bytes = array.item_bytes;
    for (const std::size_t size : array.shape) bytes = bytes ? checked_product({*bytes, size}) : std::nullopt;
    return bytes;
}

// A hostile header can have a shape of a hundred thousand sizes.
std::string shape_text(const std::vector<std::size_t>& shape) {
    constexpr std::size_t most_shown = 4;
    const auto shown = std::span(shape).first(std::min(shape.size(), most_shown));
    return fmt::format("{}{}", fmt::join(shown, " x "), shape.size() > most_shown ? " x ..." : "");
}

}  // namespace

NpyArray parse_npy_array(std::span<const std::byte> file, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    if (!text.starts_with(magic)) throw FileError(fmt::format("{}: not a .npy file (wrong first bytes)", name));
    const std::size_t version_at = magic.size();
    const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(file[at]); };
    const std::size_t major = file.size() > version_at ? byte(version_at) : 0;
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::size_t text_at = version_at + 2 + length_bytes;
    if (file.size() < text_at) throw FileError(fmt::format("{}: the file ends inside its .npy header", name));
    if (major < 1 || major > 3) {
        throw FileError(fmt::format("{}: .npy version {}.{} is not supported (1.0, 2.0 and 3.0 are)", name, major,
                                    byte(version_at + 1)));
    }
    std::size_t header_bytes = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) header_bytes |= byte(version_at + 2 + i) << (8 * i);
    if (header_bytes > file.size() - text_at) {
        throw FileError(fmt::format("{}: the file ends inside its .npy header: {} bytes expected, {} found", name,
                                    header_bytes, file.size() - text_at));
    }
    if (header_bytes > most_header_bytes) {
        throw FileError(fmt::format("{}: damaged .npy header: its length is {} bytes, the most allowed is {}", name,
                                    header_bytes, most_header_bytes));
    }

    LiteralReader reader(text.substr(text_at, header_bytes), name);
    const Description description = read_description(reader, name);
    if (reader.peek() != '\0') reader.fail("something after the closing '}'");
    NpyArray header;
    read_dtype(*description.dtype, header, name);
    header.shape = *description.shape;
    header.fortran_order = *description.fortran_order;
    header.data_offset = text_at + header_bytes;

    const std::size_t found = file.size() - header.data_offset;
    const auto expected = bytes_needed(header);
    if (!expected || *expected > found) {
        throw FileError(
            fmt::format("{}: the file is cut off or its header is wrong: {} numbers of {} bytes make {} bytes, "
                        "{} found",
                        name, shape_text(header.shape), header.item_bytes,
                        expected ? std::to_string(*expected) : "more than can be addressed", found));
    }
    return header;
}

std::string make_npy_header(std::string_view dtype, std::span<const std::size_t> shape) {
    constexpr std::size_t alignment = 64;  // like NumPy, so that mapped data start on a cache line
    const std::string_view comma = shape.size() == 1 ? "," : "";  // or Python would see a number
    const std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", dtype,
                                         fmt::join(shape, ", "), comma);
    const std::size_t before_text = magic.size() + 4;
    const std::size_t used = before_text + text.size() + 1;
    const std::size_t padding = (alignment - used % alignment) % alignment;
    const std::size_t length = text.size() + padding + 1;
    std::string header(magic);
    header += '\x01';
    header += '\x00';
    header += static_cast<char>(length & 0xff);
    header += static_cast<char>(length >> 8);
    return header + text + std::string(padding, ' ') + '\n';
}

}  // namespace sbdl
