// The images of a run.
#include <algorithm>
#include <system_error>

#include "experiments/table2/table2.hpp"
#include "images/image_format.hpp"
#include "sbdl/error.hpp"

namespace sbdl::table2 {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t least_side = 11;                        // the window of SSIM
constexpr std::string_view not_in_names = ",=*/|\"'`<>&\\#";  // names appear in CSV, Markdown and selectors

bool names_an_image(const fs::path& path) {
    if (path.filename().string().starts_with('.')) return false;
    try {
        format_of_extension(path);
        return true;
    } catch (const FileError&) {
        return false;
    }
}

std::vector<fs::path> image_files(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (names_an_image(entry->path()) && !entry->is_directory()) files.push_back(entry->path());
    if (error)
        throw FileError(fmt::format("{}: the folder of images cannot be read: {}", folder.string(), error.message()));
    if (files.empty())
        throw InputError(
            fmt::format("{}: there is no image in this folder (PNG, JPEG, TIFF, PGM or .npy)", folder.string()));
    std::sort(files.begin(), files.end());
    return files;
}

void check(const fs::path& file, const TrueImage& truth) {
    const Image& image = truth.image;
    const auto reject = [&](const std::string& why) {
        throw InputError(fmt::format("{}: {}; the images must be grey, with 8 bits per pixel", file.string(), why));
    };
    if (image.colour()) reject("is a colour image");
    if (!image.alpha.empty()) reject("has an alpha channel");
    if (image.samples != Samples::u8) reject(fmt::format("has {} samples", to_string(image.samples)));
    if (std::min(image.width(), image.height()) < least_side)
        throw InputError(fmt::format("{}: has {} x {} pixels, must have at least {} x {}", file.string(), image.width(),
                                     image.height(), least_side, least_side));
    const bool odd = std::any_of(truth.name.begin(), truth.name.end(), [](char c) {
        return static_cast<unsigned char>(c) < ' ' || not_in_names.find(c) != std::string_view::npos;
    });
    if (odd)
        throw InputError(
            fmt::format("{}: its name appears in tables and must not contain any of {} or control characters",
                        file.string(), not_in_names));
}

}  // namespace

std::string pixels_of(const Image& image) {
    const Matrix& plane = image.planes.front();
    std::string bytes = fmt::format("{} x {} ", plane.rows(), plane.cols());
    for (std::size_t i = 0; i < plane.size(); ++i)
        bytes += static_cast<char>(static_cast<unsigned char>(plane.data()[i]));
    return fmt::format("{:016x}", fnv1a(bytes));
}

std::vector<TrueImage> read_images(const fs::path& folder) {
    std::vector<TrueImage> images;
    for (const fs::path& file : image_files(folder)) {
        TrueImage truth{file.stem().string(), read_image(file), {}};
        check(file, truth);
        if (std::any_of(images.begin(), images.end(), [&](const TrueImage& p) { return p.name == truth.name; }))
            throw InputError(
                fmt::format("{}: another file in this folder has the same name with another extension", file.string()));
        truth.pixels = pixels_of(truth.image);
        images.push_back(std::move(truth));
    }
    std::stable_sort(images.begin(), images.end(), [](const TrueImage& a, const TrueImage& b) {
        return a.image.planes[0].size() < b.image.planes[0].size();
    });
    return images;
}

}  // namespace sbdl::table2
