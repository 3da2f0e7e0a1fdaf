// The header of NumPy's .npy format (versions 1.0, 2.0 and 3.0):
//
//   "\x93NUMPY", major, minor, length of the text (2 bytes little-endian in version 1, 4 after), the text, the data.
//
// The text is a Python dictionary, such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "signals/item_conversion.hpp"

namespace sbdl {

/// An array of real numbers and its place in the file.
struct NpyArray {
    ItemKind kind = ItemKind::floating;
    std::size_t item_bytes = 8;
    bool big_endian = false;
    bool fortran_order = false;  ///< data are stored column by column
    std::vector<std::size_t> shape;
    std::size_t data_offset = 0;
};

/// Reads the header and checks that `file`, the bytes of the whole file, holds all the data; bytes after the data are
/// allowed, as in NumPy. Throws FileError when damaged, and InputError when the items are not real numbers (objects,
/// records, text, complex); both messages begin with `name`.
NpyArray parse_npy_array(std::span<const std::byte> file, const std::string& name);

/// The bytes before the data of a C-order array; their number is a multiple of 64. `dtype` is NumPy's: '<f8'.
std::string make_npy_header(std::string_view dtype, std::span<const std::size_t> shape);

}  // namespace sbdl
