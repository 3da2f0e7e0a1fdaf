// TIFF files as a whole: one image, or pages.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "images/image_format.hpp"
#include "images/samples.hpp"
#include "images/tiff_page.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

/// Throws FileError when the file ends before the place of the next directory, which libtiff takes for the end of the
/// pages.
void check_directory_end(OpenTiff& tiff, std::span<const std::byte> file, const std::string& name) {
    const bool big = TIFFIsBigTIFF(tiff.handle()) != 0, big_endian = TIFFIsBigEndian(tiff.handle()) != 0;
    const std::size_t at = TIFFCurrentDirOffset(tiff.handle()), count_bytes = big ? 8 : 2;
    std::size_t entries = 0;  // libtiff has read them all, so there are not too many
    for (std::size_t i = 0; i < count_bytes; ++i)
        entries = entries << 8 | std::to_integer<std::size_t>(file[big_endian ? at + i : at + count_bytes - 1 - i]);
    if (file.size() < at + count_bytes + entries * (big ? 20 : 12) + (big ? 8 : 4))
        throw FileError(fmt::format("{}: damaged TIFF file: it is cut off after a directory", name));
}

/// The places of the directories of all pages, in order.
std::vector<toff_t> find_pages(OpenTiff& tiff, std::span<const std::byte> file, const std::string& name) {
    std::vector<toff_t> full, reduced;
    while (true) {
        std::uint32_t kind = 0;
        TIFFGetFieldDefaulted(tiff.handle(), TIFFTAG_SUBFILETYPE, &kind);
        ((kind & FILETYPE_REDUCEDIMAGE) != 0 ? reduced : full).push_back(TIFFCurrentDirOffset(tiff.handle()));
        check_directory_end(tiff, file, name);
        if (TIFFLastDirectory(tiff.handle()) != 0) break;
        if (TIFFReadDirectory(tiff.handle()) != 1) tiff.fail();
    }
    return full.empty() ? reduced : full;
}

// ImageJ writes stacks of more than 4 GiB in a way of its own: one page, the others behind it without directories.
void warn_of_hidden_pages(ImageMetadata& metadata, const std::string& name) {
    const std::string_view text = metadata.description, begin = "ImageJ=", count = "\nimages=";
    const std::size_t at = text.find(count);
    if (!text.starts_with(begin) || at == std::string_view::npos) return;
    std::size_t images = 0;
    std::from_chars(text.data() + at + count.size(), text.data() + text.size(), images);
    if (images > 1)
        metadata.warnings.push_back(
            fmt::format("{}: ImageJ says that there are {} images, but only one page can be read; if the others are "
                        "missed, save the stack as OME-TIFF",
                        name, images));
}

class TiffPages final : public PageSource {
public:
    TiffPages(std::span<const std::byte> file, std::string name, const ImageLimits& limits)
        : tiff_(file, name), name_(std::move(name)), limits_(limits), pages_(find_pages(tiff_, file, name_)) {}

    [[nodiscard]] std::size_t count() const override { return pages_.size(); }
    [[nodiscard]] bool stacked() const override { return pages_.size() > 1; }
    Image read(std::size_t page) override {
        tiff_.take_message();
        if (TIFFSetSubDirectory(tiff_.handle(), pages_.at(page)) != 1) tiff_.fail();
        if (stacked()) return read_tiff_page(tiff_, page_name(name_, page, count()), limits_);
        Image image = read_tiff_page(tiff_, name_, limits_);
        warn_of_hidden_pages(image.metadata, name_);
        return image;
    }

private:
    OpenTiff tiff_;
    std::string name_;
    ImageLimits limits_;
    std::vector<toff_t> pages_;
};

class TiffStackWriter final : public StackWriter {
public:
    TiffStackWriter(const std::filesystem::path& path, std::size_t pages, std::size_t bytes)
        : file_(path), tiff_(file_.temporary(), needs_big_tiff(bytes), path.string()), pages_(pages) {}

    void add(const Image& page) override {
        const std::string name = page_name(file_.target().string(), added_, pages_);
        check_planes(page, name);
        write_tiff_page(tiff_, page, name);
        ++added_;
    }
    void commit() override {
        check_all_added(added_, pages_, file_.target().string());
        tiff_.close();
        file_.commit();
    }

private:
    AtomicFile file_;
    OpenTiff tiff_;  // after the file: closed before that is removed
    std::size_t pages_, added_ = 0;
};

}  // namespace

std::unique_ptr<PageSource> tiff_pages(std::span<const std::byte> file, const std::string& name,
                                       const ImageLimits& limits) {
    return std::make_unique<TiffPages>(file, name, limits);
}

std::unique_ptr<StackWriter> write_tiff_pages(const std::filesystem::path& path, const Image& /*first*/,
                                              std::size_t pages, std::size_t bytes) {
    return std::make_unique<TiffStackWriter>(path, pages, bytes);
}

Image decode_tiff(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits) {
    TiffPages pages(file, name, limits);
    if (pages.stacked())
        throw FileError(fmt::format("{}: the TIFF file has several pages ({}), and a single image is needed here", name,
                                    pages.count()));
    return pages.read(0);
}

std::vector<std::byte> encode_tiff(const Image& image, const std::string& name) {
    OpenTiff out(needs_big_tiff(all_sample_bytes(image)), name);
    out.written().reserve(all_sample_bytes(image));  // growing by doubling would take three times as much
    write_tiff_page(out, image, name);
    return std::move(out.written());
}

}  // namespace sbdl
