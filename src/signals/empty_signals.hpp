// Signals without any observed entry: left out of a source, or there as zeros.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/rank_group.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// Throws the InputError about signals none of which has an observed entry.
[[noreturn]] void reject_all_missing(const SignalSource& source);

/// The warning that some of the signals are ignored.
std::string ignored_text(std::size_t empty, std::size_t signals);

/// The signals of a source that have an observed entry, numbered without gaps. The source must outlive this.
class ObservedSignals final : public SignalSource {
public:
    /// Reads all signals once, and checks them as check_signals() does; each rank a part, but all of them must be able
    /// to read all signals later.
    ObservedSignals(const SignalSource& source, RankGroup ranks);

    [[nodiscard]] std::size_t count() const override { return source_.count() - empty_.size(); }
    [[nodiscard]] std::size_t dim() const override { return source_.dim(); }
    void read(std::size_t first, std::size_t how_many, double* out) const override;
    [[nodiscard]] std::string name() const override { return source_.name(); }

    /// How many others the source has.
    [[nodiscard]] std::size_t empty() const { return empty_.size(); }
    /// The number here of a signal of the source; none: it is empty.
    [[nodiscard]] std::optional<std::size_t> number_of(std::size_t row) const;
    /// One row for each signal of the source: those of its empty ones are zero. Nothing stays nothing.
    [[nodiscard]] Matrix with_empty(const Matrix& rows) const;

private:
    const SignalSource& source_;
    std::vector<std::size_t> empty_;   // their numbers in the source
    std::vector<std::size_t> before_;  // how many signals that are not empty precede each of them
};

/// All signals of a source, with zeros in those that have no observed entry: for work on each signal by itself, whose
/// result for these is then set aside. The source must outlive this.
class ZeroedSignals final : public SignalSource {
public:
    explicit ZeroedSignals(const SignalSource& source) : source_(source) {}

    [[nodiscard]] std::size_t count() const override { return source_.count(); }
    [[nodiscard]] std::size_t dim() const override { return source_.dim(); }
    void read(std::size_t first, std::size_t how_many, double* out) const override;
    [[nodiscard]] std::string name() const override { return source_.name(); }

    /// Whether a signal that was read before has no observed entry.
    [[nodiscard]] bool was_empty(std::size_t row) const;

private:
    const SignalSource& source_;
    mutable std::mutex mutex_;
    mutable std::set<std::size_t> empty_;  // of those that were read
};

}  // namespace sbdl
