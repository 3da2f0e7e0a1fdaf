// How the inputs that are made with HDF5 are written.
#pragma once

#include <cstddef>

#include "base/hdf5_handle.hpp"

namespace sbdl::fuzz {

/// A file is put together in memory and written when it is closed: half of the time would be spent on small writes.
inline h5::Handle in_one_piece() {
    constexpr std::size_t growth_bytes = std::size_t{1} << 14;
    h5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.get(), growth_bytes, /*backing_store=*/1);
    return access;
}

}  // namespace sbdl::fuzz
