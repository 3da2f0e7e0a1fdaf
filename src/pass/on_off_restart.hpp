// On/off codes that begin anew. An entry is drawn given the others, so a code that needs two atoms exchanged at once
// can stay where it is for a whole run when there is little noise. Its signal gets a second chance: a code that starts
// all off goes through sweeps in which the noise is lowered to its level, and replaces the present one with probability
// min(1, p(new | y) / p(present | y)) (on_off_evidence.hpp). Where the present code is right, the new one is mostly the
// same or worse.
//
// The probability of proposing the new code is ignored, so this is not an exact sampler. It belongs in burn-in.
//
// One atom can be fitted on the way: once the noise is low, signals that need an atom that is not there are explained
// by many others, and no atom can find its way any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pass/on_off_evidence.hpp"

namespace sbdl {

/// Which codes begin anew, and how.
struct OnOffRestart {
    const OnOffState* state = nullptr;
    OnOffNumbers draw;                 ///< of the first sweep; the purposes are set by the pass
    double signal_precision = 1.0;     ///< one over the signals' mean square, where the noise starts
    int sweeps = 0;                    ///< in which the noise is lowered
    double share = 1.0;                ///< of the signals in each block: those least probable together with their codes
    bool crowded_only = false;         ///< whether only codes with more entries on than most_entries_on() begin anew
    const PaddedGram* gram = nullptr;  ///< as in OnOffSweep
    bool show_unexplained = false;     ///< whether OnOffRestarted::unexplained and energy_of_others are wanted
    /// An atom that is fitted to these signals while the noise is lowered; all others are held fixed. No gram is given.
    std::optional<Eigen::Index> fitted_atom{};
    /// Further sweeps, in which the noise is lowered from `most_contrast` to its own level. Without them it jumps:
    /// which atoms a signal uses is decided before, but an atom that is fitted has to follow all the way.
    int deep_sweeps = 0;
};

/// The noise of a restart is lowered in steps to at most this far below the signals.
constexpr double most_contrast = 1e4;

/// Codes with more entries on are improbable, whatever the signal: the mean of their number under the prior plus four
/// standard deviations. With little noise about as many atoms as a signal has entries explain it exactly, and such a
/// code is hard to leave.
double most_entries_on(const Vec& probability);

/// What came of it.
struct OnOffRestarted {
    std::size_t begun = 0;     ///< codes that began anew
    std::size_t replaced = 0;  ///< of these
    Mat unexplained;           ///< sum of r r^T, r the residuals of the new codes while the noise is high
    Vec energy_of_others;      ///< sum of squares of each atom's codes, over the signals that did not begin anew
    Vec fitted_atom;           ///< the atom that was to be fitted, of unit norm
    std::size_t users = 0;     ///< of that atom, among the replaced codes
};

/// The atoms that a code uses.
std::span<const std::uint32_t> entries_on(const SparseCodes& codes, std::size_t row);

/// The signals of one block that begin anew.
class BlockRestart {
public:
    using Signals = Eigen::Ref<const Mat>;

    /// What a thread needs for the sweep of a block.
    struct Scratch {
        OnOffSampler::Bench sampler;
        SparseCodes drawn;
        Mat left;  ///< the signals, then their residuals
    };

    /// Chooses the signals, which are the columns of `signals`. `codes` are the present ones of all of them; those with
    /// at most `least_on` entries on are not chosen. Returns how many were.
    std::size_t choose(const OnOffEvidence& evidence, const Signals& signals, const SparseCodes& codes, double share,
                       double least_on = -1.0);

    /// Adds the squares of the present codes of all other signals to the energy of their atoms.
    void add_energy_of_others(const SparseCodes& codes, Vec& energy) const;

    /// Draws the new codes once more. The number of the block's first signal is `first`. Returns the residuals.
    const Mat& sweep(const OnOffSampler& sampler, std::size_t first, const Signals& signals, Scratch& scratch);

    /// Adds sum_l x_nl (r_l + x_nl d_n) over the chosen signals: n is the atom, d_n its direction, r_l the residuals
    /// that the sweep has returned. The direction of the sum fits the new codes best. Codes with more than `most_on`
    /// entries on explain their signals with any atom, and are left out.
    void add_pull_on(Eigen::Index atom, const Vec& direction, const Mat& residuals, double most_on, Vec& sum) const;

    /// Puts new codes in the place of the present ones where they win. Returns the rows of those that did.
    std::vector<std::size_t> replace(const OnOffEvidence& evidence, const OnOffNumbers& draw, std::size_t first,
                                     const Signals& signals, SparseCodes& codes) const;

private:
    std::vector<Eigen::Index> chosen_;  // in ascending order
    std::vector<double> evidence_;      // of their present codes
    SparseCodes codes_;                 // their new ones
};

}  // namespace sbdl
