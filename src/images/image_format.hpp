// The formats of image files: known by their first bytes when reading, by the file extension when writing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "images/image_limits.hpp"
#include "sbdl/image.hpp"
#include "sbdl/image_stack.hpp"

namespace sbdl {

/// What a format can hold, and its functions between a whole file in memory and an image. Messages begin with `name`.
struct ImageFormat {
    /// Throws FileError for a file that is damaged or not a grey or RGB image, and InputError for NaN and infinity.
    Image (*decode)(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
    /// The image must have passed check_planes() (samples.hpp) and check_holds().
    std::vector<std::byte> (*encode)(const Image& image, const std::string& name);
    bool sixteen_bits = false, floats = false, grey_alpha = false, colour_alpha = false;
    bool orientation = false;  ///< can be written; otherwise the pixels are turned
    /// Null for formats of one image. The bytes must outlive the pages.
    std::unique_ptr<PageSource> (*pages)(std::span<const std::byte> file, const std::string& name,
                                         const ImageLimits& limits) = nullptr;
    /// As the function of this name, but `bytes` is never 0.
    std::unique_ptr<StackWriter> (*write_pages)(const std::filesystem::path& path, const Image& first,
                                                std::size_t pages, std::size_t bytes) = nullptr;
};

/// Throws FileError, beginning with `name`, when the first bytes belong to no supported format.
const ImageFormat& format_of_content(std::span<const std::byte> bytes, const std::string& name);

/// Throws FileError when the extension belongs to no supported format. Upper or lower case.
const ImageFormat& format_of_extension(const std::filesystem::path& path);

/// Throws FileError when the format of this extension cannot hold the image: samples, colour, alpha, size.
void check_holds(const std::filesystem::path& path, const Image& image);

/// What messages call a page: "file.tif, page 3 of 200".
std::string page_name(const std::string& file, std::size_t page, std::size_t pages);

/// Throws InputError, beginning with `name`, unless a stack has all its pages.
void check_all_added(std::size_t added, std::size_t pages, const std::string& name);

/// A file in any of the formats.
Image decode_image(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits = {});

/// The pages of a file in any of the formats, whose bytes must outlive them.
std::unique_ptr<PageSource> decode_pages(std::span<const std::byte> file, const std::string& name,
                                         const ImageLimits& limits = {});

/// The bytes of a PNG file with 8 bits per sample. Float planes must already be on the scale 0 ... 255.
std::vector<std::byte> png_bytes(const Image& image);

Image decode_png(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_jpeg(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_tiff(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_pnm(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_npy(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);

std::vector<std::byte> encode_png(const Image& image, const std::string& name);
std::vector<std::byte> encode_jpeg(const Image& image, const std::string& name);
std::vector<std::byte> encode_tiff(const Image& image, const std::string& name);
std::vector<std::byte> encode_pnm(const Image& image, const std::string& name);
std::vector<std::byte> encode_npy(const Image& image, const std::string& name);

std::unique_ptr<PageSource> tiff_pages(std::span<const std::byte> file, const std::string& name,
                                       const ImageLimits& limits);
std::unique_ptr<PageSource> npy_pages(std::span<const std::byte> file, const std::string& name,
                                      const ImageLimits& limits);
std::unique_ptr<StackWriter> write_tiff_pages(const std::filesystem::path& path, const Image& first, std::size_t pages,
                                              std::size_t bytes);
std::unique_ptr<StackWriter> write_npy_pages(const std::filesystem::path& path, const Image& first, std::size_t pages,
                                             std::size_t bytes);

}  // namespace sbdl
