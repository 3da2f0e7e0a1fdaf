#include "experiments/noisy_images.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>

#include "images/image_format.hpp"
#include "options/option_name.hpp"
#include "random/stream.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t least_side = 11;                        // the window of SSIM
constexpr std::string_view not_in_names = ",=*/|\"'`<>&\\#";  // names appear in CSV, Markdown and selectors

bool names_an_image(const fs::path& path) {
    try {
        format_of_extension(path);
        return true;
    } catch (const FileError&) {
        return false;
    }
}

void check_name(const fs::path& file) {
    const std::string name = file.stem().string();
    const bool odd = std::any_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) < ' ' || not_in_names.find(c) != std::string_view::npos;
    });
    if (odd)
        throw InputError(
            fmt::format("{}: its name appears in tables and must not contain any of {} or control characters",
                        file.string(), not_in_names));
}

void check_grey(const fs::path& file, const Image& image) {
    const auto reject = [&](const std::string& why) {
        throw InputError(fmt::format("{}: {}; the images must be grey, with 8 bits per pixel", file.string(), why));
    };
    if (image.colour()) reject("is a colour image");
    if (!image.alpha.empty()) reject("has an alpha channel");
    if (image.samples != Samples::u8) reject(fmt::format("has {} samples", to_string(image.samples)));
}

template <class Sample>
std::uint64_t hash_samples(const Matrix& plane, std::uint64_t hash) {
    for (std::size_t i = 0; i < plane.size(); ++i) {
        const auto sample = static_cast<Sample>(plane.data()[i]);
        hash = fnv1a({reinterpret_cast<const char*>(&sample), sizeof sample}, hash);
    }
    return hash;
}

}  // namespace

std::string pixels_of(const Image& image) {
    const bool bytes = image.samples == Samples::u8;
    std::uint64_t hash = fnv1a(bytes ? "" : to_string(image.samples));
    for (const Matrix& plane : image.planes) {
        hash = fnv1a(fmt::format("{} x {} ", plane.rows(), plane.cols()), hash);
        hash = bytes ? hash_samples<unsigned char>(plane, hash) : hash_samples<double>(plane, hash);
    }
    return as_fingerprint(hash);
}

ImageFolder find_images(const fs::path& folder) {
    ImageFolder found;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with('.')) continue;
        if (entry->is_directory())
            found.ignored.push_back(name + "/");
        else if (names_an_image(entry->path()))
            found.images.push_back(entry->path());
        else
            found.ignored.push_back(name);
    }
    if (error)
        throw FileError(fmt::format("{}: the folder of images cannot be read: {}", folder.string(), error.message()));
    if (found.images.empty())
        throw InputError(
            fmt::format("{}: there is no image in this folder (PNG, JPEG, TIFF, PGM or .npy)", folder.string()));
    std::sort(found.ignored.begin(), found.ignored.end());
    std::sort(found.images.begin(), found.images.end());
    std::set<fs::path> names;
    for (const fs::path& file : found.images) {
        check_name(file);
        if (!names.insert(file.stem()).second)
            throw InputError(
                fmt::format("{}: another file in this folder has the same name with another extension", file.string()));
    }
    return found;
}

CleanImage read_clean_image(const fs::path& file) {
    CleanImage clean{file.stem().string(), read_image(file), {}};
    const Image& image = clean.image;
    if (std::min(image.width(), image.height()) < least_side)
        throw InputError(fmt::format("{}: has {} x {} pixels, must have at least {} x {}", file.string(), image.width(),
                                     image.height(), least_side, least_side));
    clean.pixels = pixels_of(image);
    return clean;
}

std::vector<CleanImage> read_grey_images(const fs::path& folder) {
    std::vector<CleanImage> images;
    for (const fs::path& file : find_images(folder).images) {
        images.push_back(read_clean_image(file));
        check_grey(file, images.back().image);
    }
    std::stable_sort(images.begin(), images.end(), [](const CleanImage& a, const CleanImage& b) {
        return a.image.planes[0].size() < b.image.planes[0].size();
    });
    return images;
}

void check_pixels(const TrialLine& line, const std::string& image, const std::string& pixels, KnownPixels& known) {
    const std::string& expected = known.emplace(image, pixels).first->second;
    if (pixels != expected)
        line.fail(
            fmt::format("the trial was made with another image '{}' (fingerprint {}, this run has {}); use another "
                        "folder",
                        image, pixels, expected));
}

std::vector<int> sorted_sigmas(std::vector<int> sigmas) {
    if (sigmas.empty()) throw InputError("sigma is empty; at least one noise level is needed");
    std::sort(sigmas.begin(), sigmas.end());
    sigmas.erase(std::unique(sigmas.begin(), sigmas.end()), sigmas.end());
    for (const int sigma : sigmas)
        if (sigma < 1 || sigma > most_sigma)
            throw InputError(fmt::format("{} is {}, must be 1 to {}", option_name("sigma"), sigma, most_sigma));
    return sigmas;
}

std::uint64_t noise_seed(std::uint64_t seed, const std::string& image, int sigma, int trial) {
    constexpr std::uint64_t signal_bits = (std::uint64_t{1} << 48U) - 1;
    const DrawId id{.purpose = Purpose::denoising_trial_seed,
                    .sweep = static_cast<std::uint32_t>(trial),
                    .chain = static_cast<std::uint32_t>(sigma),
                    .signal = fnv1a(image) & signal_bits};
    return random_words(seed, id, 0)[0];
}

}  // namespace sbdl
