// Checks that every entry of every signal is finite, or missing where that is allowed. Reads block by block, so that a
// file larger than memory can be checked too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/linalg.hpp"
#include "base/partition.hpp"
#include "sbdl/error.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

/// In vector code, for the usual case: zero times a value is zero unless the value is infinite or NaN.
bool all_finite(std::span<const double> values) {
    return (0.0 * Eigen::Map<const Vec>(values.data(), static_cast<Eigen::Index>(values.size()))).sum() == 0.0;
}

}  // namespace

void check_shape(const SignalSource& source) {
    if (source.count() == 0) throw InputError(fmt::format("{}: there are no signals (0 rows)", source.name()));
    if (source.dim() == 0) throw InputError(fmt::format("{}: the signals have no entries (0 columns)", source.name()));
}

void read_checked(const SignalSource& source, const IndexRange& signals, double* out, MissingValues missing) {
    source.read(signals.first, signals.size, out);
    const std::span<const double> values(out, signals.size * source.dim());
    if (all_finite(values)) return;
    const bool may_miss = missing == MissingValues::allowed;
    const auto bad = std::find_if(values.begin(), values.end(), [may_miss](double value) {
        return !std::isfinite(value) && !(may_miss && std::isnan(value));
    });
    if (bad == values.end()) return;
    const auto at = static_cast<std::size_t>(bad - values.begin());
    throw InputError(fmt::format("{}: row {}, column {} (counted from 0) is {}; signals must be finite{}",
                                 source.name(), signals.first + at / source.dim(), at % source.dim(), *bad,
                                 std::isnan(*bad) ? " (only method bpfa takes missing values)" : ""));
}

void check_signals(const SignalSource& source, MissingValues missing) {
    check_shape(source);
    constexpr std::size_t block_values = std::size_t{1} << 17;
    const std::size_t block = std::clamp<std::size_t>(block_values / source.dim(), 1, source.count());
    std::vector<double> values(block * source.dim());
    for (const IndexRange& rows : Blocks(source.count(), block)) read_checked(source, rows, values.data(), missing);
}

}  // namespace sbdl
