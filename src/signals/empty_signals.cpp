#include "signals/empty_signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/partition.hpp"
#include "base/stop.hpp"
#include "sbdl/error.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

constexpr std::size_t read_at_once = 128;

bool has_no_entry(const double* values, std::size_t dim) {
    return std::all_of(values, values + dim, [](double value) { return std::isnan(value); });
}

}  // namespace

void reject_all_missing(const SignalSource& source) {
    throw InputError(fmt::format("{}: every entry of every signal is missing", source.name()));
}

std::string ignored_text(std::size_t empty, std::size_t signals) {
    return fmt::format(
        "{} of {} signals have no observed entry and are ignored; their codes and reconstructions are zero", empty,
        signals);
}

ObservedSignals::ObservedSignals(const SignalSource& source, RankGroup ranks) : source_(source) {
    check_shape(source);
    require_same_signals(source, ranks);
    std::vector<double> values(read_at_once * source.dim());
    const Blocks blocks(source.count(), read_at_once);
    const IndexRange mine = ranks.my_part(blocks.number());
    for (std::size_t i = mine.first; i < mine.end(); ++i) {
        look_for_stop();
        const IndexRange rows = blocks[i];
        if (!read_checked(source, rows, values.data(), MissingValues::allowed)) continue;
        for (std::size_t l = 0; l < rows.size; ++l)
            if (has_no_entry(values.data() + l * source.dim(), source.dim())) empty_.push_back(rows.first + l);
    }
    empty_ = ranks.joined(std::move(empty_));
    for (std::size_t k = 0; k < empty_.size(); ++k) before_.push_back(empty_[k] - k);
}

void ObservedSignals::read(std::size_t first, std::size_t how_many, double* out) const {
    check_range(*this, first, how_many);
    while (how_many > 0) {
        const auto passed = static_cast<std::size_t>(std::ranges::upper_bound(before_, first) - before_.begin());
        const std::size_t run = passed == before_.size() ? how_many : std::min(how_many, before_[passed] - first);
        source_.read(first + passed, run, out);
        first += run;
        how_many -= run;
        out += run * dim();
    }
}

std::optional<std::size_t> ObservedSignals::number_of(std::size_t row) const {
    const auto next = std::ranges::lower_bound(empty_, row);
    if (next != empty_.end() && *next == row) return std::nullopt;
    return row - static_cast<std::size_t>(next - empty_.begin());
}

Matrix ObservedSignals::with_empty(const Matrix& rows) const {
    if (rows.empty()) return {};
    Matrix all(source_.count(), rows.cols());
    for (std::size_t row = 0; row < all.rows(); ++row)
        if (const auto number = number_of(row)) std::ranges::copy(rows.row(*number), all.row(row).begin());
    return all;
}

void ZeroedSignals::read(std::size_t first, std::size_t how_many, double* out) const {
    source_.read(first, how_many, out);
    for (std::size_t row = first; row < first + how_many; ++row, out += dim()) {
        if (!has_no_entry(out, dim())) continue;
        std::fill_n(out, dim(), 0.0);
        const std::scoped_lock lock(mutex_);
        empty_.insert(row);
    }
}

bool ZeroedSignals::was_empty(std::size_t row) const {
    const std::scoped_lock lock(mutex_);
    return empty_.contains(row);
}

}  // namespace sbdl
