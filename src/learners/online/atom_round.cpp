#include "learners/online/atom_round.hpp"

#include "base/parallel.hpp"
#include "base/products.hpp"
#include "coders/atom_passes.hpp"

namespace sbdl {
namespace {

constexpr std::size_t group_atoms = 16;
constexpr std::size_t groups_at_once = 4;  // that a thread corrects by one product

}  // namespace

AtomRound::AtomRound(const Mat& D)
    : dim_(D.rows()),
      padded_(static_cast<Eigen::Index>(padded_atoms(static_cast<std::size_t>(D.rows())))),
      groups_(static_cast<std::size_t>(D.cols()), group_atoms),
      lacking_(static_cast<std::size_t>(padded_ * D.cols()), 0.0),
      steps_(lacking_.size(), 0.0) {
    for (Eigen::Index n = 0; n < D.cols(); ++n) step_of_.push_back(steps_.data() + n * padded_);
}

void AtomRound::begin(const IndexRange& group, const Mat& D, const Mat& A, const Mat& B) {
    const auto first = static_cast<Eigen::Index>(group.first), count = static_cast<Eigen::Index>(group.size);
    auto lacking = columns(lacking_).middleCols(first, count);
    lacking = B.middleCols(first, count);
    multiply(D, A.middleCols(first, count), lacking, -1.0, 1.0);
}

Eigen::Map<const Vec> AtomRound::lacking(Eigen::Index n, const Mat& A, int threads) {
    const std::size_t mine = static_cast<std::size_t>(n) / group_atoms;
    const auto first = static_cast<Eigen::Index>(groups_[mine].first);
    if (n == first && mine > 0) pass_on(mine - 1, A, threads);
    double* const column = lacking_.data() + n * padded_;
    subtract_rows(step_of_.data() + first, A.col(n).data() + first, static_cast<std::size_t>(n - first),
                  static_cast<std::size_t>(padded_), column);
    return {column, dim_};
}

void AtomRound::pass_on(std::size_t group, const Mat& A, int threads) {
    const auto start = [this](std::size_t g) { return static_cast<Eigen::Index>(groups_.first(g)); };
    const Eigen::Index first = start(group), size = start(group + 1) - first;
    const auto steps = columns(steps_).middleCols(first, size);
    parallel_for(Blocks(groups_.number() - group - 1, groups_at_once), threads, [&](const IndexRange& some, int) {
        const Eigen::Index later = start(group + 1 + some.first), count = start(group + 1 + some.end()) - later;
        multiply(steps, A.block(first, later, size, count), columns(lacking_).middleCols(later, count), -1.0, 1.0);
    });
}

}  // namespace sbdl
