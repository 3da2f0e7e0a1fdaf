// The counterpart of CodePass for learners with sparse codes. It codes all signals of a share by Batch-OMP once per
// sweep, with the dictionary fixed. The results are the codes, the residuals, and which signals use which atom.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/linalg.hpp"
#include "pass/signal_share.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

struct SparsePass {
    SparseCodes codes;
    Mat residual;  ///< dim x signals: Y - D X
};

/// The pursuit of signals / unit, for a sparsity or an error given in the signals' own units.
OmpOptions pursuit_until(std::optional<int> sparsity, std::optional<double> max_error, double unit);

/// Codes the signals with the atoms in the columns of D. Each signal is read once. Signals are worked on in blocks, on
/// up to `threads` threads, which do not change the result. `pass` is overwritten, and its memory reused.
void code_signals(const SignalShare& signals, const Mat& D, const OmpOptions& options, int threads, SparsePass& pass);
/// The same for some of the signals, with the same codes: the whole of each of their blocks is read.
void code_signals(const SignalShare& signals, const IndexRange& some, const Mat& D, const OmpOptions& options,
                  int threads, SparsePass& pass);
/// The signals that this reads.
IndexRange whole_pursuit_blocks(const IndexRange& some, std::size_t signals);

/// Joins the codes of consecutive blocks of signals in `all`, replacing its contents.
void join_codes(const std::vector<SparseCodes>& blocks, SparseCodes& all);

/// Atoms in a signal's code, on average.
inline double mean_nonzeros(const SparseCodes& codes) {
    return static_cast<double>(codes.atom.size()) / static_cast<double>(codes.count());
}

/// The codes by atom: for each atom, the signals that use it, in order; those in each part of the signals, too.
class AtomUsers {
public:
    struct Use {
        std::uint64_t signal;
        std::size_t entry;  ///< index into SparseCodes::value
    };

    /// Afterwards the values of the codes may change, but not their atoms.
    explicit AtomUsers(const SparseCodes& codes) : AtomUsers(codes, Parts(codes.count(), 1)) {}
    AtomUsers(const SparseCodes& codes, const Partition& signals);

    [[nodiscard]] std::span<const Use> of(std::size_t atom) const { return between(atom * parts_, parts_); }
    [[nodiscard]] std::span<const Use> of(std::size_t atom, std::size_t part) const {
        return between(atom * parts_ + part, 1);
    }

private:
    [[nodiscard]] std::span<const Use> between(std::size_t first, std::size_t lists) const {
        return std::span(uses_).subspan(start_[first], start_[first + lists] - start_[first]);
    }

    std::size_t parts_;
    std::vector<std::size_t> start_;  // of the list of each atom and part
    std::vector<Use> uses_;
};

}  // namespace sbdl
