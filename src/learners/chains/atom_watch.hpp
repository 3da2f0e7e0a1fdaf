// The directions of a few atoms in each kept sweep, as numbers that chains can be compared by: the cosine of each with
// a fixed reference, without its sign, which the model does not determine. A cosine with one draw moves with the atom
// along that draw's deviation from the mean; one with the mean would only tell how far the atom is from it.
//
// All chains must have the same references. They are the first chain's atoms at the start of its kept sweeps; every
// other chain watches those of its atoms that match them.
#pragma once

#include <vector>

#include "base/linalg.hpp"
#include "base/state_archive.hpp"

namespace sbdl {

class AtomWatch {
public:
    AtomWatch() = default;
    /// Of the first chain: at most `most_watched` of the atoms that are determined, evenly spread. Of all atoms if none
    /// is, as before the first sweep.
    AtomWatch(const Mat& D, const std::vector<bool>& determined);
    /// Of another chain: the atoms of D that are closest to those `first` watches.
    AtomWatch(const Mat& D, const AtomWatch& first);

    static constexpr std::size_t most_watched = 8;

    void add(const Mat& D);
    [[nodiscard]] std::size_t atoms() const { return atoms_.size(); }
    /// The column of D of the k-th watched atom.
    [[nodiscard]] std::size_t atom(std::size_t k) const { return static_cast<std::size_t>(atoms_[k]); }
    /// Of the k-th watched atom, one for each sweep that was added.
    [[nodiscard]] std::vector<double> cosines(std::size_t k) const;

    void archive(StateArchive& archive);

private:
    Mat reference_;                // unit columns
    std::vector<int> atoms_;       // the column of D for each of them
    std::vector<double> cosines_;  // of all atoms, sweep after sweep
};

}  // namespace sbdl
