// What the loop over a stream needs of a method: a dictionary that follows the batches.
#pragma once

#include "base/linalg.hpp"
#include "base/state_archive.hpp"
#include "sbdl/model.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// In the learner's own units.
class StreamLearner {
public:
    StreamLearner() = default;
    StreamLearner(const StreamLearner&) = delete;
    StreamLearner& operator=(const StreamLearner&) = delete;
    virtual ~StreamLearner() = default;

    /// Learns from the columns of Y, coded with the dictionary as it is now. Returns the number of atoms replaced.
    virtual int learn(const Mat& Y, const SparseCodes& codes) = 0;

    /// Puts an atom of unit norm in the place of another.
    virtual void replace(Eigen::Index atom, const Vec& by) = 0;

    /// Columns of unit norm.
    [[nodiscard]] virtual const Mat& dictionary() const = 0;

    /// What a later run needs to go on, but for the number of signals seen.
    [[nodiscard]] virtual StreamState state() const = 0;

    /// All that changes while it learns.
    virtual void archive(StateArchive& archive) = 0;
};

}  // namespace sbdl
