#include "experiments/denoise_unless_stopped.hpp"

#include <array>
#include <chrono>

namespace sbdl {

namespace {

// A trial that was cut short has no result: this exception ends it at any stage.
struct CutShort {};

class CutWhenAsked final : public Observer {
public:
    explicit CutWhenAsked(const StopCheck& stop) : stop_(stop) {}
    Flow on_sweep(const SweepReport&) override {
        check();
        return Flow::go_on;
    }
    void check() const {
        if (stop_ && stop_()) throw CutShort{};
    }

private:
    const StopCheck& stop_;
};

}  // namespace

std::optional<TimedDenoising> denoise_unless_stopped(const Image& noisy, const DenoiseOptions& options,
                                                     const Context& context, const StopCheck& stop) {
    CutWhenAsked cutter(stop);
    const std::array<Observer*, 1> observers{&cutter};
    DenoiseHooks hooks;
    hooks.observers = observers;
    hooks.progress = [&cutter](const DenoiseProgress&) { cutter.check(); };
    try {
        const auto start = std::chrono::steady_clock::now();
        DenoiseResult result = denoise(noisy, options, context, hooks);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        return TimedDenoising{std::move(result), seconds.count()};
    } catch (const CutShort&) {
        return std::nullopt;
    }
}

}  // namespace sbdl
