// Bytes of MATLAB files of version 5, put together by hand: what MATLAB writes, and what it would not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sbdl::test {

inline std::string mat5_number(std::uint32_t number, bool big_endian = false) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(number >> (8 * (big_endian ? 3 - i : i)));
    return bytes;
}

/// Type, length, bytes, and zeros up to a multiple of 8.
inline std::string mat5_element(std::uint32_t type, std::string bytes, bool big_endian = false) {
    const std::string tag =
        mat5_number(type, big_endian) + mat5_number(static_cast<std::uint32_t>(bytes.size()), big_endian);
    while (bytes.size() % 8 != 0) bytes += '\0';
    return tag + bytes;
}

inline std::string mat5_header(bool big_endian = false) {
    std::string header = "MATLAB 5.0 MAT-file, made by a test";
    header.resize(124, ' ');
    return header + (big_endian ? std::string("\x01\x00MI", 4) : std::string("\x00\x01IM", 4));
}

/// The class of an array, and the type and width in which its numbers are stored.
struct Mat5Numbers {
    std::uint32_t array_class = 6, type = 9;
    std::size_t bytes = 8;
    std::uint32_t flags = 0;
};

inline std::vector<Mat5Numbers> mat5_number_types() {
    return {{6, 9, 8},  {7, 7, 4},  {8, 1, 1},   {9, 2, 1},   {10, 3, 2}, {11, 4, 2},
            {12, 5, 4}, {13, 6, 4}, {14, 12, 8}, {15, 13, 8}, {6, 2, 1}};
}

/// A variable that is not compressed. Its numbers are zero.
inline std::string mat5_variable(const std::string& name, const Mat5Numbers& numbers,
                                 const std::vector<std::uint32_t>& dims, bool big_endian = false) {
    const auto number = [&](std::uint32_t value) { return mat5_number(value, big_endian); };
    std::string shape;
    std::size_t count = 1;
    for (const std::uint32_t size : dims) {
        shape += number(size);
        count *= size;
    }
    std::string parts = mat5_element(6, number(numbers.array_class | numbers.flags) + number(0), big_endian) +
                        mat5_element(5, shape, big_endian) + mat5_element(1, name, big_endian);
    if (numbers.bytes > 0) parts += mat5_element(numbers.type, std::string(count * numbers.bytes, '\0'), big_endian);
    return number(14) + number(static_cast<std::uint32_t>(parts.size())) + parts;
}

}  // namespace sbdl::test
