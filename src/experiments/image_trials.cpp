#include "experiments/image_trials.hpp"

#include <algorithm>

#include "sbdl/error.hpp"
#include "sbdl/image_stack.hpp"

namespace sbdl {

Image TrialImages::read(const ImageFacts& facts) const {
    const std::filesystem::path& file = files.at(facts.image);
    CleanImage clean = read_clean_image(file);
    if (clean.pixels != facts.pixels)
        throw FileError(fmt::format("{}: the image has changed since the run began", file.string()));
    return std::move(clean.image);
}

KnownPixels TrialImages::pixels() const {
    KnownPixels known;
    for (const ImageFacts& facts : images) known.emplace(facts.image, facts.pixels);
    return known;
}

TrialImages find_trial_images(const std::filesystem::path& folder, const std::function<void(const Image&)>& check) {
    TrialImages found;
    ImageFolder files = find_images(folder);
    found.ignored = std::move(files.ignored);
    for (const std::filesystem::path& file : files.images) {
        if (open_pages(file)->stacked()) {
            found.ignored.push_back(file.filename().string());
            continue;
        }
        const auto [name, image, pixels] = read_clean_image(file);
        try {
            if (check) check(image);
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", file.string(), error.what()));
        }
        found.images.push_back({name, image.width(), image.height(), image.planes.size(), pixels});
        found.files.emplace(name, file);
    }
    if (found.images.empty())
        throw InputError(fmt::format("{}: there is no image in this folder that is not a stack", folder.string()));
    std::sort(found.ignored.begin(), found.ignored.end());
    std::stable_sort(found.images.begin(), found.images.end(), [](const ImageFacts& a, const ImageFacts& b) {
        return a.width * a.height * a.planes < b.width * b.height * b.planes;
    });
    return found;
}

}  // namespace sbdl
