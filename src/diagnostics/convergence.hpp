// Split R-hat and effective sample size of one scalar over several chains.
#pragma once

#include <vector>

namespace sbdl {

/// Each chain is halved, then the usual potential scale reduction. NaN with fewer than 4 draws a chain or without
/// variance.
double split_rhat(const std::vector<std::vector<double>>& chains);

/// Effective number of independent draws over all chains (Geyer's initial monotone sequence). NaN as above.
double effective_sample_size(const std::vector<std::vector<double>>& chains);

}  // namespace sbdl
