// Annealing of the noise: while burning in, the noise precision is held below a cap that rises slowly from the signals'
// own precision. Slowly (growth a sweep) up to 25 dB, where the atoms find their places; ten times faster beyond, where
// only the noise level is still to be found.
#pragma once

#include <algorithm>

namespace sbdl {

class NoiseCap {
public:
    /// growth 0: no cap at all.
    NoiseCap(double signal_precision, double growth)
        : start_(signal_precision), cap_(signal_precision), growth_(growth) {}

    [[nodiscard]] bool active() const { return growth_ > 0.0; }
    [[nodiscard]] double limit(double gamma) const { return active() ? std::min(gamma, cap_) : gamma; }
    [[nodiscard]] double value() const { return cap_; }

    /// Rises only while the noise precision itself keeps up with it.
    void rise(double gamma) {
        constexpr double slow_up_to = 316.0;  // 25 dB
        constexpr double fast = 10.0;
        if (cap_ < 2.0 * gamma) cap_ *= 1.0 + growth_ * (cap_ < slow_up_to * start_ ? 1.0 : fast);
    }

private:
    double start_, cap_, growth_;
};

}  // namespace sbdl
