// Trains on a tiny set with the installed library, writes a model and images and reads them back: every part must link.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include <sbdl/sbdl.hpp>

int main() {
    const sbdl::SynthSet set = sbdl::synthesize({.dim = 8, .atoms = 12, .signals = 200, .seed = 1});
    sbdl::GibbsOptions options = sbdl::GibbsOptions::preset(sbdl::Preset::standard, 12);
    options.burn_in = 40;
    options.draws = 20;
    const sbdl::TrainResult result = sbdl::train(sbdl::MemorySource{set.signals}, options, {.seed = 1});

    sbdl::save_model(result.model, "consumer.h5");
    const sbdl::Model model = sbdl::load_model("consumer.h5");
    std::filesystem::remove("consumer.h5");
    std::printf("sbdl %s: noise %g (true %g) after %d sweeps\n", sbdl::version(), model.noise_sd, set.noise_sd,
                result.sweeps);
    sbdl::Image image;
    image.planes.emplace_back(3, 5, 7.0);
    bool images_sound = true;
    for (const char* name : {"consumer.png", "consumer.jpg", "consumer.tif"}) {
        sbdl::write_image(name, image);
        images_sound = images_sound && sbdl::read_image(name).planes[0](2, 4) == 7.0;
        std::filesystem::remove(name);
    }
    const bool sound = images_sound && std::isfinite(model.noise_sd) && model.noise_sd > 0 &&
                       model.atom_count() == 12 && result.sweeps == 60 &&
                       std::string_view{sbdl::version()} == SBDL_VERSION;
    return sound ? 0 : 1;
}
