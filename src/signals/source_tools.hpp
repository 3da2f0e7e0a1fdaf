// What several sources share: signals owned in memory, checks of a range and of values, and checks of a file before it
// is opened.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/partition.hpp"
#include "base/rank_group.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// Throws InputError unless signals first ... first + how_many - 1 exist.
void check_range(const SignalSource& source, std::size_t first, std::size_t how_many);

/// Throws InputError unless all ranks have the same signals: as many, of the same length, with the same values of the
/// first and the last 128 and of 16 times 128 between these. If a rank has no signals of its own, only of the first and
/// the last.
void require_same_signals(const SignalSource& source, RankGroup& ranks);
/// The same, and the same program and atoms to code them with.
void require_same_coding(const SignalSource& source, MatrixView dictionary, RankGroup& ranks);

/// The two parts of check_signals(), for code that reads all signals anyway and checks them as they come: are there any
/// signals, and are the values of these signals finite? read_checked() returns whether any value is missing.
void check_shape(const SignalSource& source);
bool read_checked(const SignalSource& source, const IndexRange& signals, double* out,
                  MissingValues missing = MissingValues::rejected);

/// Throws InputError when every entry of one of the signals, whose values these are, is missing.
void check_any_observed(const SignalSource& source, const IndexRange& signals, const double* values);

/// Throws the InputError about a value that is not accepted.
[[noreturn]] void reject_value(const SignalSource& source, std::size_t row, std::size_t column, double value);

/// Throws FileError unless the path is a plain file that is not empty.
void check_readable(const std::filesystem::path& path);

/// The extension of a file, such as ".npy", in lower case.
std::string lower_case_extension(const std::filesystem::path& path);

/// Text from a file, made safe for a message: printable(), in quotes, cut after a few characters.
std::string quoted(std::string_view text);

/// Signals read from a file once and kept.
class OwnedSource final : public SignalSource {
public:
    /// `values` are count x dim, one signal after the other.
    OwnedSource(std::vector<double> values, std::size_t count, std::size_t dim, std::string name)
        : values_(std::move(values)), count_(count), dim_(dim), name_(std::move(name)) {}
    [[nodiscard]] std::size_t count() const override { return count_; }
    [[nodiscard]] std::size_t dim() const override { return dim_; }
    void read(std::size_t first, std::size_t how_many, double* out) const override;
    [[nodiscard]] std::string name() const override { return name_; }

private:
    std::vector<double> values_;
    std::size_t count_;
    std::size_t dim_;
    std::string name_;
};

/// Some neighbouring signals of a source, as a source of their own.
class RangeSource final : public SignalSource {
public:
    /// Signals first ... first + count - 1, which must exist. `source` must outlive this.
    RangeSource(const SignalSource& source, std::size_t first, std::size_t count)
        : source_(source), first_(first), count_(count) {}
    [[nodiscard]] std::size_t count() const override { return count_; }
    [[nodiscard]] std::size_t dim() const override { return source_.dim(); }
    void read(std::size_t first, std::size_t how_many, double* out) const override {
        source_.read(first_ + first, how_many, out);
    }
    [[nodiscard]] std::string name() const override { return source_.name(); }

private:
    const SignalSource& source_;
    std::size_t first_, count_;
};

}  // namespace sbdl
