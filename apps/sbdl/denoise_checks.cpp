// What can be wrong with the images and outputs of sbdl denoise, and the samples of the output.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/nearest_word.hpp"
#include "denoise.hpp"
#include "denoise/denoise_options.hpp"
#include "denoise/image_checks.hpp"
#include "sbdl/error.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/series.hpp"

namespace sbdl::app {

namespace fs = std::filesystem;

Samples output_samples(const DenoiseArguments& a, Samples input) {
    if (a.depth == "8") return Samples::u8;
    if (a.depth == "16") return Samples::u16;
    return a.depth == "float" ? Samples::f32 : input;
}

namespace {

bool is_whole(Samples samples) {
    return samples == Samples::u8 || samples == Samples::u16;
}

// Floats stay as they are, and are rounded: those of 0 to 1 would lose everything, those beyond the scale are clipped.
void check_depth(const DenoiseArguments& a, const Image& noisy) {
    const Samples target = output_samples(a, noisy.samples);
    if (is_whole(noisy.samples) || !is_whole(target)) return;
    const double white = target == Samples::u8 ? 255.0 : 65535.0;
    double least = noisy.planes.front()(0, 0), most = least;
    for (const Matrix& plane : noisy.planes) {
        const auto [low, high] = std::minmax_element(plane.data(), plane.data() + plane.size());
        least = std::min(least, *low);
        most = std::max(most, *high);
    }
    const bool black = least == 0.0 && most == 0.0;  // nothing to lose
    const double noise = 0.5 * white;                // may reach this far beyond black and white
    if (!black && (least < -noise || most <= 1.0 || most > white + noise))
        throw InputError(
            fmt::format("--depth {} rounds to whole numbers of 0 to {:.0f}, but the values are {:.6g} to {:.6g}; scale "
                        "the image first, or use --depth float",
                        a.depth, white, least, most));
}

}  // namespace

void DenoiseArguments::require_memory(std::size_t width, std::size_t height, std::size_t planes) const {
    double bytes = denoise_memory(options, context, height, width, planes);
    if (!truth.empty()) bytes += double(sizeof(double)) * double(height) * double(width) * double(planes);
    memory.require(bytes,
                   fmt::format("{} image of {} x {} pixels", planes == 1 ? "a grey" : "a colour", width, height));
}

AcceptSize DenoiseArguments::accept_size(const fs::path& file) const {
    return [this, file](std::size_t width, std::size_t height, std::size_t planes) {
        try {
            require_memory(width, height, planes);
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", file.string(), error.what()));
        }
    };
}

Image as_written(const DenoiseArguments& a, Image clean) {
    const Samples samples = output_samples(a, clean.samples);
    return with_samples(std::move(clean), samples);
}

Image std_as_written(const DenoiseArguments& a, Image std, Samples samples) {
    std.samples = samples;
    Image scaled = as_written(a, std::move(std));
    scaled.samples = Samples::f32;
    return scaled;
}

namespace {

/// Throws unless the format of the file can hold such an image; says so where --depth 8 would help.
void check_format(const fs::path& path, Image like, bool stacked, bool may_round = false) {
    const auto check = [&] { stacked ? check_pages_output(path, like) : check_image_output(path, like); };
    try {
        check();
    } catch (const FileError& error) {
        if (!may_round || like.samples == Samples::u8) throw;
        like.samples = Samples::u8;
        check();
        throw FileError(fmt::format("{}, or --depth 8 rounds the values to 0 to 255", error.what()));
    }
}

}  // namespace

void check_outputs(const DenoiseArguments& a, const Image& noisy, bool stacked) {
    std::vector<fs::path> inputs = a.inputs;
    for (const fs::path& input : {a.truth, a.model})
        if (!input.empty()) inputs.push_back(input);
    check_output(a.clean, {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".pgm", ".ppm", ".pnm", ".npy"}, inputs);
    Image like;  // of the same kind; JPEG also has a limit of size
    like.planes.assign(noisy.planes.size(), noisy.planes.front());
    like.alpha = noisy.alpha;
    like.samples = output_samples(a, noisy.samples);
    check_format(a.clean, like, stacked, a.depth.empty());
    if (!a.std.empty()) {
        check_output(a.std, {".tif", ".tiff", ".npy"}, inputs);
        like.alpha = {};
        like.samples = Samples::f32;
        check_format(a.std, like, stacked);
    }
    if (!a.save_model.empty()) check_output(a.save_model, {".h5", ".hdf5"}, inputs);
    if (!a.report.empty()) check_output(a.report, {".html", ".htm"}, inputs);
    if (!a.context.checkpoint.path.empty())
        check_output(a.context.checkpoint.path, {a.context.checkpoint.path.extension().string()}, inputs);
    check_apart({a.clean, a.std, a.save_model, a.report, a.context.checkpoint.path});
}

void check_noisy(const DenoiseArguments& a, const Image& noisy, const std::string& name) {
    try {
        check_image(noisy, a.options);
        check_depth(a, noisy);
        a.require_memory(noisy.width(), noisy.height(), noisy.planes.size());
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", name, error.what()));
    }
}

Image checked_truth(Image truth, const Image& image, const std::string& input_is, const std::string& name) {
    truth = with_orientation(std::move(truth), image.metadata.orientation);
    if (truth.height() != image.height() || truth.width() != image.width() ||
        truth.planes.size() != image.planes.size())
        throw InputError(fmt::format("{}: has {} x {} pixels and {} planes, the {} image {} x {} and {}", name,
                                     truth.width(), truth.height(), truth.planes.size(), input_is, image.width(),
                                     image.height(), image.planes.size()));
    if (is_whole(truth.samples) && is_whole(image.samples) && truth.samples != image.samples)
        throw InputError(
            fmt::format("{}: white is {:.0f}, but {:.0f} in the {} image; convert one of them to compare them", name,
                        peak_of(truth), peak_of(image), input_is));
    return truth;
}

Quality quality_of(const Image& truth, const Image& image, const DataRange& range) {
    const double peak = range.width();
    const bool large = truth.height() >= 11 && truth.width() >= 11;
    return {psnr(truth, image, peak), large ? ssim(truth, image, peak) : std::numeric_limits<double>::quiet_NaN()};
}

std::string range_text(const DataRange& range) {
    if (!(range.high > range.low)) return "range 1, because the truth is constant";
    const std::string low = fmt::format("{:.6g}", range.low), high = fmt::format("{:.6g}", range.high);
    return low == high ? fmt::format("range {:.6g}, from {}", range.width(), low)
                       : fmt::format("range {} to {}", low, high);
}

std::string within_std_text(double within_1, double within_2) {
    return fmt::format("std         {:.1f} % of the errors are within 1 std, {:.1f} % within 2\n", 100.0 * within_1,
                       100.0 * within_2);
}

void check_method(const std::string& name) {
    const std::vector<std::string_view> known = denoise_methods();
    if (std::ranges::find(known, name) == known.end())
        throw InputError(fmt::format("--method is '{}', must be one of {}{}", name, fmt::join(known, ", "),
                                     did_you_mean(name, known)));
}

void check_ignored(const CLI::App& app, const DenoiseArguments& a) {
    if (!a.model.empty())
        for (const char* option :
             {"--method", "--atoms", "--stride", "--max-patches", "--sweeps", "--lambda", "--lambda-s"})
            if (app.count(option) > 0)
                throw InputError(fmt::format("{} does not apply with --model: nothing is learned", option));
    if (a.options.method == "apru" && a.fields.given("lambda") != a.fields.given("lambda_s"))
        throw InputError("--method apru needs both --lambda and --lambda-s, or neither of them");
    DenoiseOptions options = a.options;
    for (const OptionRef& option : option_refs(options)) {
        if (!a.fields.given(option.name)) continue;
        if (const std::string why = why_ignored(a.options, option.name); !why.empty())
            throw InputError(fmt::format("{} {}", FieldOptions::flag(option.name), why));
    }
}

void check_several(const CLI::App& app) {
    for (const char* option : {"--clean", "--std", "--report", "--save-model", "--checkpoint"})
        if (app.count(option) > 0)
            throw InputError(fmt::format("{} does not apply to several files: it names one file", option));
}

namespace {

/// The format in which standard output gets the clean image: PNM unless it cannot hold the image. A signal keeps its
/// format.
std::string_view ending_for_pipe(const DenoiseArguments& a) {
    if (const std::string_view ending = series_ending(a.inputs.front()); !ending.empty()) return ending;
    const std::unique_ptr<PageSource> pages = open_pages(a.inputs.front(), a.accept_size(a.inputs.front()));
    const Image first = pages->read(0);
    const bool plain = !pages->stacked() && first.alpha.empty() && is_whole(output_samples(a, first.samples));
    return plain ? ".pnm" : ".npy";
}

}  // namespace

void take_pipes(Pipes& pipes, DenoiseArguments& a) {
    for (fs::path& input : a.inputs) pipes.take_input(input);
    pipes.take_input(a.truth);
    pipes.check_checkpoint(a.context.checkpoint.path);
    if (a.target == "-" && a.inputs.size() > 1)
        throw InputError("--output '-' does not apply to several files: standard output takes one image");
    if (a.target == "-") pipes.take_output(a.target, ending_for_pipe(a), a.output);
    pipes.take_output(a.std, ".npy", a.output);
}

}  // namespace sbdl::app
