// Learn a dictionary from signals in memory, print what was inferred, code the signals, save the model.
//
// The signals are synthetic, so the truth is known; yours come from sbdl::open_signals("signals.npy") or from a matrix
// of your own. Only the number of atoms is required.
#include <cstdio>
#include <exception>

#include <sbdl/sbdl.hpp>

int main() try {
    const sbdl::SynthSet set = sbdl::synthesize({.dim = 10, .atoms = 20, .signals = 600, .snr_db = 25.0, .seed = 7});

    const sbdl::MemorySource signals{set.signals};
    const auto options = sbdl::GibbsOptions::preset(sbdl::Preset::standard, /*atoms=*/20);
    const sbdl::TrainResult result = sbdl::train(signals, options, {.seed = 7});

    const sbdl::Model& model = result.model;
    const sbdl::RecoveryScore score = sbdl::score_dictionary(set.dictionary, model.dictionary);
    std::printf("%d sweeps in %.1f s\n", result.sweeps, result.seconds);
    std::printf("noise:  %.4f +- %.4f   (true: %.4f)\n", model.noise_sd, model.noise_sd_std, set.noise_sd);
    std::printf("atoms:  %zu of %zu recovered\n", score.nearest_recovered, score.true_atoms);

    const sbdl::Codes codes = sbdl::encode(model, set.signals, sbdl::PosteriorCoderOptions{});
    std::printf("codes:  the first is %.3f +- %.3f   (one per row of codes.dense and codes.std)\n", codes.dense(0, 0),
                codes.std(0, 0));

    sbdl::save_model(model, "01_learn.h5");
    std::printf("model:  01_learn.h5   (try: sbdl info 01_learn.h5)\n");
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "01_learn: %s\n", error.what());
    return 1;
}
