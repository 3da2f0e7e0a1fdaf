// The sections of the page, in their order. A section is empty when the run has nothing to show there. Each is made in
// the file of the same name.
#pragma once

#include <cstddef>
#include <string>

#include "report/page.hpp"
#include "sbdl/report.hpp"

namespace sbdl::report {

std::string verdict(const ReportContent& content);
std::string compare(const ReportContent& content);
std::string noise(const ReportContent& content);
std::string maps(const ReportContent& content);
std::string mosaic(const Model& model);
std::string traces(const Model& model);
std::string code_sizes(const Model& model);
std::string repeat(const ReportContent& content);

// Parts of sections that other pages have as well.

/// The verdict on how a model was learned, then `more` and a row of tiles.
std::string verdict(const Model& model, const std::string& more, const std::string& tiles);

/// Images of the same thing; those that are not given are null.
struct ComparedImages {
    const Image *before = nullptr, *after = nullptr, *truth = nullptr;
    bool inpainted = false;  ///< and not denoised: NaN in `before` is missing
};
/// How to use the divider, as a paragraph.
inline const std::string divider_hint =
    "<p class=\"only-js\">Drag across the image, or use the arrow keys, to move the divider.</p>\n";
/// One on top of the other with a movable divider, shown with at most so many pixels per side. At least one is given.
std::string comparison(const ComparedImages& images, std::size_t most_per_side);

/// How certain an image is that was inpainted, from the standard deviation of each of its pixels.
std::string inpainted_certainty(const Image& std);

/// For a run that has no model: the command alone.
std::string repeat(const std::string& command_line);

}  // namespace sbdl::report
