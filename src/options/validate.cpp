// What has to hold of the options of gibbs and vb.
#include "options/bound_check.hpp"

namespace sbdl {

void validate(const GibbsOptions& options) {
    for_each_field(options, BoundCheck<GibbsOptions>{"gibbs"});
    check_thinning("gibbs", options.thin, options.draws);
}

void validate(const VbOptions& options) {
    for_each_field(options, BoundCheck<VbOptions>{"vb"});
}

}  // namespace sbdl
