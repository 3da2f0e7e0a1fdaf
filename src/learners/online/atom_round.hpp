// What the atoms lack while they move one after the other. With A = sum x x^T and B = sum y x^T, atom n needs
//
//     b_n - D a_n = (b_n - D' a_n) - sum_{k < n} (d_k - d'_k) A_kn
//
// where D' are the atoms before the round. The first term needs no other atom's new place, so threads compute it for
// different atoms at once. The sum is half as much work: a group of atoms that has moved is subtracted from all later
// groups by matrix products, one per thread and group, and within a group atoms follow one another in vector code.
#pragma once

#include <vector>

#include "base/aligned.hpp"
#include "base/linalg.hpp"
#include "base/partition.hpp"

namespace sbdl {

class AtomRound {
public:
    /// Atoms are columns of D.
    explicit AtomRound(const Mat& D);
    AtomRound(const AtomRound&) = delete;
    AtomRound& operator=(const AtomRound&) = delete;
    ~AtomRound() = default;

    /// The groups in which begin() takes the atoms.
    [[nodiscard]] const Blocks& groups() const { return groups_; }

    /// Begins a round for a group of atoms. Threads may do this for different groups at once.
    void begin(const IndexRange& group, const Mat& D, const Mat& A, const Mat& B);

    /// b_n - D a_n for the atoms as they are now. Once every group has begun, ask for the atoms in their order, and
    /// call moved() for each before the next.
    Eigen::Map<const Vec> lacking(Eigen::Index n, const Mat& A, int threads);

    /// Atom n has moved by `step`.
    void moved(Eigen::Index n, const Eigen::Ref<const Vec>& step) { columns(steps_).col(n) = step; }

private:
    using Columns = Eigen::Map<Mat, 0, Eigen::OuterStride<>>;
    Columns columns(AlignedDoubles& values) {
        return {values.data(), dim_, static_cast<Eigen::Index>(groups_.count()), Eigen::OuterStride<>(padded_)};
    }

    /// Subtracts what a group of atoms has moved from all later groups.
    void pass_on(std::size_t group, const Mat& A, int threads);

    Eigen::Index dim_, padded_;
    Blocks groups_;
    AlignedDoubles lacking_, steps_;  // a column per atom, padded with zeros for the vector code
    std::vector<const double*> step_of_;
};

}  // namespace sbdl
