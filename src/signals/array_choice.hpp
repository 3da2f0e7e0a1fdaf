// Chooses the array of a file that holds the signals, or reports why the choice is not clear. For HDF5 and MATLAB
// files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sbdl {

/// One named array of a file, as a set of signals.
struct NamedArray {
    std::string name;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::string problem;  ///< why it cannot hold signals ("has 3 dimensions"); empty when it can
};

/// The index of the array called `wanted` or, when that is empty, of the only usable one. Otherwise throws InputError
/// with a list of the arrays. `kind` is what the format calls an array: "dataset", "variable".
std::size_t choose_array(const std::vector<NamedArray>& arrays, const std::string& wanted, const std::string& file,
                         const std::string& kind);

}  // namespace sbdl
