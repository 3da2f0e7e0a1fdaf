// What several sources share: signals owned in memory, the checks of a range and of values, and the check of a file
// before opening it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sbdl/signals.hpp"

namespace sbdl {

/// Throws InputError unless signals first ... first + how_many - 1 exist.
void check_range(const SignalSource& source, std::size_t first, std::size_t how_many);

/// The parts of check_signals(), for those who read all signals anyway and check them as they come: are there any, and
/// are these, signals `first` and on, numbers?
void check_shape(const SignalSource& source);
void check_values(const SignalSource& source, std::size_t first, std::span<const double> values,
                  MissingValues missing = MissingValues::refused);

/// Throws FileError for a file that is missing, empty, a folder or otherwise no plain file.
void check_readable(const std::filesystem::path& path);

/// Text from a file as it may stand in a message: in quotes, cut after a few characters, odd bytes as \xNN.
std::string quoted(std::string_view text);

/// Signals read from a file once and kept.
class OwnedSource final : public SignalSource {
public:
    /// `values` are count x dim, one signal after the other.
    OwnedSource(std::vector<double> values, std::size_t count, std::size_t dim, std::string name);
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

}  // namespace sbdl
