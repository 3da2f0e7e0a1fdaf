#include "denoise/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "denoise/patch_dictionary.hpp"
#include "denoise/patches.hpp"

namespace sbdl {

std::string recipe_json(const DenoiseOptions& options, std::size_t height, std::size_t width, std::size_t planes) {
    const DenoiseOptions used = settled(options, height, width);
    const PatchGrid grid =
        patch_grid(height, width, static_cast<std::size_t>(used.patch), static_cast<std::size_t>(used.stride));
    const std::size_t patches = std::min(planes * grid.count(), most_training_patches(used));
    return fmt::format(R"({{"recipe_version":{},"denoise":{},"training_patches":{},"learn":{}}})",
                       denoise_recipe_version, to_json(used), patches, learner_json(used, patches));
}

}  // namespace sbdl
