// What the parts of sbdl denoise share: one image, a stack of pages, a signal, several files.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common.hpp"
#include "field_options.hpp"
#include "outputs.hpp"
#include "pipes.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/denoise_signal.hpp"
#include "sbdl/denoise_stack.hpp"
#include "sbdl/quality.hpp"

namespace sbdl::app {

struct DenoiseArguments {
    std::vector<std::filesystem::path> inputs;
    std::filesystem::path target;        ///< as it was given: a file or a folder
    std::filesystem::path noisy, clean;  ///< of the current file
    std::filesystem::path truth, std, model, save_model, report;
    std::string depth, column, command;
    FieldOptions fields;
    DenoiseOptions options;
    StackOptions stack;
    SignalOptions signal;
    Context context;
    MemoryLimit memory;
    Output output;

    /// Throws InputError if a file whose images have this size needs too much memory. For images in the making:
    /// `planes` is 1 while it is not known.
    void require_memory(std::size_t width, std::size_t height, std::size_t planes) const;
    /// The same for the header of a file, before its pixels are read.
    [[nodiscard]] AcceptSize accept_size(const std::filesystem::path& file) const;
};

struct Quality {
    double psnr = 0.0;
    double ssim = 0.0;
};

/// What became of one file.
struct DenoisedFile {
    nlohmann::ordered_json object;
    std::string text;  ///< for people
    std::vector<std::string> warnings;
    bool interrupted = false;
    std::vector<std::string> errors{};  ///< what could not be written, although the rest is saved

    /// Takes over what could not be written.
    void fail(const Outputs& outputs) {
        errors = outputs.sentences();
        outputs.remove_missing(object);
    }
};

/// Tells how far a file is; `text` is what is done with it.
using ShowProgress = std::function<void(const std::string& text, const DenoiseProgress& progress)>;

/// The samples of the output: those of the input unless --depth was given.
Samples output_samples(const DenoiseArguments& a, Samples input);

/// The image in the samples of the output.
Image as_written(const DenoiseArguments& a, Image clean);
/// Its standard deviations, in floats on the same scale. `samples` are those of the input.
Image std_as_written(const DenoiseArguments& a, Image std, Samples samples);

/// Throws InputError, with the name that was probably meant, unless it is the name of a method that can denoise.
void check_method(const std::string& name);

/// Throws InputError for options that would have no effect, and for those that do not apply to several files.
void check_ignored(const CLI::App& app, const DenoiseArguments& a);
void check_several(const CLI::App& app);

/// Inputs and outputs that are pipes.
void take_pipes(Pipes& pipes, DenoiseArguments& a);

/// Throws unless all outputs of an image like this can be written and are files of their own; `stacked`: of a stack of
/// such images.
void check_outputs(const DenoiseArguments& a, const Image& noisy, bool stacked);

/// Throws InputError, beginning with `name`, when the image is too small, too large for the machine, or has values that
/// --depth would clip.
void check_noisy(const DenoiseArguments& a, const Image& noisy, const std::string& name);

/// Returns the true image, turned as the other one is, which messages call "the `input_is` image": "noisy". Throws
/// InputError, beginning with `name`, unless they can be compared.
Image checked_truth(Image truth, const Image& image, const std::string& input_is, const std::string& name);
/// The SSIM of images that are smaller than its window is not a number.
Quality quality_of(const Image& truth, const Image& image, const DataRange& range);
/// What the range is, for people: a PSNR means little without it.
std::string range_text(const DataRange& range);
/// A line about the shares of the errors within one and two standard deviations.
std::string within_std_text(double within_1, double within_2);

/// A file, a.noisy, that becomes a.clean. It is checked, with the outputs, when the task is made.
class FileTask {
public:
    virtual ~FileTask() = default;
    /// How long it usually takes.
    [[nodiscard]] virtual double seconds() const = 0;
    /// Throws Stopped when a signal ended it before anything was kept.
    virtual DenoisedFile run(const ShowProgress& show) = 0;
};

/// For a stack. Reads all pages once to check them. When stopped, the pages that are done are kept.
std::unique_ptr<FileTask> stack_task(const DenoiseArguments& a);

/// For a one-dimensional signal.
std::unique_ptr<FileTask> signal_task(const DenoiseArguments& a);

}  // namespace sbdl::app
