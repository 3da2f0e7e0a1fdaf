// sbdl synth: a synthetic set with a known dictionary, in a folder.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.hpp"
#include "common.hpp"
#include "interrupt.hpp"
#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/version.hpp"
#include "verbs.hpp"

namespace sbdl::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// "3" is three atoms in every signal, "3:6" between three and six.
void read_sparsity(const std::string& text, SynthOptions& options) {
    const std::size_t colon = text.find(':');
    const auto number = [&](std::string_view part) {
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (error != std::errc{} || end != part.data() + part.size()) {
            throw InputError(
                fmt::format("--sparsity is '{}', must be a number of atoms such as 3 or a range such as 3:6", text));
        }
        return value;
    };
    options.sparsity_min = number(std::string_view(text).substr(0, colon));
    options.sparsity_max =
        colon == std::string::npos ? options.sparsity_min : number(std::string_view(text).substr(colon + 1));
}

// A folder to write into, made when only its parent is there. Unless keep() was called, takes away what was added.
class OutputFolder {
public:
    explicit OutputFolder(fs::path path) : path_(std::move(path)) {
        std::error_code error;
        made_ = fs::create_directory(path_, error);
        if (!fs::is_directory(path_)) {
            throw FileError(fmt::format("{}: the folder cannot be made ({})", path_.string(),
                                        error ? error.message() : "there is a file of that name"));
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
        stop_if_interrupted();
    }
    void keep() { kept_ = true; }

private:
    fs::path path_;
    std::vector<fs::path> written_;
    bool made_ = false;
    bool kept_ = false;
};

Json description(const SynthOptions& options, const SynthSet& set) {
    return {{"dim", options.dim},
            {"atoms", options.atoms},
            {"signals", options.signals},
            {"sparsity_min", options.sparsity_min},
            {"sparsity_max", options.sparsity_max},
            {"snr_db", std::isfinite(options.snr_db) ? Json(options.snr_db) : Json("inf")},
            {"scale", options.scale},
            {"seed", options.seed},
            {"noise_sd", set.noise_sd},
            {"version", version()}};
}

}  // namespace

int run_synth(int count, char** arguments) {
    SynthOptions options;
    std::string sparsity = "3";
    fs::path folder;
    Output output;
    CLI::App app("Make signals from a random dictionary: DIR/{signals,dictionary,codes}.npy and DIR/synth.json.",
                 "sbdl synth");
    app.footer("Example:\n  sbdl synth -o data --dim 20 --atoms 50 --signals 1000 --sparsity 3:6 --snr 20 --seed 1");
    app.add_option("-o,--output", folder, "Folder to write; made when missing")->required()->type_name("DIR");
    app.add_option("--dim", options.dim, "Length of a signal")
        ->check(whole_number())
        ->capture_default_str()
        ->type_name("M");
    app.add_option("--atoms", options.atoms, "Number of atoms")
        ->check(whole_number())
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--signals", options.signals, "Number of signals")
        ->check(whole_number())
        ->capture_default_str()
        ->type_name("L");
    app.add_option("--sparsity", sparsity, "Atoms in a signal: a number, or a range as 3:6")
        ->capture_default_str()
        ->type_name("K|A:B");
    app.add_option("--scale", options.scale, "Multiplies signals, codes and noise: the same set in other units")
        ->capture_default_str()
        ->type_name("C");
    app.add_option("--snr", options.snr_db, "Signal to noise ratio in dB; inf: no noise")
        ->capture_default_str()
        ->type_name("DB");
    add_seed(app, options.seed);
    output.add_to(app);
    if (!parse(app, count, arguments)) return done;

    read_sparsity(sparsity, options);
    const double per_signal = double(options.dim) + double(options.atoms);
    require_memory(
        double(options.signals) * per_signal + double(options.atoms) * double(options.dim),
        fmt::format("a set of {} signals of length {} and {} atoms", options.signals, options.dim, options.atoms));
    catch_interrupts(nullptr);
    const SynthSet set = synthesize(options);
    stop_if_interrupted();
    const Json told = description(options, set);

    const WritingFiles writing;
    OutputFolder target(folder);
    target.write("signals.npy", [&](const fs::path& file) { save_npy(file, set.signals); });
    target.write("dictionary.npy", [&](const fs::path& file) { save_npy(file, set.dictionary); });
    target.write("codes.npy", [&](const fs::path& file) { save_npy(file, set.codes); });
    target.write("synth.json", [&](const fs::path& file) { write_text_file(file, told.dump(2) + "\n"); });
    target.keep();

    output.print_json(told);
    output.say(fmt::format("signals     {} of length {}\natoms       {}\nnoise sd    {}\nfolder      {}\n",
                           options.signals, options.dim, options.atoms, number_text(set.noise_sd), folder.string()));
    return done;
}

}  // namespace sbdl::app
