// The pass over the signals: the interface between the learners and the place where the signals and their codes live. A
// pass owns a share of the signals and all per-signal state. A learner sees statistics, and asks the pass for anything
// else it needs to know about a signal. Passes on a device or on several machines implement the same interface.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "base/state_archive.hpp"
#include "kernels/kernel_set.hpp"
#include "pass/code_record.hpp"
#include "pass/on_off_means.hpp"
#include "pass/on_off_restart.hpp"
#include "pass/signal_share.hpp"
#include "pass/support_chain.hpp"

namespace sbdl {

/// A sweep of on/off codes: what they are drawn from, and with which random numbers.
struct OnOffSweep {
    const OnOffState* state = nullptr;
    OnOffNumbers draw;
    const PaddedGram* gram = nullptr;  ///< of state->D, where the atoms stay the same; null: computed in every sweep
    bool statistics = true;            ///< false: only the codes are wanted, and the statistics may stay what they were
};

/// Facts about the signals, wherever they are stored.
struct PassShape {
    std::size_t signal_count = 0;
    std::size_t signal_dim = 0;
    std::size_t atom_count = 0;
    double unit = 1.0;              ///< the signals are divided by this
    double root_mean_square = 1.0;  ///< of the signals, before the division
    double values = 0.0;            ///< entries of the signals that are observed
};

/// What the signals say about one atom, with everything else fixed: sums over the signals whose on/off code x uses it.
/// Under VB, where x and r are expectations, over all.
struct AtomPull {
    Vec residual;     ///< sum of x r, r the residual; a missing entry counts as 0
    Vec weight;       ///< for each entry of the atom, sum of x^2 over the signals in which it is observed; VB: of <x^2>
    Vec mean_weight;  ///< VB: the same sum of <x>^2; otherwise no size
};

class CodePass {
public:
    explicit CodePass(const PassShape& shape) : shape_(shape) {}
    CodePass(const CodePass&) = delete;
    CodePass& operator=(const CodePass&) = delete;
    virtual ~CodePass() = default;

    [[nodiscard]] std::size_t signal_count() const { return shape_.signal_count; }
    [[nodiscard]] std::size_t signal_dim() const { return shape_.signal_dim; }
    [[nodiscard]] std::size_t atom_count() const { return shape_.atom_count; }
    [[nodiscard]] double unit() const { return shape_.unit; }
    /// How many entries of the signals are observed, and whether any is missing.
    [[nodiscard]] double values() const { return shape_.values; }
    [[nodiscard]] bool gaps() const {
        return values() < static_cast<double>(signal_count()) * static_cast<double>(signal_dim());
    }
    /// One over the signals' mean square in the learner's units: where the noise precision starts.
    [[nodiscard]] double signal_precision() const {
        const double rms = shape_.root_mean_square / shape_.unit;
        return 1.0 / (rms * rms);
    }

    /// Goes on to other signals, of the same length and in the same units, whose codes are as at the start of a run.
    /// What kernels have packed for the dictionary stays. Of incomplete signals only the codes are right after this,
    /// not the statistics.
    virtual void move_to(const SignalShare& share) {
        shape_.signal_count = share.count();
        shape_.values = static_cast<double>(share.count()) * static_cast<double>(share.dim());
    }

    /// Sets the prior variance of every code entry, and all on/off codes to off, as at the start of a run.
    virtual void start_codes(double variance) = 0;

    /// Makes every code zero, for sweeps with on/off means. Their state takes the place of the code entries' variances.
    virtual void start_mean_codes() = 0;

    /// Updates the codes and precisions of all signals, and returns the statistics. They are valid until the next call.
    /// With `scale`, the codes of this sweep go into the record, entry n multiplied by scale[n].
    virtual const SufficientStats& sweep(const GibbsSweep& sweep, const Vec* scale = nullptr) = 0;
    virtual const SufficientStats& sweep(const VbSweep& sweep, const Vec* scale = nullptr) = 0;
    /// On/off codes are kept apart from the others. They are all off before the first of these sweeps.
    virtual const SufficientStats& sweep(const OnOffSweep& sweep, const Vec* scale = nullptr) = 0;
    virtual const SufficientStats& sweep(const OnOffMeansSweep& sweep, const Vec* scale = nullptr) = 0;

    /// Gives signals with improbable on/off codes a second chance (pass/on_off_restart.hpp).
    virtual OnOffRestarted restart(const OnOffRestart& restart) = 0;

    /// Repeats the sweep on each block of signals until no signal's codes move, at most `most` times, with everything
    /// except the codes fixed. The result goes into the record, entry n multiplied by scale[n].
    virtual void settle(const VbSweep& sweep, int most, const Vec& scale) = 0;

    /// Codes each signal by a chain of its own over the atoms that it uses (pass/support_chain.hpp), with everything
    /// except the codes fixed. The moments go into the record, those of entry n multiplied by scale[n]. `coding` must
    /// outlive the pass: what is made for it is kept.
    virtual void code_supports(const SupportCoding& coding, const Vec& scale) = 0;

    /// Starts an empty record of the codes. With `on_off` it also counts how often each entry is on.
    virtual void begin_record(bool on_off = false) = 0;
    /// Returns the record; the pass has none afterwards.
    virtual CodeRecord take_record() = 0;

    /// D times the on/off codes of these signals in the last sweep, as columns; none when there are no such codes.
    /// Throws InputError for a signal that does not exist.
    [[nodiscard]] virtual Mat reconstruct(const Mat& D, std::span<const std::size_t> signals) const = 0;

    [[nodiscard]] Mat reconstruct_all(const Mat& D) const {
        std::vector<std::size_t> all(signal_count());
        std::iota(all.begin(), all.end(), std::size_t{0});
        return reconstruct(D, all);
    }

    /// For signals with gaps, after a sweep of on/off codes with statistics, or of on/off means: the pull on one atom,
    /// and what follows from a change of that atom, or of its mean. Atoms are moved one after another.
    [[nodiscard]] virtual AtomPull pull_on(std::size_t atom) const = 0;
    virtual void move_atom(std::size_t atom, const Vec& change) = 0;

    /// One signal in the learner's units; missing entries are 0.
    [[nodiscard]] virtual Vec signal(std::size_t l) const = 0;
    /// At most `most` signals, evenly spread, as columns; missing entries are NaN.
    [[nodiscard]] virtual Mat spread_signals(std::size_t most) const = 0;
    /// The `most` signals whose codes used most atoms in the last sweep, densest first.
    [[nodiscard]] virtual std::vector<std::size_t> densest_signals(std::size_t most) const = 0;
    /// The number of threads for work on a few signals outside the sweeps.
    [[nodiscard]] virtual int threads() const = 0;

    virtual void archive(StateArchive& archive) = 0;

private:
    PassShape shape_;
};

}  // namespace sbdl
