// Is every entry of every signal a finite number, or known to be missing? Streams, so that a file larger than memory
// can be checked too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

void check_signals(const SignalSource& source, MissingValues missing) {
    const std::size_t count = source.count();
    const std::size_t dim = source.dim();
    if (count == 0) throw InputError(fmt::format("{}: there are no signals (0 rows)", source.name()));
    if (dim == 0) throw InputError(fmt::format("{}: the signals have no entries (0 columns)", source.name()));

    constexpr std::size_t block_values = std::size_t{1} << 17;
    const std::size_t block = std::clamp<std::size_t>(block_values / dim, 1, count);
    std::vector<double> values(block * dim);
    for (std::size_t first = 0; first < count; first += block) {
        const std::size_t rows = std::min(block, count - first);
        source.read(first, rows, values.data());
        const auto end = values.begin() + static_cast<std::ptrdiff_t>(rows * dim);
        const bool may_miss = missing == MissingValues::allowed;
        const auto bad = std::find_if(values.begin(), end, [may_miss](double value) {
            return !std::isfinite(value) && !(may_miss && std::isnan(value));
        });
        if (bad == end) continue;
        const auto at = static_cast<std::size_t>(bad - values.begin());
        throw InputError(fmt::format("{}: row {}, column {} (counted from 0) is {}; signals must be finite{}",
                                     source.name(), first + at / dim, at % dim, *bad,
                                     std::isnan(*bad) ? " (only method bpfa takes missing values)" : ""));
    }
}

}  // namespace sbdl
