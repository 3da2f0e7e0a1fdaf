// How a chain burns in.
//
// Annealing of the noise: during burn-in, the noise precision is kept below a cap that starts at the signals' own
// precision. The cap rises slowly (by `growth` per sweep) up to 25 dB, while the atoms find their places, and ten times
// faster beyond that, where only the noise level remains to be found.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/state_archive.hpp"

namespace sbdl {

/// Whether stale atoms are replaced after sweep number `sweep`: at a fixed interval (0: never), but not in the last
/// fifth of burn-in, so that the new atoms can settle.
inline bool refresh_due(int sweep, int every, int burn_in) {
    return every > 0 && (sweep + 1) % every == 0 && sweep < 0.8 * burn_in;
}

class NoiseCap {
public:
    /// Rises from `first`, which is the signals' precision unless a run is continued. growth 0: no cap at all. If
    /// burn-in is too short to reach 25 dB at the requested growth, the cap grows faster.
    NoiseCap(double signal_precision, double first, double growth, int burn_in)
        : start_(signal_precision),
          cap_(first),
          growth_(growth > 0.0 && burn_in > 0 ? std::max(growth, std::pow(slow_up_to, 1.0 / burn_in) - 1.0) : growth) {}

    [[nodiscard]] bool active() const { return growth_ > 0.0; }
    [[nodiscard]] double limit(double gamma) const { return active() ? std::min(gamma, cap_) : gamma; }

    /// Rises only while the noise precision itself keeps up with it.
    void rise(double gamma) {
        constexpr double fast = 10.0;
        if (cap_ < 2.0 * gamma) cap_ *= 1.0 + growth_ * (cap_ < slow_up_to * start_ ? 1.0 : fast);
    }

    /// Everything except the cap itself follows from the options.
    void archive(StateArchive& archive) { archive("cap", cap_); }

private:
    static constexpr double slow_up_to = 316.0;  // 25 dB
    double start_, cap_, growth_;
};

}  // namespace sbdl
