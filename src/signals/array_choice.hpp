// Which of a file's arrays holds the signals, and what to say when that is not clear. For HDF5 and MATLAB files alike.
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
    std::string refusal;  ///< why it cannot hold signals ("has 3 dimensions"); empty when it can
};

/// The index of the array called `wanted` or, when that is empty, of the only usable one. Throws InputError that lists
/// what there is otherwise. `kind` is the format's word: "dataset", "variable".
std::size_t choose_array(const std::vector<NamedArray>& arrays, const std::string& wanted, const std::string& file,
                         const std::string& kind);

}  // namespace sbdl
