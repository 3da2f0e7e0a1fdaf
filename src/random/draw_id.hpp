// What a random number is for. Together with the seed this is the complete state: the number is a pure function of
// both, so it does not depend on threads, on the order of work, or on how many numbers were drawn before.
#pragma once

#include <cstdint>

namespace sbdl {

enum class Purpose : std::uint32_t {
    code = 1,              // u and e of the code draw (docs/math.md, G1)
    code_precision,        // alpha (G2)
    noise_precision,       // gamma (G3)
    dictionary,            // atoms (G4)
    initial_atoms,         // which signals start as atoms
    synth_dictionary = 7,  // 6 is free
    synth_support,
    synth_weight,
    synth_noise,
    test,
    reestimation_support,
    reestimation_value,
    trial_seed,     // seeds of the trials of an experiment
    online_order,   // online learning: which signals start as atoms, and the order of a pass
    image_layout,   // where the objects in a synthetic image are
    image_texture,  // what their surfaces look like
    image_noise,
    denoising_trial_seed,  // seeds of the trials with noisy images
    sparse_start,          // which signals start as atoms of learners with sparse codes
    risk_probe,            // the known noise that shows how an estimate follows the noise
    apru_order,            // the order in which APrU-DL updates the atoms of a round
    bpfa_start,            // which signals start as atoms of BPFA
    bpfa_support,          // which code entries are nonzero
    bpfa_value,            // their values
    bpfa_atom,
    bpfa_shared,     // probabilities of atoms, precisions
    on_off_support,  // the same of the kept sweeps of gibbs
    on_off_value,
    on_off_shared,
    restart_support,  // codes that begin anew
    restart_value,
    restart_choice,  // whether they replace the present ones
    missing_entry,   // missing entries of the signals given their codes
    synth_missing,   // which entries of synthetic signals are missing
    code_support     // which atoms a signal uses, of the posterior coder
};

struct DrawId {
    Purpose purpose;
    std::uint32_t sweep = 0;   // below 2^24
    std::uint32_t chain = 0;   // below 2^16
    std::uint64_t signal = 0;  // below 2^48; the global number of the signal (or of the atom, for draws per atom)
};

}  // namespace sbdl
