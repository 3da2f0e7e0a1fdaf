// Signals in an HDF5 dataset, read in slabs. Also MATLAB's v7.3 files, which are HDF5.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sbdl/signals.hpp"

namespace sbdl {

/// `dataset` is a path inside the file; when empty, the only dataset that can hold signals is used.
std::unique_ptr<SignalSource> open_hdf5(const std::filesystem::path& path, const std::string& dataset);

}  // namespace sbdl
