// What a variational sweep reports.
#pragma once

namespace sbdl {

struct VbSweepResult {
    double bound = 0.0;  ///< NaN while the start is being found
    double gamma = 0.0;
    bool settling = false;  ///< the start is being found, or the noise still moves
    int refreshed = 0;
};

}  // namespace sbdl
