// Learns and codes with a small sbdl: signals in memory, results in arrays and .npy files.
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>

#include <sbdl/sbdl.hpp>

namespace {

/// Model files need HDF5, and this library says so.
bool model_files_are_refused(const sbdl::Model& model) {
    try {
        sbdl::save_model(model, "embedded.h5");
    } catch (const sbdl::FileError& error) {
        std::printf("model:  %s\n", error.what());
        return !std::filesystem::exists("embedded.h5");
    }
    return false;
}

}  // namespace

int main() try {
    const sbdl::SynthSet set = sbdl::synthesize({.dim = 10, .atoms = 20, .signals = 600, .snr_db = 25.0, .seed = 7});
    const auto options = sbdl::GibbsOptions::preset(sbdl::Preset::standard, /*atoms=*/20);
    const sbdl::TrainResult result = sbdl::train(sbdl::MemorySource{set.signals}, options, {.seed = 7});
    const sbdl::RecoveryScore score = sbdl::score_dictionary(set.dictionary, result.model.dictionary);
    std::printf("noise:  %.4f +- %.4f   (true: %.4f)\n", result.model.noise_sd, result.model.noise_sd_std,
                set.noise_sd);
    std::printf("atoms:  %zu of %zu recovered\n", score.nearest_recovered, score.true_atoms);

    const sbdl::Codes codes = sbdl::encode(result.model.dictionary, set.signals, sbdl::OmpOptions{.max_nonzeros = 3});
    std::printf("codes:  %zu of them not zero\n", codes.sparse.value.size());

    sbdl::save_npy("dictionary.npy", result.model.dictionary);
    const bool sound = score.nearest_recovered == score.true_atoms && codes.sparse.value.size() == 1800 &&
                       std::abs(result.model.noise_sd - set.noise_sd) < 0.1 * set.noise_sd &&
                       sbdl::open_signals("dictionary.npy")->count() == 20 && model_files_are_refused(result.model);
    return sound ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "embedded: %s\n", error.what());
    return 1;
}
