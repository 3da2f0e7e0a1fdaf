// One self-contained HTML page about an inpainted image: before and after, and how certain each pixel is.
#pragma once

#include <filesystem>
#include <string>

#include "sbdl/image.hpp"
#include "sbdl/inpaint.hpp"

namespace sbdl {

struct InpaintReportContent {
    const Image* before = nullptr;  ///< NaN where samples are missing
    const InpaintResult* result = nullptr;
    const Image* truth = nullptr;  ///< the complete image, if it is known
    std::string title{};
    std::string command{};  ///< that made the run
    std::string program{};  ///< version and commit of the program that writes the page; empty: the library's version
};

/// The page: no network, no external script or font. Throws InputError when the sizes of the images differ.
std::string inpaint_report_html(const InpaintReportContent& content);

/// The file is written completely or not at all. Throws FileError.
void write_inpaint_report(const std::filesystem::path& path, const InpaintReportContent& content);

}  // namespace sbdl
