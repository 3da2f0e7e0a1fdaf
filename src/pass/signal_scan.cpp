#include "pass/signal_scan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/partition.hpp"
#include "base/state_archive.hpp"
#include "base/stop.hpp"
#include "kernels/kernel_set.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

std::uint64_t hash_values(std::span<const double> values) {
    return hash_bytes(values.data(), values.size_bytes());
}

/// A hash of the hashes of blocks of signals, so that ranks can hash their own.
std::uint64_t joined_hash(RankGroup& ranks, std::vector<std::uint64_t> blocks) {
    blocks = ranks.joined(std::move(blocks));
    return hash_bytes(blocks.data(), blocks.size() * sizeof(std::uint64_t));
}

/// Reads signals one after another, block by block.
class BlockReader {
public:
    /// With `missing` values are checked.
    BlockReader(const SignalSource& source, std::optional<MissingValues> missing)
        : source_(source), missing_(missing), blocks_(source.count(), block_size), values_(block_size * source.dim()) {}

    [[nodiscard]] std::size_t number() const { return blocks_.number(); }

    std::span<const double> read(std::size_t block) {
        look_for_stop();
        const IndexRange range = blocks_[block];
        if (missing_)
            read_checked(source_, range, values_.data(), *missing_);
        else
            source_.read(range.first, range.size, values_.data());
        // There are many bit patterns of NaN; all of them mean the same, and must have the same hash.
        std::replace_if(
            values_.begin(), values_.end(), [](double value) { return std::isnan(value); },
            std::numeric_limits<double>::quiet_NaN());
        return std::span(values_).first(range.size * source_.dim());
    }

    /// Calls visit() with the values of each of these blocks.
    void each(const IndexRange& blocks, const std::function<void(std::span<const double> values)>& visit) {
        for (std::size_t block = blocks.first; block < blocks.end(); ++block) visit(read(block));
    }

private:
    const SignalSource& source_;
    std::optional<MissingValues> missing_;
    Blocks blocks_;
    std::vector<double> values_;
};

/// The second read. Squares are taken relative to the largest value, so that they neither overflow nor underflow when
/// the units are very large or very small.
double mean_square(const SignalSource& source, SumOfSquares order, const SignalFacts& facts, RankGroup& ranks) {
    const bool by_signal = order == SumOfSquares::by_signal;
    std::vector<double> sums;
    BlockReader reader(source, std::nullopt);
    reader.each(ranks.my_part(reader.number()), [&](std::span<const double> values) {
        const std::size_t length = by_signal ? source.dim() : values.size();
        for (std::size_t start = 0; start < values.size(); start += length) {
            double sum = 0.0;
            for (const double value : values.subspan(start, length))
                if (!std::isnan(value)) sum += (value / facts.largest) * (value / facts.largest);
            sums.push_back(sum);
        }
    });
    double mean = 0.0;
    for (const double sum : ranks.joined(std::move(sums))) mean += by_signal ? sum / facts.values : sum;
    return by_signal ? mean : mean / facts.values;
}

/// Facts of parts of the signals, as those of the whole.
void join_facts(RankGroup& ranks, SignalFacts& facts, std::vector<char>& column) {
    if (ranks.alone()) return;
    const std::vector<SignalFacts> all = ranks.joined(std::vector{facts});
    const std::vector<char> columns = ranks.joined(column);
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i] != 0) column[i % column.size()] = 1;
    facts = {};
    for (const SignalFacts& part : all) {
        facts.largest = std::max(facts.largest, part.largest);
        facts.values += part.values;
        facts.signals += part.signals;
        if (!facts.first_empty) facts.first_empty = part.first_empty;
    }
}

}  // namespace

SignalFacts look_at_signals(const SignalSource& source, MissingValues missing, RankGroup ranks) {
    check_shape(source);
    require_same_signals(source, ranks);
    SignalFacts facts;
    std::vector<char> column(source.dim(), 0);
    std::vector<std::uint64_t> hashes;
    BlockReader reader(source, missing);
    const IndexRange mine = ranks.my_part(reader.number());
    std::size_t seen = mine.first * block_size;  // signals
    reader.each(mine, [&](std::span<const double> values) {
        hashes.push_back(hash_values(values));
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
    join_facts(ranks, facts, column);
    facts.hash = joined_hash(ranks, std::move(hashes));
    facts.columns = static_cast<std::size_t>(std::accumulate(column.begin(), column.end(), 0));
    facts.gaps = facts.values < static_cast<double>(source.count()) * static_cast<double>(source.dim());
    return facts;
}

SignalFacts scan_signals(const SignalSource& source, MissingValues missing, SumOfSquares order, RankGroup ranks) {
    SignalFacts facts = look_at_signals(source, missing, ranks);
    if (facts.largest > 0.0)
        facts.root_mean_square = facts.largest * std::sqrt(mean_square(source, order, facts, ranks));
    return facts;
}

IndexRange scanned_part(const RankGroup& ranks, int rank, std::size_t signals) {
    const Blocks blocks(signals, block_size);
    const IndexRange part = ranks.part_of(rank, blocks.number());
    return {0, blocks.first(part.first), blocks.first(part.end()) - blocks.first(part.first)};
}

std::size_t scanned_blocks(std::size_t signals) {
    return Blocks(signals, block_size).number();
}

bool any_missing(const SignalSource& source) {
    std::vector<double> values(block_size * source.dim());
    for (const IndexRange range : Blocks(source.count(), block_size)) {
        look_for_stop();
        source.read(range.first, range.size, values.data());
        const auto read = std::span(values).first(range.size * source.dim());
        if (std::ranges::any_of(read, [](double value) { return std::isnan(value); })) return true;
    }
    return false;
}

std::uint64_t hash_signals(const SignalSource& source) {
    std::vector<std::uint64_t> hashes;
    BlockReader reader(source, std::nullopt);
    reader.each({0, 0, reader.number()},
                [&](std::span<const double> values) { hashes.push_back(hash_values(values)); });
    RankGroup alone;
    return joined_hash(alone, std::move(hashes));
}

}  // namespace sbdl
