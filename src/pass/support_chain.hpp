// Which atoms a signal uses, drawn with the values of the code integrated out, for the model of on_off_codes.hpp.
//
// Drawn one entry at a time with its value, a code that needs one atom exchanged for another has to pass through a
// state in which the signal is explained badly; with little noise it never does. Here a step redraws a whole choice
// instead. It sets one entry that is on aside, or none, and draws jointly whether any atom, and which, joins what is
// left: entries come, go and are exchanged (docs/math.md, O6). With w the entries that are left, k of them, the choices
// are w itself and w with atom n; given w, their weights are
//
//     w: a_k p(w | y)       w and n: (1 - a) / (k + 1) p(w, n | y)       a_0 = 1, otherwise a_k = a
//
// where a_k is the probability of setting nothing aside: the step is an exact Gibbs draw of (choice, what is left).
// Given the choice, the values are jointly Gaussian; their moments are averaged, not draws of them. (To average every
// atom that could join with its probability, instead of the one that was drawn, gains less than it costs.)
//
// The atoms are not known exactly. A signal's noise variance is therefore 1 / e + sum_n x_n^2 v_n, with v_n the mean
// variance of the entries of atom n and x the code at the end of burn-in.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "coders/lasso.hpp"
#include "pass/code_record.hpp"
#include "pass/on_off_codes.hpp"

namespace sbdl {

/// In sweeps; a sweep makes three steps for four entries that are on under the prior, but not more than eight.
struct SupportSchedule {
    int searches = 1;       ///< codes that start all off; the noise is lowered, and one of the codes is chosen
    int search_sweeps = 0;  ///< of each
    int settle_sweeps = 0;  ///< that follow
    int draws = 1;          ///< averaged
};

/// What the codes are drawn from, and with which random numbers. All that is pointed to must outlive the chains.
struct SupportCoding {
    const OnOffState* state = nullptr;
    const Vec* atom_var = nullptr;     ///< the v_n
    double signal_var = 1.0;           ///< variance of a signal's entry, where the noise starts
    const PaddedGram* gram = nullptr;  ///< of the atoms
    SupportSchedule schedule{};
    std::uint64_t seed = 0;
};

/// Codes one signal after another; has scratch memory, so use one per thread.
class SupportChain {
public:
    explicit SupportChain(const SupportCoding& coding);

    /// NaN marks missing entries of the signal. Values that overflow give moments that are not finite.
    const CodeMoments& code(const Eigen::Ref<const Vec>& signal, DrawStream& draws);

private:
    void observe(const Eigen::Ref<const Vec>& signal);
    void sweep(DrawStream& draws);
    void step(DrawStream& draws);
    void set_noise(double variance);
    /// Begins the factor of the atoms that are on, adds one to it, and computes what further atoms need of that one.
    void factor_none();
    void factor_last(std::uint32_t atom);
    void finish_last();
    /// Mean and variance of the values that are on, from the factor.
    void solve(bool variances);
    [[nodiscard]] double log_probability() const;
    void record();

    const OnOffState& state_;
    const Vec& atom_var_;
    const PaddedGram& whole_gram_;
    SupportSchedule schedule_;
    double noise_var_, first_var_;  // of the model; where a search starts
    int steps_;                     // in a sweep
    std::size_t most_on_;

    // Of the signal: products of the atoms' observed entries.
    PaddedGram gappy_gram_;
    const PaddedGram* gram_;
    AlignedDoubles products_;  // with the signal
    double energy_ = 0.0, observed_ = 0.0;

    // Of the chain. A = D_z^T D_z + ridge I = L L^T, for the atoms z in `on_`.
    double noise_precision_ = 1.0, ridge_ = 1.0;
    std::vector<std::uint32_t> on_;
    std::vector<std::uint32_t> left_;           // those in the factor
    bool factored_ = false;                     // whether these are the same
    bool last_is_open_ = false;                 // whether finish_last() is still to come
    AlignedDoubles rows_;                       // L^-1 D_z^T D, one padded row per atom that is on
    AlignedDoubles residual_;                   // of each atom with what the others leave
    AlignedDoubles distance_;                   // squared, from their span, plus ridge
    std::vector<double> L_, t_;                 // row-major; L^-1 times the products with the signal
    std::vector<double> value_, var_, column_;  // of the entries that are on
    AlignedDoubles weight_;
    AlignedDoubles log_odds_;  // padded

    // Sums over the draws.
    double count_ = 0.0;
    Vec first_, sum_, sum_sq_, used_;
    CodeMoments moments_;
};

}  // namespace sbdl
