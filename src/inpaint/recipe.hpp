// The version of the way in which images are inpainted.
#pragma once

namespace sbdl {

/// Raise it with every change of code that changes inpainted images although no option changes: in the noise estimate,
/// the first fill, the passes, their averages. Stored trials of `sbdl reproduce inpainting` belong to one version.
constexpr int inpaint_recipe_version = 3;

}  // namespace sbdl
