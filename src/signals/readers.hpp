// The readers behind open_signals(), one source file each, and what those of files with named arrays share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sbdl/signals.hpp"

namespace sbdl {

/// A NumPy .npy file, mapped into memory and converted as it is read.
std::unique_ptr<SignalSource> open_npy(const std::filesystem::path& path);

/// A text file: one signal per line, numbers separated by commas, semicolons, tabs or blanks. docs/formats.md has the
/// rules. Errors name file and line (counted from 1, as editors do).
std::unique_ptr<SignalSource> read_csv(const std::filesystem::path& path);

/// One column of such a file.
struct CsvColumn {
    std::vector<double> values;
    std::string name;  ///< empty: it has none
};

/// The column of this name or number, counted from 0; if `column` is empty, the only one.
CsvColumn read_csv_column(const std::filesystem::path& path, const std::string& column);

/// An HDF5 dataset, read in slabs; MATLAB's v7.3 files are HDF5 too. `dataset` is a path inside the file; when empty,
/// the only dataset that can hold signals is used.
std::unique_ptr<SignalSource> open_hdf5(const std::filesystem::path& path, const std::string& dataset);

/// Whether a file is HDF5, whatever its name.
bool is_hdf5(const std::filesystem::path& path);

/// A MATLAB .mat file of version 5 (also called 6 and 7) or 7.3. `variable` names a MATLAB variable; when empty, the
/// only one that can hold signals is used. The rows of the MATLAB array are signals.
std::unique_ptr<SignalSource> open_mat(const std::filesystem::path& path, const std::string& variable);

/// The same for a file of version 5, 6 or 7.
std::unique_ptr<SignalSource> read_mat5(const std::filesystem::path& path, const std::string& variable);

/// One named array of a file, as a set of signals.
struct NamedArray {
    std::string name;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::string problem;      ///< why it cannot hold signals ("has 3 dimensions"); empty when it can
    bool transposed = false;  ///< stored column by column: the file's rows are the array's columns
};

/// The array called `wanted` or, when that is empty, the only usable one. Otherwise throws InputError with a list of
/// the arrays. `kind` is what the format calls an array: "dataset", "variable".
const NamedArray& choose_array(const std::vector<NamedArray>& arrays, const std::string& wanted,
                               const std::string& file, const std::string& kind);

}  // namespace sbdl
