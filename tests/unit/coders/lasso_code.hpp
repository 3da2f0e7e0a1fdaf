// Codes one signal by the lasso, set-up included.
#pragma once

#include <vector>

#include "coders/lasso.hpp"

namespace sbdl::test {

struct LassoCode {
    Vec x;
    Vec slope;  ///< D^T (y - D x), as the coder leaves it
};

inline LassoCode lasso_code(const PaddedGram& gram, const Vec& correlations, double lambda, Lasso& lasso) {
    AlignedDoubles left(gram.padded(), 0.0);
    std::copy_n(correlations.data(), gram.atoms(), left.data());
    std::vector<Lasso::Entry> entries;
    lasso.begin(gram, lambda, {});
    lasso.code(left.data(), entries);
    LassoCode code{Vec::Zero(correlations.size()), Eigen::Map<const Vec>(left.data(), correlations.size())};
    for (const Lasso::Entry& entry : entries) code.x[entry.atom] = entry.value;
    return code;
}

inline LassoCode lasso_code(const Mat& D, const Vec& y, double lambda) {
    Lasso lasso;
    return lasso_code(PaddedGram(D), D.transpose() * y, lambda, lasso);
}

}  // namespace sbdl::test
