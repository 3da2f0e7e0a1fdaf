// Split R-hat and effective sample size of one scalar over several chains.
#pragma once

#include <vector>

namespace sbdl {

/// The potential scale reduction of the halved chains. NaN with fewer than 4 draws per chain or without variance.
double split_rhat(const std::vector<std::vector<double>>& chains);

/// The effective number of independent draws over all chains (Geyer's initial monotone sequence). NaN as above.
double effective_sample_size(const std::vector<std::vector<double>>& chains);

}  // namespace sbdl
