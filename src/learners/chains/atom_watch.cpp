#include "learners/chains/atom_watch.hpp"

#include <algorithm>
#include <cmath>

#include "diagnostics/assignment.hpp"

namespace sbdl {

AtomWatch::AtomWatch(const Mat& D, const std::vector<bool>& determined) {
    const bool none = std::find(determined.begin(), determined.end(), true) == determined.end();
    std::vector<int> candidates;
    for (int n = 0; n < static_cast<int>(D.cols()); ++n)
        if (none || determined[static_cast<std::size_t>(n)]) candidates.push_back(n);
    const std::size_t count = std::min(candidates.size(), most_watched);
    reference_ = Mat(D.rows(), static_cast<Eigen::Index>(count));
    const Mat unit = unit_columns(D);
    for (std::size_t k = 0; k < count; ++k) {
        atoms_.push_back(candidates[k * candidates.size() / count]);
        reference_.col(static_cast<Eigen::Index>(k)) = unit.col(atoms_.back());
    }
}

AtomWatch::AtomWatch(const Mat& D, const AtomWatch& first) : reference_(first.reference_) {
    const Mat cosine = (unit_columns(D).transpose() * reference_).cwiseAbs();  // column k: of the k-th reference
    const Matrix cost = to_rows((1.0 - cosine.array()).matrix());
    for (const std::ptrdiff_t atom : cheapest_assignment(cost)) atoms_.push_back(static_cast<int>(atom));
}

void AtomWatch::add(const Mat& D) {
    for (std::size_t k = 0; k < atoms_.size(); ++k) {
        const auto atom = D.col(atoms_[k]);
        const double norm = atom.stableNorm();
        const double product = std::abs(atom.dot(reference_.col(static_cast<Eigen::Index>(k))));
        cosines_.push_back(norm > 0.0 ? product / norm : 0.0);
    }
}

std::vector<double> AtomWatch::cosines(std::size_t k) const {
    std::vector<double> series;
    for (std::size_t i = k; i < cosines_.size(); i += atoms_.size()) series.push_back(cosines_[i]);
    return series;
}

void AtomWatch::archive(StateArchive& archive) {
    archive("reference", reference_);
    archive("atoms", atoms_);
    archive("cosines", cosines_);
}

}  // namespace sbdl
