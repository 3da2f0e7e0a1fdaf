// sbdl synth: a folder with a set of signals made from a known dictionary, or with a painted image and a noisy copy.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/stop.hpp"
#include "base/unfinished.hpp"
#include "common.hpp"
#include "pipes.hpp"
#include "sbdl/error.hpp"
#include "sbdl/image.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/signals.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/version.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What the command line requests: signals, or an image when its size is given.
struct Request {
    fs::path folder;
    SynthOptions signals;  // its seed is also that of the image
    std::string sparsity = "3";
    std::string image_size;
    bool colour = false;
    double sigma = 25.0;
    Output output;
};

std::size_t read_number(std::string_view part, const std::string& complaint) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size()) throw InputError(complaint);
    return value;
}

// "3": three atoms in every signal; "3:6": three to six.
void read_sparsity(const std::string& text, SynthOptions& options) {
    const std::size_t colon = text.find(':');
    const auto number = [&](std::string_view part) {
        return read_number(
            part, fmt::format("--sparsity is '{}', must be a number of atoms such as 3 or a range such as 3:6", text));
    };
    options.sparsity_min = number(std::string_view(text).substr(0, colon));
    options.sparsity_max =
        colon == std::string::npos ? options.sparsity_min : number(std::string_view(text).substr(colon + 1));
}

struct Size {
    std::size_t width, height;
};

Size read_size(const std::string& text) {
    const std::string complaint = fmt::format("--image is '{}', must be a width and a height such as 512x384", text);
    const std::size_t cross = text.find('x');
    if (cross == std::string::npos) throw InputError(complaint);
    return {read_number(std::string_view(text).substr(0, cross), complaint),
            read_number(std::string_view(text).substr(cross + 1), complaint)};
}

// The output folder, created when only its parent exists. Removes what was added unless keep() was called.
class OutputFolder {
public:
    explicit OutputFolder(fs::path path) : path_(std::move(path)) {
        std::error_code error;
        made_ = fs::create_directory(path_, error);
        if (made_) unfinished_.push_back(std::make_unique<Unfinished>(path_));
        if (!fs::is_directory(path_)) {
            throw FileError(fmt::format("{}: the folder cannot be created ({})", path_.string(),
                                        error ? error.message() : "a file of that name exists"));
        }
    }
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    ~OutputFolder() {
        if (kept_) return;
        std::error_code ignored;
        for (const fs::path& file : written_) fs::remove(file, ignored);
        if (made_) fs::remove(path_, ignored);
    }

    template <class Write>
    void write(std::string_view name, Write&& write_to) {
        const fs::path file = path_ / name;
        write_to(file);
        written_.push_back(file);
        unfinished_.push_back(std::make_unique<Unfinished>(file));
        look_for_stop();
    }
    void keep() {
        kept_ = true;
        unfinished_.clear();
    }

private:
    fs::path path_;
    std::vector<fs::path> written_;
    std::vector<std::unique_ptr<Unfinished>> unfinished_;
    bool made_ = false;
    bool kept_ = false;
};

std::size_t missing_entries(const SynthSet& set) {
    const double* const first = set.signals.data();
    return static_cast<std::size_t>(
        std::count_if(first, first + set.signals.size(), [](double entry) { return std::isnan(entry); }));
}

Json description(const SynthOptions& options, const SynthSet& set) {
    return {{"dim", options.dim},
            {"atoms", options.atoms},
            {"signals", options.signals},
            {"sparsity_min", options.sparsity_min},
            {"sparsity_max", options.sparsity_max},
            {"snr_db", std::isfinite(options.snr_db) ? Json(options.snr_db) : Json("inf")},
            {"scale", options.scale},
            {"missing", options.missing},
            {"missing_entries", missing_entries(set)},
            {"seed", options.seed},
            {"noise_sd", set.noise_sd},
            {"version", version()}};
}

// Of what would be a folder, only the signals or the noisy image go to standard output.
template <class Write>
void write_alone(const Request& request, Write&& write_to) {
    Pipes pipes;
    fs::path file = request.folder;
    Output output = request.output;
    pipes.take_output(file, ".npy", output);
    write_to(file);
    pipes.finish();
}

void make_signals(const Request& request) {
    SynthOptions options = request.signals;
    read_sparsity(request.sparsity, options);
    const double per_signal = double(options.dim) + double(options.atoms);
    MemoryLimit().require(
        double(sizeof(double)) * (double(options.signals) * per_signal + double(options.atoms) * double(options.dim)),
        fmt::format("a set of {} signals of length {} and {} atoms", options.signals, options.dim, options.atoms));
    const SynthSet set = synthesize(options);
    const Json summary = description(options, set);
    if (request.folder == "-") {
        write_alone(request, [&](const fs::path& file) { save_npy(file, set.signals); });
        return;
    }

    OutputFolder target(request.folder);
    target.write("signals.npy", [&](const fs::path& file) { save_npy(file, set.signals); });
    target.write("dictionary.npy", [&](const fs::path& file) { save_npy(file, set.dictionary); });
    target.write("codes.npy", [&](const fs::path& file) { save_npy(file, set.codes); });
    target.write("synth.json", [&](const fs::path& file) { write_text_file(file, json_text(summary, 2) + "\n"); });
    target.keep();

    request.output.print_json(summary);
    const std::size_t missing = missing_entries(set);
    request.output.say(fmt::format(
        "signals     {} of length {}{}\natoms       {}\nnoise sd    {}\nfolder      {}\n", options.signals, options.dim,
        missing == 0 ? ""
                     : fmt::format(", {:.4g} % missing ({} entries)",
                                   100.0 * double(missing) / double(set.signals.size()), missing),
        options.atoms, number_text(set.noise_sd), request.folder.string()));
}

void make_noisy_image(const Request& request) {
    const Size size = read_size(request.image_size);
    const std::uint64_t seed = request.signals.seed;
    MemoryLimit().require(
        double(sizeof(double)) * double(size.width) * double(size.height) * (request.colour ? 6.0 : 2.0),
        fmt::format("an image of {} x {} pixels and its noisy copy", size.width, size.height));
    const Image truth = make_image(size.height, size.width, request.colour, seed);
    const Image noisy = make_noisy(truth, request.sigma, seed);
    if (request.folder == "-") {
        write_alone(request, [&](const fs::path& file) { write_image(file, noisy); });
        return;
    }
    const double decibel = psnr(truth, noisy, peak_of(truth));
    const Json summary = {{"truth", (request.folder / "truth.png").string()},
                          {"noisy", (request.folder / "noisy.tif").string()},
                          {"width", size.width},
                          {"height", size.height},
                          {"colour", request.colour},
                          {"sigma", request.sigma},
                          {"psnr_db", std::isfinite(decibel) ? Json(decibel) : Json("inf")},
                          {"seed", seed},
                          {"version", version()}};

    OutputFolder target(request.folder);
    target.write("truth.png", [&](const fs::path& file) { write_image(file, truth); });
    target.write("noisy.tif", [&](const fs::path& file) { write_image(file, noisy); });
    target.write("synth.json", [&](const fs::path& file) { write_text_file(file, json_text(summary, 2) + "\n"); });
    target.keep();

    request.output.print_json(summary);
    request.output.say(
        fmt::format("image       {} x {} pixels, {}\nnoise sd    {}, PSNR {:.2f} dB\nfiles       {}, {}\n", size.width,
                    size.height, request.colour ? "colour" : "grey", request.sigma, decibel,
                    summary["truth"].get<std::string>(), summary["noisy"].get<std::string>()));
}

// Adds and returns the options that apply to signals only.
std::vector<const CLI::Option*> add_signal_options(CLI::App& app, Request& request) {
    SynthOptions& options = request.signals;
    std::vector<const CLI::Option*> added;
    const auto add = [&](const std::string& name, auto& value, const std::string& help, const std::string& type) {
        CLI::Option* option =
            app.add_option(name, value, help)->capture_default_str()->type_name(type)->group("Signals");
        added.push_back(option);
        return option;
    };
    add("--dim", options.dim, "Length of a signal", "M")->check(whole_number());
    add("--atoms", options.atoms, "Number of atoms", "N")->check(whole_number());
    add("--signals", options.signals, "Number of signals", "L")->check(whole_number());
    add("--sparsity", request.sparsity, "Atoms in a signal: a number, or a range such as 3:6", "K|A:B");
    add("--scale", options.scale, "Factor for signals, codes and noise: the same set in other units", "C");
    add("--snr", options.snr_db, "Signal-to-noise ratio in dB; inf: no noise", "DB");
    add("--missing", options.missing,
        "Share of entries that are missing (NaN), chosen at random; every signal keeps at least one", "SHARE");
    return added;
}

// The same for images; the first option requests one.
std::vector<const CLI::Option*> add_image_options(CLI::App& app, Request& request) {
    return {app.add_option("--image", request.image_size, "Make an image of this size instead of signals")
                ->type_name("WIDTHxHEIGHT")
                ->group("Image"),
            app.add_flag("--colour", request.colour, "Make the image in colour")->group("Image"),
            app.add_option("--sigma", request.sigma, "Standard deviation of the noise; samples are 0 to 255")
                ->capture_default_str()
                ->type_name("SIGMA")
                ->group("Image")};
}

void reject(const std::vector<const CLI::Option*>& options, std::string_view why) {
    for (const CLI::Option* option : options)
        if (option->count() > 0) throw InputError(fmt::format("{} {}", option->get_name(), why));
}

}  // namespace

int run_synth(int count, char** arguments) {
    Request request;
    CLI::App app(
        "Make signals from a random dictionary: DIR/{signals,dictionary,codes}.npy; or an image to denoise: "
        "DIR/truth.png (8 bits) and DIR/noisy.tif (float32: the noise is not clipped or rounded). DIR/synth.json "
        "describes "
        "what was made.",
        "sbdl synth");
    app.footer(
        "Example:\n  sbdl synth -o data --dim 20 --atoms 50 --signals 1000 --sparsity 3:6 --snr 20 --seed 1\n"
        "  sbdl synth -o data --image 512x512 --colour --sigma 25\n"
        "  sbdl synth -o - | sbdl learn - -o model.h5 --atoms 50");
    app.add_option("-o,--output", request.folder,
                   "Folder to write; created if it does not exist. Or -: only the signals, or the noisy image, as .npy "
                   "to standard "
                   "output")
        ->required()
        ->type_name("DIR");
    add_seed(app, request.signals.seed);
    request.output.add_to(app);
    const auto for_signals = add_signal_options(app, request);
    const auto for_images = add_image_options(app, request);
    if (!parse(app, count, arguments)) return done;

    if (for_images.front()->count() > 0) {
        reject(for_signals, "applies to signals only, not to --image");
        make_noisy_image(request);
    } else {
        reject(for_images, "applies to images only; request one with --image WIDTHxHEIGHT");
        make_signals(request);
    }
    return done;
}

}  // namespace sbdl::app
