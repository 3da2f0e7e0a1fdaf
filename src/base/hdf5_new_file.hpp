// A new HDF5 file that grows in memory; we then write it to disk ourselves.
//
// HDF5 never touches the disk here: when one of its writes fails, for example on a full disk, it cannot close the file
// any more and crashes at the end of the program.
//
// The file has the format of HDF5 1.8, the first with checksums not only on data but also on sizes, names and
// attributes: without them a single flipped bit can crash the library that reads the file.
#pragma once

#include <filesystem>
#include <memory>

#include "base/atomic_file.hpp"
#include "base/hdf5_handle.hpp"

namespace sbdl::h5 {

class NewFile {
public:
    explicit NewFile(std::filesystem::path target);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    [[nodiscard]] hid_t get() const { return file_.get(); }

    /// Ends the file and writes it, whole or not at all. Throws FileError.
    void commit();

private:
    struct Image;
    AtomicFile place_;
    std::unique_ptr<Image> image_;  // outlives file_, which hands over its bytes when it closes
    Handle file_;
};

}  // namespace sbdl::h5
