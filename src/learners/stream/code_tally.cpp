#include "learners/stream/code_tally.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl {
namespace {

constexpr double rounding = 1e-10;  // a residual below this, where signals have a root mean square of 1

}  // namespace

void CodeTally::add(const Mat& Y, const SparseCodes& codes) {
    signals_ += static_cast<double>(codes.count());
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
    entries_ += static_cast<double>(codes.atom.size());
}

double CodeTally::residual_rms(Eigen::Index dim) const {
    return std::sqrt(residual2_ / (signals_ * static_cast<double>(dim)));
}

void CodeTally::offer(double residual, const Eigen::Ref<const Vec>& signal) {
    if (!(residual > rounding) || (worst_.size() == most_worst && residual <= worst_.back().residual)) return;
    if (worst_.size() == most_worst) worst_.pop_back();
    const auto place = std::find_if(worst_.begin(), worst_.end(),
                                    [residual](const Worst& other) { return other.residual < residual; });
    worst_.insert(place, {residual, signal});
}

void CodeTally::archive(StateArchive& archive) {
    archive("signals", signals_);
    archive("entries", entries_);
    archive("residual2", residual2_);
    archive("users", users_);
    archive("sizes", sizes_);
    archive("energy", energy_);
}

}  // namespace sbdl
