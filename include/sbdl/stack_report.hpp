// One self-contained HTML page about a denoised or inpainted stack: the noise of every page, a few of them before and
// after, the dictionary.
//
//     std::vector<sbdl::StackPageFacts> facts;
//     sbdl::StackHooks hooks;   // of denoise_stack(), which writes clean.tif
//     hooks.page = [&](std::size_t, const sbdl::DenoiseResult& result) { facts.push_back(sbdl::facts_of(result)); };
//
//     auto before = sbdl::open_pages("noisy.tif"), after = sbdl::open_pages("clean.tif");
//     auto images = [&](std::size_t page) { return sbdl::StackPageImages{before->read(page), after->read(page)}; };
//     sbdl::write_stack_report("report.html", {.pages = facts, .images = images});
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sbdl/denoise.hpp"
#include "sbdl/image.hpp"
#include "sbdl/model.hpp"
#include "sbdl/quality.hpp"

namespace sbdl {

/// What the report says about one page.
struct StackPageFacts {
    double noise_sd = 0.0;  ///< NaN: it was not looked for, because nothing was missing
    NoiseFound noise;
    bool unchanged = false;  ///< there was no noise, or nothing was missing
    bool only_noise = false;
    std::vector<std::string> warnings;
    /// In dB; infinite if the page equals the truth, NaN if the truth is not known.
    double psnr_before = std::numeric_limits<double>::quiet_NaN();
    double psnr_after = std::numeric_limits<double>::quiet_NaN();
    /// Share of the samples that were missing; NaN: the page was denoised, and not inpainted.
    double missing = std::numeric_limits<double>::quiet_NaN();
};

/// All but the PSNR, of a page that was denoised. The measured curve of the noise, which is not shown, is left out.
StackPageFacts facts_of(const DenoiseResult& result);

struct StackPageImages {
    Image before, after;
};

/// Everything but the pages is optional.
struct StackReportContent {
    std::vector<StackPageFacts> pages;
    const Model* model = nullptr;  ///< the dictionary of all denoised pages; null: each page had its own
    std::string title{};
    std::string command{};  ///< that made the run
    /// Reads a page, counted from 0. It is called for the few that are shown, one after another. NaN is missing.
    std::function<StackPageImages(std::size_t page)> images{};
    DataRange range{};                    ///< of all pages of the truth: the peak of the PSNR; empty: unknown
    std::vector<std::string> warnings{};  ///< about the stack as a whole
    double seconds = 0.0;                 ///< that the run took; 0: unknown
    std::size_t resumed_at = 0;           ///< the page at which the run was resumed; `seconds` are those since then
    std::string program{};  ///< version and commit of the program that writes the page; empty: the library's version
};

/// The page: no network, no external script or font. Throws InputError when there is no page, or a page that is shown
/// differs in size before and after.
std::string stack_report_html(const StackReportContent& content);

/// The file is written completely or not at all. Throws FileError.
void write_stack_report(const std::filesystem::path& path, const StackReportContent& content);

}  // namespace sbdl
