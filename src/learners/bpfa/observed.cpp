#include "learners/bpfa/observed.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace sbdl {
namespace {

constexpr std::size_t signals_at_once = 256;

void each_signal(const SignalSource& source, const std::function<void(const Eigen::Ref<const Vec>&)>& visit) {
    const auto dim = static_cast<Eigen::Index>(source.dim());
    Mat block(dim, static_cast<Eigen::Index>(std::min(signals_at_once, source.count())));
    for (std::size_t first = 0; first < source.count(); first += signals_at_once) {
        const std::size_t count = std::min(signals_at_once, source.count() - first);
        source.read(first, count, block.data());
        for (std::size_t i = 0; i < count; ++i) visit(block.col(static_cast<Eigen::Index>(i)));
    }
}

}  // namespace

double Observed::root_mean_square() const {
    return largest > 0.0 ? largest * std::sqrt(mean_square) : 1.0;
}

Observed look_at(const SignalSource& source) {
    Observed observed;
    std::vector<char> column(source.dim(), 0);
    each_signal(source, [&](const Eigen::Ref<const Vec>& y) {
        bool any = false;
        for (Eigen::Index m = 0; m < y.size(); ++m) {
            if (std::isnan(y[m])) continue;
            any = true;
            observed.values += 1.0;
            column[static_cast<std::size_t>(m)] = 1;
            observed.largest = std::max(observed.largest, std::abs(y[m]));
        }
        if (any) ++observed.signals;
    });
    observed.gaps = observed.values < static_cast<double>(source.count()) * static_cast<double>(source.dim());
    observed.columns = static_cast<std::size_t>(std::count(column.begin(), column.end(), 1));
    if (observed.largest == 0.0) return observed;
    // Relative to the largest, so that squares of very large or very small units neither overflow nor vanish.
    each_signal(source, [&](const Eigen::Ref<const Vec>& y) {
        double sum = 0.0;
        for (const double value : y)
            if (!std::isnan(value)) sum += (value / observed.largest) * (value / observed.largest);
        observed.mean_square += sum / observed.values;
    });
    return observed;
}

Vec filled_signal(const ScaledSignals& signals, std::size_t l) {
    const Vec y = signals.signal(l);
    return y.array().isNaN().select(0.0, y.array());
}

}  // namespace sbdl
