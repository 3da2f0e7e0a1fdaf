// Stacks in files: chooses the format, and keeps the file open while its pages are read.
#include <fmt/format.h>

#include <utility>

#include "images/image_format.hpp"
#include "images/samples.hpp"
#include "sbdl/error.hpp"
#include "sbdl/image_stack.hpp"
#include "sbdl/incomplete_image.hpp"
#include "signals/mapped_file.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

/// An image of a format without pages.
class OnePage final : public PageSource {
public:
    OnePage(std::span<const std::byte> file, std::string name, const ImageLimits& limits)
        : file_(file), name_(std::move(name)), limits_(limits) {}
    [[nodiscard]] std::size_t count() const override { return 1; }
    [[nodiscard]] bool stacked() const override { return false; }
    Image read(std::size_t) override { return decode_image(file_, name_, limits_); }

private:
    std::span<const std::byte> file_;
    std::string name_;
    ImageLimits limits_;
};

class FilePages final : public PageSource {
public:
    FilePages(const std::filesystem::path& path, const ImageLimits& limits)
        : file_(path), pages_(decode_pages(file_.bytes(), path.string(), limits)), missing_(limits.missing) {}
    [[nodiscard]] std::size_t count() const override { return pages_->count(); }
    [[nodiscard]] bool stacked() const override { return pages_->stacked(); }
    Image read(std::size_t page) override {
        file_.check_length();
        return missing_ ? without_transparent(pages_->read(page)) : pages_->read(page);
    }

private:
    MappedFile file_;
    std::unique_ptr<PageSource> pages_;
    bool missing_;  // samples may be
};

/// For formats that have no place for an orientation.
class TurningWriter final : public StackWriter {
public:
    explicit TurningWriter(std::unique_ptr<StackWriter> to) : to_(std::move(to)) {}
    void add(const Image& page) override { to_->add(with_orientation(page, 1)); }
    void commit() override { to_->commit(); }

private:
    std::unique_ptr<StackWriter> to_;
};

}  // namespace

std::string page_name(const std::string& file, std::size_t page, std::size_t pages) {
    return fmt::format("{}, page {} of {}", file, page + 1, pages);
}

void check_all_added(std::size_t added, std::size_t pages, const std::string& name) {
    if (added != pages) throw InputError(fmt::format("{}: {} of its {} pages were written", name, added, pages));
}

std::unique_ptr<PageSource> decode_pages(std::span<const std::byte> file, const std::string& name,
                                         const ImageLimits& limits) {
    const ImageFormat& format = format_of_content(file, name);
    if (format.pages != nullptr) return format.pages(file, name, limits);
    return std::make_unique<OnePage>(file, name, limits);
}

std::unique_ptr<PageSource> open_pages(const std::filesystem::path& path, const AcceptSize& accept) {
    check_readable(path);
    return std::make_unique<FilePages>(path, ImageLimits{.accept = accept});
}

std::unique_ptr<PageSource> open_incomplete_pages(const std::filesystem::path& path, const AcceptSize& accept) {
    check_readable(path);
    return std::make_unique<FilePages>(path, ImageLimits{.accept = accept, .missing = true});
}

void check_pages_output(const std::filesystem::path& path, const Image& like) {
    check_image_output(path, like);
    if (format_of_extension(path).write_pages == nullptr)
        throw FileError(fmt::format("{}: cannot be written: a {} file cannot hold a stack; .tif and .npy can",
                                    path.string(), lower_case_extension(path)));
}

std::unique_ptr<StackWriter> write_pages(const std::filesystem::path& path, const Image& first, std::size_t pages,
                                         std::size_t bytes) {
    check_pages_output(path, first);
    const ImageFormat& format = format_of_extension(path);
    if (bytes == 0) bytes = pages * all_sample_bytes(first);
    if (format.orientation) return format.write_pages(path, first, pages, bytes);
    return std::make_unique<TurningWriter>(format.write_pages(path, with_orientation(first, 1), pages, bytes));
}

}  // namespace sbdl
