#include "coders/lasso_block.hpp"

namespace sbdl {

void LassoBlock::load(const PaddedGram& gram, const Mat& D, const ConstBlock& Y) {
    gram_ = &gram;
    correlations_.assign(gram.padded() * static_cast<std::size_t>(Y.cols()), 0.0);
    Eigen::Map<Mat> correlations(correlations_.data(), static_cast<Eigen::Index>(gram.padded()), Y.cols());
    multiply_transposed(D, Y, correlations.topRows(D.cols()));
}

bool LassoBlock::code(Eigen::Index i, double lambda, const Lasso::Stop& stop, SparseCodes& codes) {
    entries_.clear();
    lasso_.begin(*gram_, lambda, stop);
    const bool settled = lasso_.code(correlations_.data() + static_cast<std::size_t>(i) * gram_->padded(), entries_);
    for (const Lasso::Entry& entry : entries_) {
        codes.atom.push_back(entry.atom);
        codes.value.push_back(entry.value);
    }
    return settled;
}

}  // namespace sbdl
