// What the parts of sbdl inpaint share: one image, a stack of pages.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "common.hpp"
#include "denoise.hpp"
#include "field_options.hpp"
#include "sbdl/inpaint.hpp"
#include "sbdl/quality.hpp"

namespace sbdl::app {

struct InpaintArguments {
    std::filesystem::path input, target, mask, truth, std, model, report;
    std::string command;
    FieldOptions fields;
    InpaintOptions options;
    Context context;
    MemoryLimit memory;
    Output output;
};

/// How close the result is to the truth, and how well the standard deviations match the errors of missing pixels.
struct InpaintComparison {
    DataRange range;
    Quality quality;
    double missing_psnr = 0.0;              ///< NaN: nothing was missing
    double within_1 = 0.0, within_2 = 0.0;  ///< NaN: the standard deviations are not known
};

/// Refuses an image that needs too much memory, before its pixels are read.
AcceptSize accept_inpainted(const InpaintArguments& a, const std::filesystem::path& file);

/// Throws unless all outputs of an image like this can be written and are files of their own; `stacked`: of a stack of
/// such images.
void check_inpaint_outputs(const InpaintArguments& a, const Image& image, bool stacked);

InpaintComparison compare_inpainted(const Image& truth, const Image& incomplete, const InpaintResult& result,
                                    const DataRange& range);

/// What is missing, for people: "pixels" of a grey image, and of a colour image the samples of all planes.
std::string missing_line(std::size_t missing, double share, bool colour);

/// Throws InputError for an image that cannot be filled in, which is called `name`, and for a model that does not fit
/// it, beginning with the file that is wrong.
void check_inpainted(const InpaintArguments& a, const Image& image, const std::string& name);

/// Says on standard error what could not be written, and returns the exit status.
int inpaint_status(const Outputs& outputs);

/// Fills in the pages of the stack a.input, one after another, and writes them. Reads all of them once to check them.
int inpaint_stack(const InpaintArguments& a);

}  // namespace sbdl::app
