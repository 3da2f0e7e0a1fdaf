#include "learners/sgd/sgd_learner.hpp"

#include <utility>

namespace sbdl {

SgdLearner::SgdLearner(Mat dictionary, std::uint64_t seen_before, std::function<double(double)> rate_at)
    : D_(std::move(dictionary)), seen_(static_cast<double>(seen_before)), rate_at_(std::move(rate_at)) {}

int SgdLearner::learn(const Mat& Y, const SparseCodes& codes) {
    Vec r(D_.rows());
    for (std::size_t l = 0; l < codes.count(); ++l, seen_ += 1.0) {
        r = Y.col(static_cast<Eigen::Index>(l));
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) r -= codes.value[k] * D_.col(codes.atom[k]);
        const double rate = rate_at_(seen_);
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) {
            auto atom = D_.col(codes.atom[k]);
            atom += (rate * codes.value[k]) * r;
            const double norm = atom.norm();
            if (norm > 0.0) atom /= norm;
        }
    }
    return 0;
}

}  // namespace sbdl
