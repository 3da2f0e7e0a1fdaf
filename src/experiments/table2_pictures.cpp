// The pictures of a Table II run, looked at before any work starts.
#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "experiments/fnv1a.hpp"
#include "experiments/table2.hpp"
#include "pictures/picture_format.hpp"
#include "sbdl/error.hpp"

namespace sbdl::table2 {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t least_side = 11;                        // what the SSIM needs
constexpr std::string_view not_in_names = ",=*/|\"'`<>&\\#";  // names go into CSV, Markdown and selectors

bool names_a_picture(const fs::path& path) {
    if (path.filename().string().starts_with('.')) return false;
    try {
        format_of_ending(path);
        return true;
    } catch (const FileError&) {
        return false;
    }
}

std::vector<fs::path> picture_files(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (names_a_picture(entry->path()) && !entry->is_directory()) files.push_back(entry->path());
    if (error)
        throw FileError(fmt::format("{}: the folder of pictures cannot be read: {}", folder.string(), error.message()));
    if (files.empty())
        throw InputError(
            fmt::format("{}: there is no picture in this folder (PNG, JPEG, TIFF, PGM or .npy)", folder.string()));
    std::sort(files.begin(), files.end());
    return files;
}

void check(const fs::path& file, const TruePicture& truth) {
    const Picture& picture = truth.picture;
    const auto refuse = [&](const std::string& why) {
        throw InputError(fmt::format("{}: {}; Table II takes grey pictures with 8 bits a pixel", file.string(), why));
    };
    if (picture.colour()) refuse("is a colour picture");
    if (!picture.alpha.empty()) refuse("has an alpha channel");
    if (picture.samples != Samples::u8) refuse(fmt::format("has {} samples", to_string(picture.samples)));
    if (std::min(picture.width(), picture.height()) < least_side)
        throw InputError(fmt::format("{}: has {} x {} pixels, must have at least {} x {}", file.string(),
                                     picture.width(), picture.height(), least_side, least_side));
    const bool odd = std::any_of(truth.name.begin(), truth.name.end(), [](char c) {
        return static_cast<unsigned char>(c) < ' ' || not_in_names.find(c) != std::string_view::npos;
    });
    if (odd)
        throw InputError(fmt::format("{}: its name goes into tables and may hold none of {} and no control characters",
                                     file.string(), not_in_names));
}

std::string pixels_of(const Picture& picture) {
    const Matrix& plane = picture.planes.front();
    std::string bytes = fmt::format("{} x {} ", plane.rows(), plane.cols());
    for (std::size_t i = 0; i < plane.size(); ++i)
        bytes += static_cast<char>(static_cast<unsigned char>(plane.data()[i]));
    return fmt::format("{:016x}", fnv1a(bytes));
}

}  // namespace

std::vector<TruePicture> read_pictures(const fs::path& folder) {
    std::vector<TruePicture> pictures;
    for (const fs::path& file : picture_files(folder)) {
        TruePicture truth{file.stem().string(), read_picture(file), {}};
        check(file, truth);
        if (std::any_of(pictures.begin(), pictures.end(), [&](const TruePicture& p) { return p.name == truth.name; }))
            throw InputError(
                fmt::format("{}: another file in this folder has the same name with another ending", file.string()));
        truth.pixels = pixels_of(truth.picture);
        pictures.push_back(std::move(truth));
    }
    std::stable_sort(pictures.begin(), pictures.end(), [](const TruePicture& a, const TruePicture& b) {
        return a.picture.planes[0].size() < b.picture.planes[0].size();
    });
    return pictures;
}

}  // namespace sbdl::table2
