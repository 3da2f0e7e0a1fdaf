// .npy files built byte by byte, so that the reader is not only tested against our own writer.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <vector>

namespace sbdl::test {

/// The bytes of `values`, each in the given byte order.
template <class Item>
std::string item_bytes(const std::vector<Item>& values, bool big_endian = false) {
    std::string bytes;
    for (const Item value : values) {
        std::string item(reinterpret_cast<const char*>(&value), sizeof(Item));
        if (big_endian != (std::endian::native == std::endian::big)) std::ranges::reverse(item);
        bytes += item;
    }
    return bytes;
}

/// A file with any header text. `version` is 1, 2 or 3; a given `length` is written instead of the text's own.
inline std::string npy_with_text(const std::string& text, const std::string& data, int version = 1,
                                 std::size_t length = std::string::npos) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    const std::size_t stated = length == std::string::npos ? text.size() : length;
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>((stated >> (8 * i)) & 0xff);
    return bytes + text + data;
}

inline std::string npy(const std::string& dtype, const std::string& order, const std::string& shape,
                       const std::string& data, int version = 1) {
    return npy_with_text("{'descr': '" + dtype + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n",
                         data, version);
}

}  // namespace sbdl::test
