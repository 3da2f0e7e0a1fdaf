// One pass over an incomplete image with a dictionary: the patch as it is estimated so far says which atoms it uses and
// how strongly, and the posterior of the codes given the observed samples says the rest.
#pragma once

#include <functional>

#include "inpaint/fill_state.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

struct DictionaryFillSetting {
    MatrixView dictionary;  ///< atoms of unit norm; patches over all planes, the mean of each plane subtracted
    std::size_t patch = 8;  ///< side, in pixels
    std::size_t stride = 1;
    double error = 0.0;  ///< a patch's code ends when this is the root mean square of what it leaves
    double left = 0.0;   ///< standard deviation that samples have beside what a code describes
    int threads = 1;
    /// Called when a row of patches is finished, from any thread, but from one at a time.
    std::function<void(double share)> progress = {};
};

void dictionary_fill(FillState& state, const DictionaryFillSetting& setting);

}  // namespace sbdl
