// Signals that are not stored as rows: the windows of one long recording, cut out on demand.
//
// A source states how many signals it has and how long they are, and reads any range of them. Several threads read at
// the same time, so read() must not change the object.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include <sbdl/sbdl.hpp>

namespace {

class WindowSource final : public sbdl::SignalSource {
public:
    WindowSource(std::vector<double> recording, std::size_t window, std::size_t step)
        : recording_(std::move(recording)), window_(window), step_(step) {}

    [[nodiscard]] std::size_t count() const override { return (recording_.size() - window_) / step_ + 1; }
    [[nodiscard]] std::size_t dim() const override { return window_; }
    void read(std::size_t first, std::size_t how_many, double* out) const override {
        for (std::size_t i = first; i < first + how_many; ++i)
            out = std::copy_n(recording_.data() + i * step_, window_, out);
    }
    [[nodiscard]] std::string name() const override { return "windows of a recording"; }

private:
    std::vector<double> recording_;
    std::size_t window_;
    std::size_t step_;
};

// Decaying oscillations at irregular times over a little hiss (a sum of incommensurate fast tones, so that no random
// numbers are needed).
std::vector<double> ringing(std::size_t samples) {
    std::vector<double> recording(samples);
    for (std::size_t t = 0; t < samples; ++t)
        for (int tone = 0; tone < 12; ++tone) recording[t] += 0.004 * std::sin(double(t) * (1.7 + 0.113 * tone * tone));
    for (std::size_t start = 5, ring = 0; start < samples; start += 23 + 17 * (ring % 5), ++ring)
        for (std::size_t t = start; t < samples && t < start + 40; ++t) {
            const double age = double(t - start);
            recording[t] += std::exp(-age / 8.0) * std::sin(age * (ring % 2 == 0 ? 0.6 : 1.1));
        }
    return recording;
}

}  // namespace

int main() try {
    const WindowSource windows{ringing(6000), /*window=*/16, /*step=*/8};
    auto options = sbdl::GibbsOptions::preset(sbdl::Preset::standard, /*atoms=*/24);
    options.burn_in = 150;
    options.draws = 50;
    const sbdl::Model model = sbdl::train(windows, options, {.seed = 1}).model;

    std::printf("%zu windows of %zu samples, noise %.4f\n", windows.count(), windows.dim(), model.noise_sd);
    std::printf(
        "most used atom: %zu\n",
        std::size_t(std::max_element(model.atom_usage.begin(), model.atom_usage.end()) - model.atom_usage.begin()));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "03_own_source: %s\n", error.what());
    return 1;
}
