// How sweeps of on/off codes begin. Codes that start all off at the noise's own level stay on the first atoms they
// meet. The noise is therefore lowered to its level from that of the signals, by a constant factor per sweep.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/state_archive.hpp"

namespace sbdl {

class NoiseCooling {
public:
    /// Over the first `share` of `burn_in` sweeps; both precisions in the same units.
    NoiseCooling(double signal_precision, double noise_precision, double share, int burn_in)
        : first_(std::min(noise_precision, 2.0 * signal_precision)), last_(noise_precision), sweeps_(share * burn_in) {}

    [[nodiscard]] bool active(int sweep) const { return sweep < sweeps_; }
    [[nodiscard]] double precision(int sweep) const {
        return active(sweep) ? first_ * std::pow(last_ / first_, sweep / sweeps_) : last_;
    }

    void archive(StateArchive& archive) {
        archive("first", first_);
        archive("last", last_);
    }

private:
    double first_, last_, sweeps_;
};

}  // namespace sbdl
