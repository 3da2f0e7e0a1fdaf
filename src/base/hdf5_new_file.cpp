#include "base/hdf5_new_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "sbdl/error.hpp"

namespace sbdl::h5 {

// H5Fget_file_image would copy the bytes and, in the format used here, invalidate the checksum of the first block (it
// clears a flag there without updating the sum). So we own the memory: when HDF5 has closed the file and asks to free
// its bytes, they are complete, and we keep them.
struct NewFile::Image {
    std::byte* bytes = nullptr;
    std::size_t size = 0;

    ~Image() { std::free(bytes); }

    // New bytes are zero, so that gaps which HDF5 leaves do not write old memory contents to the file.
    static void* grow(void* old, std::size_t size, H5FD_file_image_op_t, void* self) {
        auto* image = static_cast<Image*>(self);
        auto* bytes = static_cast<std::byte*>(std::realloc(old, size));
        if (bytes != nullptr && size > image->size) std::fill(bytes + image->size, bytes + size, std::byte{0});
        if (bytes != nullptr) image->size = size;
        return bytes;
    }
    void forget() {
        std::free(bytes);
        bytes = nullptr;
    }
    // Called twice when a file of the same name exists: HDF5 first opens that one, reads it and closes it again.
    static herr_t keep(void* bytes, H5FD_file_image_op_t, void* self) {
        auto* image = static_cast<Image*>(self);
        image->forget();
        image->bytes = static_cast<std::byte*>(bytes);
        image->size = 0;  // of the next one
        return 0;
    }
    static void* same(void* self) { return self; }
    static herr_t nothing(void*) { return 0; }

    H5FD_file_image_callbacks_t callbacks() {
        return {.image_malloc = nullptr,
                .image_memcpy = nullptr,
                .image_realloc = grow,
                .image_free = keep,
                .udata_copy = same,
                .udata_free = nothing,
                .udata = this};
    }
};

NewFile::NewFile(std::filesystem::path target) : place_(std::move(target)), image_(std::make_unique<Image>()) {
    const Scope scope;
    constexpr std::size_t growth_bytes = std::size_t{1} << 20;
    const std::string message = fmt::format("{}: cannot be created", place_.target().string());
    const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, message);
    H5FD_file_image_callbacks_t callbacks = image_->callbacks();
    check(H5Pset_file_image_callbacks(access.get(), &callbacks), message);
    check(H5Pset_fapl_core(access.get(), growth_bytes, /*backing_store=*/0), message);
    // No space is reserved: the file then ends where its last part ends, before and after closing.
    check(H5Pset_meta_block_size(access.get(), 0), message);
    check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST), message);
    file_ = checked(H5Fcreate(place_.target().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, message);
    image_->forget();
}

NewFile::~NewFile() = default;

void NewFile::commit() {
    const Scope scope;
    const std::string message = fmt::format("{}: cannot be created", place_.target().string());
    check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), message);
    const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
    check(size < 0 ? -1 : 0, message);
    check(file_.close() ? 0 : -1, message);
    // Without memory a part of the file may have stayed open, and with it the file.
    if (image_->bytes == nullptr) throw FileError(message + ": HDF5 did not close it");
    place_.write({image_->bytes, static_cast<std::size_t>(size)});
    place_.commit();
}

}  // namespace sbdl::h5
