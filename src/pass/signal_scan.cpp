#include "pass/signal_scan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/partition.hpp"
#include "base/state_archive.hpp"
#include "base/stop.hpp"
#include "kernels/kernel_set.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

/// Calls visit() with the values of each block of signals. With `missing` they are checked first.
void each_block(const SignalSource& source, std::optional<MissingValues> missing,
                const std::function<void(std::span<const double> values)>& visit) {
    std::vector<double> values(block_size * source.dim());
    for (const IndexRange range : Blocks(source.count(), block_size)) {
        look_for_stop();
        if (missing)
            read_checked(source, range, values.data(), *missing);
        else
            source.read(range.first, range.size, values.data());
        // There are many bit patterns of NaN; all of them mean the same, and must have the same hash.
        std::replace_if(
            values.begin(), values.end(), [](double value) { return std::isnan(value); },
            std::numeric_limits<double>::quiet_NaN());
        visit(std::span(values).first(range.size * source.dim()));
    }
}

/// The second read. Squares are taken relative to the largest value, so that they neither overflow nor underflow when
/// the units are very large or very small.
double mean_square(const SignalSource& source, SumOfSquares order, const SignalFacts& facts) {
    const bool by_signal = order == SumOfSquares::by_signal;
    double mean = 0.0;
    each_block(source, std::nullopt, [&](std::span<const double> values) {
        const std::size_t length = by_signal ? source.dim() : values.size();
        for (std::size_t start = 0; start < values.size(); start += length) {
            double sum = 0.0;
            for (const double value : values.subspan(start, length))
                if (!std::isnan(value)) sum += (value / facts.largest) * (value / facts.largest);
            mean += by_signal ? sum / facts.values : sum;
        }
    });
    return by_signal ? mean : mean / facts.values;
}

}  // namespace

SignalFacts look_at_signals(const SignalSource& source, MissingValues missing) {
    check_shape(source);
    SignalFacts facts;
    std::vector<char> column(source.dim(), 0);
    facts.hash = hash_bytes(nullptr, 0);
    std::size_t seen = 0;  // signals
    each_block(source, missing, [&](std::span<const double> values) {
        facts.hash = hash_bytes(values.data(), values.size_bytes(), facts.hash);
        for (std::size_t start = 0; start < values.size(); start += source.dim()) {
            bool any = false;
            for (std::size_t m = 0; m < source.dim(); ++m) {
                const double value = values[start + m];
                if (std::isnan(value)) continue;
                any = true;
                facts.values += 1.0;
                column[m] = 1;
                facts.largest = std::max(facts.largest, std::abs(value));
            }
            if (any)
                ++facts.signals;
            else if (!facts.first_empty)
                facts.first_empty = seen;
            ++seen;
        }
    });
    facts.columns = static_cast<std::size_t>(std::accumulate(column.begin(), column.end(), 0));
    facts.gaps = facts.values < static_cast<double>(source.count()) * static_cast<double>(source.dim());
    return facts;
}

SignalFacts scan_signals(const SignalSource& source, MissingValues missing, SumOfSquares order) {
    SignalFacts facts = look_at_signals(source, missing);
    if (facts.largest > 0.0) facts.root_mean_square = facts.largest * std::sqrt(mean_square(source, order, facts));
    return facts;
}

std::uint64_t hash_signals(const SignalSource& source) {
    std::uint64_t hash = hash_bytes(nullptr, 0);
    each_block(source, std::nullopt,
               [&](std::span<const double> values) { hash = hash_bytes(values.data(), values.size_bytes(), hash); });
    return hash;
}

}  // namespace sbdl
