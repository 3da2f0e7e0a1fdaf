// What a run reports while it works, and how an observer can stop it.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>

#include "sbdl/matrix.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

enum class Phase { burn_in, kept };

/// One sweep of one chain, in the units of the user's signals.
struct SweepReport {
    int chain = 0;
    int sweep = 0;                 ///< counted from 1
    int sweeps_planned = 0;        ///< maximum for this chain, as currently planned
    Phase phase = Phase::burn_in;  ///< VB: burn_in until the start and the noise have settled
    /// VB: the bound (NaN in the sampled start); Gibbs: the log joint density (both in the learner's units). Others:
    /// what they minimise, or the squared residuals.
    double objective = std::numeric_limits<double>::quiet_NaN();
    double noise_sd = 0.0;    ///< this sweep's noise standard deviation, or root mean square of the residuals
    int atoms_refreshed = 0;  ///< atoms replaced after this sweep (Gibbs and VB: in burn-in only)
    /// Atoms in a signal's code, on average over the signals; NaN for learners whose codes are never exactly zero.
    double mean_nonzeros = std::numeric_limits<double>::quiet_NaN();
    double seconds = 0.0;  ///< since the run started
    /// The atoms as they would be if the run ended here: one atom of unit norm per row. Computed when called; call it
    /// only before on_sweep() returns.
    std::function<Matrix()> dictionary;
    /// The signals with these numbers, reconstructed without noise from the atoms and codes of this sweep: one row
    /// each. For gibbs with on/off codes, a draw from their posterior once sweeps are kept. No rows: codes are not
    /// drawn, or not yet. Call it only before on_sweep() returns. Throws InputError for a signal that does not exist.
    std::function<Matrix(std::span<const std::size_t> signals)> reconstruct{};
};

/// What is known before the first sweep.
struct RunPlan {
    std::string method;  ///< the name `--method` takes
    std::size_t signal_count = 0;
    std::size_t signal_dim = 0;
    std::size_t atom_count = 0;
    int chains = 1;
    int sweeps = 0;  ///< maximum per chain
};

enum class Flow { go_on, stop };

/// The base class does nothing; override what you need. Called from one thread at a time. An exception does not end the
/// run: the observer is not called again, except for on_finish(), and TrainResult::observer_errors has the message.
/// Only Stopped ends the run; it propagates from train().
class Observer {
public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;
    virtual void on_start(const RunPlan&) {}
    /// Called after on_start() when a run continues from a checkpoint, with the sweeps made before it.
    virtual void on_resume(const Trace&) {}
    virtual Flow on_sweep(const SweepReport&) { return Flow::go_on; }
    virtual void on_finish() {}
};

}  // namespace sbdl
