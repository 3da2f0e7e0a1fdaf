// Stacks of images: time series and z-stacks, read and written page by page.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "sbdl/image.hpp"

namespace sbdl {

/// Pages that are read one at a time: those of a file, or any other.
class PageSource {
public:
    PageSource() = default;
    PageSource(const PageSource&) = delete;
    PageSource& operator=(const PageSource&) = delete;
    virtual ~PageSource() = default;
    [[nodiscard]] virtual std::size_t count() const = 0;
    /// Pages are counted from 0. Throws like read_image(); the message names the page, counted from 1.
    virtual Image read(std::size_t page) = 0;
    /// Whether this is a stack, even of one page, and not a single image.
    [[nodiscard]] virtual bool stacked() const = 0;
};

/// Opens a multi-page TIFF, a .npy of pages x height x width (or x 3, x 4), or any image that read_image() reads, which
/// is then the only page. Pages of a TIFF that are marked as reduced copies of another (thumbnails) are left out.
/// Throws like read_image(). `accept` may reject the size of a page when it is read, or of all pages here.
std::unique_ptr<PageSource> open_pages(const std::filesystem::path& path, const AcceptSize& accept = {});

/// Writes a file of pages: .tif, .tiff or .npy. The complete file appears when commit() is called; without commit()
/// there is none.
class StackWriter {
public:
    StackWriter() = default;
    StackWriter(const StackWriter&) = delete;
    StackWriter& operator=(const StackWriter&) = delete;
    virtual ~StackWriter() = default;
    /// Throws InputError, with the number of the page, for one that the file cannot hold: the pages of a .npy have one
    /// size and one type.
    virtual void add(const Image& page) = 0;
    /// Throws InputError unless all pages were added.
    virtual void commit() = 0;
};

/// Begins a file of `pages` pages. `first` is a sample page. `bytes` is the size of the samples of all pages,
/// for pages that differ in size (a TIFF of several GiB must be a BigTIFF); 0: all are as large as the first. Throws
/// FileError when the format cannot hold them.
std::unique_ptr<StackWriter> write_pages(const std::filesystem::path& path, const Image& first, std::size_t pages,
                                         std::size_t bytes = 0);

/// Throws what write_pages() would throw because of the format, so that a long run can check before it starts.
void check_pages_output(const std::filesystem::path& path, const Image& like);

}  // namespace sbdl
