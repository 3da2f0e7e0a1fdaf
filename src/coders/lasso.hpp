// The lasso, min 0.5 ||y - D x||^2 + lambda ||x||_1, by an active-set method.
//
// With the active atoms A and the signs s of their values fixed, the minimum is at G_AA x_A = c_A - lambda s, c = D^T
// y. From the best x of an active set, the atom whose correlation with the residual exceeds lambda most is added, and
// the values move towards the new minimum; an atom whose value reaches zero on the way is removed. The objective falls
// at every move, and the end is a minimum whatever the signs were on the way. Few atoms are ever active at once, so a
// signal costs a few passes over its correlations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/aligned.hpp"
#include "base/linalg.hpp"
#include "base/partition.hpp"
#include "base/products.hpp"
#include "base/small_system.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// D^T D with rows padded for the vector code (atom_passes.hpp). Computed by BLAS.
class PaddedGram {
public:
    PaddedGram() = default;
    explicit PaddedGram(const Mat& D) { assign(D); }

    void assign(const Mat& D) {
        for (const IndexRange& block : begin(D)) fill(D, block);
    }

    /// The same in two steps: after begin(), threads may fill the blocks that it returns, each once.
    Blocks begin(const Mat& D);
    void fill(const Mat& D, const IndexRange& block) noexcept;
    /// That of the same atoms in another order: `first`, those after it, then those before it.
    void assign_turned(const PaddedGram& gram, std::size_t first);

    [[nodiscard]] std::size_t atoms() const { return atoms_; }
    [[nodiscard]] std::size_t dim() const { return dim_; }
    [[nodiscard]] std::size_t padded() const { return padded_; }
    [[nodiscard]] const double* row(std::size_t atom) const { return rows_.data() + atom * padded_; }

private:
    std::size_t atoms_ = 0, dim_ = 0, padded_ = 0;
    AlignedDoubles rows_;
};

/// Codes one signal after another; has scratch memory, so use one per thread.
class Lasso {
public:
    struct Entry {
        std::uint32_t atom;
        double value;
    };

    struct Stop {
        double tolerance = 1e-3;  ///< of lambda: how far a slope may be from its value at the minimum
        std::size_t steps = 0;    ///< at most; 0: ten times the entries of a signal
    };

    /// The atoms and the weight, above 0, for the signals that follow. The Gram matrix must outlive their codes.
    void begin(const PaddedGram& gram, double lambda, const Stop& stop);

    /// correlations = D^T y, padded with zeros and aligned like a row of the Gram matrix; afterwards D^T (y - D x). The
    /// nonzero entries are appended to `out`. Returns whether the minimum was reached within the steps.
    bool code(double* correlations, std::vector<Entry>& out);

private:
    [[nodiscard]] bool is_active(std::uint32_t atom) const;
    [[nodiscard]] bool active_settled(const double* correlations, double slack) const;
    void enter(std::uint32_t atom, double sign);
    std::optional<std::size_t> move(double* correlations);
    void leave(std::size_t place);
    void factor_from(std::size_t place);

    const PaddedGram* gram_ = nullptr;
    double lambda_ = 0.0;
    Stop stop_;
    // The active atoms, their values, signs and rows of the Gram matrix, in the order they were added.
    std::vector<std::uint32_t> active_;
    std::vector<double> value_, sign_, step_;
    std::vector<const double*> row_;
    SmallSystem system_;  // G_AA
};

/// Codes a block of signals: their correlations by one matrix product, then one code after the other. One thread uses
/// it for block after block.
class LassoBlock {
public:
    /// Loads the columns of Y, to be coded with the columns of D, whose Gram matrix is `gram`. All three must outlive
    /// the calls of code().
    void load(const PaddedGram& gram, const Mat& D, const ConstBlock& Y);

    /// Appends the code of column i. Returns whether it is at the minimum.
    bool code(Eigen::Index i, double lambda, const Lasso::Stop& stop, SparseCodes& codes);

private:
    const PaddedGram* gram_ = nullptr;
    Lasso lasso_;
    AlignedDoubles correlations_;
    std::vector<Lasso::Entry> entries_;
};

}  // namespace sbdl
