// Batch-OMP (Rubinstein, Zibulevsky, Elad 2008): the Gram matrix once, then a progressive Cholesky factor for each
// signal, so that a signal costs one product with the dictionary and a few passes over the atoms.
//
// Internally, atoms have unit norm. With I the atoms picked so far and L L^T = G_II, the rows kept for a signal are
// those of Q = L^-1 G_I: the inner products of every atom with the picked atoms, orthonormalised in the order picked. A
// new atom adds a row, which updates the residual's correlations (alpha), its squared norm and, for ORMP, the squared
// distance of every atom from the span of the picked ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/aligned.hpp"
#include "base/compute_scope.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// Throws InputError unless there are atoms, not too many for BLAS, all finite. Messages begin with `coder`.
void check_dictionary(MatrixView dictionary, std::string_view coder);

class BatchOmp {
public:
    /// Atoms are rows. Throws InputError for a dictionary that is empty or not finite, and for invalid options. Neither
    /// limit needs to be set here: code() is given the error again.
    BatchOmp(MatrixView dictionary, const OmpOptions& options);
    BatchOmp(const BatchOmp&) = delete;
    BatchOmp& operator=(const BatchOmp&) = delete;
    ~BatchOmp() = default;

    /// Atoms in the order picked; values are for the atoms as they were given, of whatever norm. Valid until the
    /// Scratch is used again.
    struct Code {
        std::span<const std::uint32_t> atoms;
        std::span<const double> values;
        double residual2 = 0.0;  ///< squared norm
    };

    /// What one thread needs to code one signal after another without allocating.
    class Scratch;

    /// correlations: one inner product with each atom made unit-norm, in the order of atoms. signal_norm2: ||y||^2.
    /// Stops once the residual's squared norm is at most max_error2 (which replaces the options' max_error).
    ///
    /// If `signal` (dim entries) is given, a residual below about 1e-6 of it is computed in full. Otherwise such a
    /// residual is known only roughly, since it is the small difference of large numbers.
    Code code(std::span<const double> correlations, double signal_norm2, double max_error2, Scratch& scratch,
              const double* signal = nullptr) const;

    /// Correlations of `count` signals at once (one matrix product): out[i * atoms() + n].
    void correlate(const double* signals, std::size_t count, double* out) const {
        correlate(signals, count, out, atoms());
    }

    /// Inner product of two atoms made unit-norm.
    [[nodiscard]] double atom_product(std::size_t one, std::size_t other) const { return gram_row(one)[other]; }

    [[nodiscard]] std::size_t atoms() const { return norm_.size(); }
    [[nodiscard]] std::size_t dim() const { return dim_; }
    [[nodiscard]] double max_error() const { return options_.max_error; }
    /// No code has more atoms than this.
    [[nodiscard]] std::size_t most_nonzeros() const { return most_nonzeros_; }

private:
    [[nodiscard]] const double* gram_row(std::size_t atom) const { return gram_.data() + atom * stride_; }
    void correlate(const double* signals, std::size_t count, double* out, std::size_t out_stride) const;
    void solve(Scratch& scratch) const;
    double residual_from(const double* signal, Scratch& scratch) const;

    ComputeScope scope_;  // correlate() is called from many threads at once
    OmpOptions options_;
    std::size_t dim_;
    std::size_t stride_;  // of rows over the atoms: padded with zeros to whole vectors
    std::size_t most_nonzeros_;
    std::vector<double> norm_;   // of the atoms as given
    AlignedDoubles distance2_;   // of every atom before any is picked: 1, or 0 for a zero atom
    AlignedDoubles unit_atoms_;  // atoms x dim
    AlignedDoubles gram_;        // atoms x stride
};

class BatchOmp::Scratch {
public:
    explicit Scratch(const BatchOmp& omp);

private:
    friend class BatchOmp;
    AlignedDoubles alpha_;      // correlations of the residual with every atom
    AlignedDoubles distance2_;  // ORMP: squared distance of every atom from the span of the picked ones
    AlignedDoubles rows_;       // Q, picked x stride
    std::vector<std::uint32_t> picked_;
    std::vector<double> pivot_;     // diagonal of L
    std::vector<double> target_;    // L^-1 times the picked atoms' correlations with the signal
    std::vector<double> values_;    // L^-T target
    std::vector<double> factor_;    // the newest row of L
    std::vector<double> residual_;  // signal minus its approximation, when needed
};

/// Codes a block of signals: their correlations by one matrix product, then one code after the other. A signal whose
/// norm is within the allowed error has an empty code and is left out of the product; this is often more than half of
/// an image's patches. One thread uses it for block after block.
class OmpBlock {
public:
    /// For blocks of at most `capacity` signals. `omp` must outlive this.
    OmpBlock(const BatchOmp& omp, std::size_t capacity);

    /// Loads signals, one after the other; they are not copied and must not move or change while they are coded. A
    /// pursuit stops at a residual of squared norm max_error2, the same for all signals or one for each.
    void load(const double* signals, std::size_t count, double max_error2);
    void load(const double* signals, std::span<const double> max_error2);

    /// The code of signal i of the block, valid until the next one.
    BatchOmp::Code code(std::size_t i);

    [[nodiscard]] double norm2(std::size_t i) const { return norm2_[i]; }

private:
    void correlate();

    const BatchOmp& omp_;
    BatchOmp::Scratch scratch_;
    const double* signals_ = nullptr;
    std::vector<double> norm2_, max_error2_;
    std::vector<std::size_t> place_;            // of a signal among those in the product
    std::vector<double> large_, correlations_;  // the signals in the product, and its result
};

}  // namespace sbdl
