// The two presets. `standard` is the structs' defaults; `paper` takes away every addition to the method as printed.
#include "sbdl/options.hpp"

namespace sbdl {
namespace {

// What both of the paper's algorithms share: a = c = 1/2 and b = d = 1e-6 in the signals' own units, fixed from the
// first sweep to the last.
template <class Options>
void as_printed(Options& options) {
    options.code_shape = 0.5;
    options.code_rate = 1e-6;
    options.noise_shape = 0.5;
    options.noise_rate = 1e-6;
    options.own_units = false;
    options.second_look = false;
}

}  // namespace

GibbsOptions GibbsOptions::preset(Preset which, int atoms) {
    GibbsOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        as_printed(options);
        options.anneal_growth = 0.0;
        options.refresh_every = 0;
        options.update = DictionaryUpdate::sequential;
        options.atom_variance = 1.0;
        options.burn_in = 299;  // 300 sweeps in all, of which the last is the estimate
        options.draws = 1;
        options.thin = 1;
        options.average = false;
    }
    return options;
}

VbOptions VbOptions::preset(Preset which, int atoms) {
    VbOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        as_printed(options);
        options.update = DictionaryUpdate::joint;
        options.atom_variance = 1e8;
        options.start_sweeps = 0;
        options.sweeps = 300;
        options.tolerance = 1e-6;
    }
    return options;
}

}  // namespace sbdl
