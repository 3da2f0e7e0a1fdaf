// A new HDF5 file that grows in memory and is then written by us.
//
// HDF5 never touches the disk here: when one of its writes fails, on a full disk for one, it cannot close the file any
// more and crashes when the program ends.
//
// The file has the format of HDF5 1.8, the first with checksums on sizes, names and attributes, and not on data alone:
// without them a single flipped bit can crash the library that reads it.
#pragma once

#include <filesystem>
#include <memory>

#include "base/hdf5_handle.hpp"

namespace sbdl::h5 {

class NewFile {
public:
    /// `shown` is the name used in messages.
    explicit NewFile(std::filesystem::path shown);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    [[nodiscard]] hid_t get() const { return file_.get(); }

    /// Ends the file and writes it to `place`, which must exist (AtomicFile::temporary()). Throws FileError.
    void write_to(const std::filesystem::path& place);

private:
    struct Image;
    std::filesystem::path shown_;
    std::unique_ptr<Image> image_;  // outlives file_, which hands its bytes over when it closes
    Handle file_;
};

}  // namespace sbdl::h5
