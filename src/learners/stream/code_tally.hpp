// Statistics of the codes of a stream since the tally was last cleared.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/linalg.hpp"
#include "base/state_archive.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

class CodeTally {
public:
    explicit CodeTally(std::size_t atoms) : users_(atoms, 0), energy_(Vec::Zero(static_cast<Eigen::Index>(atoms))) {}

    void add(const Mat& Y, const SparseCodes& codes) {
        signals_ += static_cast<double>(codes.count());
        entries_ += static_cast<double>(codes.atom.size());
        for (std::size_t k = 0; k < codes.atom.size(); ++k) {
            ++users_[codes.atom[k]];
            energy_[codes.atom[k]] += codes.value[k] * codes.value[k];
        }
        for (std::size_t l = 0; l < codes.count(); ++l) {
            residual2_ += codes.residual_norm[l] * codes.residual_norm[l];
            const std::size_t size = codes.start[l + 1] - codes.start[l];
            if (size >= sizes_.size()) sizes_.resize(size + 1, 0);
            ++sizes_[size];
            offer(codes.residual_norm[l], Y.col(static_cast<Eigen::Index>(l)));
        }
    }

    [[nodiscard]] double residual2() const { return residual2_; }
    [[nodiscard]] double mean_nonzeros() const { return entries_ / signals_; }
    [[nodiscard]] double residual_rms(Eigen::Index dim) const {
        return std::sqrt(residual2_ / (signals_ * static_cast<double>(dim)));
    }
    [[nodiscard]] const std::vector<int>& users() const { return users_; }
    /// Entry k: how many signals have k atoms in their code.
    [[nodiscard]] const std::vector<int>& sizes() const { return sizes_; }
    [[nodiscard]] Vec usage() const { return (energy_ / signals_).cwiseSqrt(); }
    [[nodiscard]] bool any() const { return entries_ > 0.0; }

    struct Worst {
        double residual;
        Vec signal;
    };
    /// The signals represented worst, worst first.
    [[nodiscard]] const std::vector<Worst>& worst() const { return worst_; }

    /// Everything except worst(), which is only used in the sweep that found it.
    void archive(StateArchive& archive) {
        archive("signals", signals_);
        archive("entries", entries_);
        archive("residual2", residual2_);
        archive("users", users_);
        archive("sizes", sizes_);
        archive("energy", energy_);
    }

private:
    void offer(double residual, const Eigen::Ref<const Vec>& signal) {
        constexpr double rounding = 1e-10;  // a residual below this, where signals have a root mean square of 1
        constexpr std::size_t most = 8;
        if (!(residual > rounding) || (worst_.size() == most && residual <= worst_.back().residual)) return;
        if (worst_.size() == most) worst_.pop_back();
        const auto place = std::find_if(worst_.begin(), worst_.end(),
                                        [residual](const Worst& other) { return other.residual < residual; });
        worst_.insert(place, {residual, signal});
    }

    double signals_ = 0.0, entries_ = 0.0, residual2_ = 0.0;
    std::vector<int> users_, sizes_;
    Vec energy_;
    std::vector<Worst> worst_;
};

}  // namespace sbdl
