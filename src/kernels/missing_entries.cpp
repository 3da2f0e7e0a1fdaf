#include "kernels/missing_entries.hpp"

#include <cmath>

#include "random/stream.hpp"

namespace sbdl {

CompletedSignals complete_signals(const BlockView& view, const GibbsSweep& sweep, const Eigen::Ref<const Mat>& x) {
    const Mat& D = *sweep.dictionary;
    const auto count = static_cast<Eigen::Index>(view.count);
    const Mat made = D * x;
    CompletedSignals completed{Eigen::Map<const Mat>(view.signals, D.rows(), count), Mat::Zero(D.rows(), count)};
    for (Eigen::Index l = 0; l < count; ++l) {
        DrawStream normals(sweep.seed, {Purpose::missing_entry, sweep.sweep, sweep.chain,
                                        view.first_signal + static_cast<std::size_t>(l)});
        for (Eigen::Index m = 0; m < D.rows(); ++m) {
            if (!std::isnan(completed.signals(m, l))) continue;
            completed.signals(m, l) = made(m, l);
            completed.noise(m, l) = normals.normal();
        }
    }
    return completed;
}

}  // namespace sbdl
