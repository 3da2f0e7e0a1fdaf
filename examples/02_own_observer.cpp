// Observe a run and stop it: an observer is called after every sweep and returns go_on or stop.
//
// This one stops when the noise has settled. A run that is stopped still returns its model and the reason it ended.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include <sbdl/sbdl.hpp>

namespace {

class StopWhenNoiseSettles final : public sbdl::Observer {
public:
    explicit StopWhenNoiseSettles(double relative_change) : relative_change_(relative_change) {}

    void on_start(const sbdl::RunPlan& plan) override {
        std::printf("%s: %zu signals, %zu atoms, at most %d sweeps\n", plan.method.c_str(), plan.signal_count,
                    plan.atom_count, plan.sweeps);
    }

    sbdl::Flow on_sweep(const sbdl::SweepReport& report) override {
        if (report.phase == sbdl::Phase::burn_in) return sbdl::Flow::go_on;  // the noise is still being annealed
        const double change = std::abs(report.noise_sd - last_noise_sd_);
        const bool settled = change < relative_change_ * report.noise_sd;
        last_noise_sd_ = report.noise_sd;
        if (settled) std::printf("sweep %d: the noise has settled at %.4f\n", report.sweep, report.noise_sd);
        return settled ? sbdl::Flow::stop : sbdl::Flow::go_on;
    }

private:
    double relative_change_;
    double last_noise_sd_ = 0.0;
};

}  // namespace

int main() try {
    const sbdl::SynthSet set = sbdl::synthesize({.dim = 10, .atoms = 20, .signals = 400, .seed = 7});
    StopWhenNoiseSettles settles{1e-3};
    sbdl::Observer* const observers[] = {&settles};
    const auto options = sbdl::VbOptions::preset(sbdl::Preset::standard, /*atoms=*/20);
    const sbdl::TrainResult result = sbdl::train(sbdl::MemorySource{set.signals}, options, {.seed = 7}, observers);

    const std::string reason{sbdl::to_string(result.reason)};
    std::printf("stopped after %d sweeps: %s\n", result.sweeps, reason.c_str());
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "02_own_observer: %s\n", error.what());
    return 1;
}
