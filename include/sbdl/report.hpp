// One self-contained HTML page about a run: what was learned, how certain it is, what to do next.
#pragma once

#include <filesystem>
#include <string>

#include "sbdl/image.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

struct NoiseFound;  // sbdl/denoise.hpp

/// Everything but the model is optional.
struct ReportContent {
    const Model* model = nullptr;
    std::string title;
    std::string command;                ///< that made the run
    const Image* before = nullptr;      ///< the noisy image
    const Image* after = nullptr;       ///< the denoised one
    const Image* std = nullptr;         ///< standard deviation of each pixel
    const Image* truth = nullptr;       ///< the clean image, if it is known
    double noise_sd = 0.0;              ///< noise of the image, as used to denoise it; 0: the model's
    const NoiseFound* noise = nullptr;  ///< what the noise was found to be
    std::string program{};  ///< version and commit of the program that writes the page; empty: the library's version
};

/// The page: no network, no external script or font. Throws InputError when the sizes of the images differ.
std::string report_html(const ReportContent& content);

/// The file is written completely or not at all. Throws FileError.
void write_report(const std::filesystem::path& path, const ReportContent& content);

}  // namespace sbdl
