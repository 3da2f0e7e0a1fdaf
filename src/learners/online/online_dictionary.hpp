// Online dictionary learning (Mairal, Bach, Ponce, Sapiro 2010): lasso codes of a batch of signals, then the atoms by
// block coordinate descent on the statistics gathered so far. Quick and good enough to start an exact chain from.
#pragma once

#include <functional>

#include "sbdl/context.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

struct OnlinePlan {
    std::size_t atoms = 256;
    double lambda = 1.0;  ///< weight of the l1 norm, on the scale of the signals
    int passes = 20;      ///< over all signals
    std::size_t batch = 512;
};

/// Atoms of unit norm, one a row. `go_on` is asked after each pass, with the passes made; the dictionary so far is
/// returned when it says no. The result does not depend on the number of threads.
Matrix online_dictionary(const SignalSource& signals, const OnlinePlan& plan, const Context& context,
                         const std::function<bool(int passes)>& go_on = {});

}  // namespace sbdl
