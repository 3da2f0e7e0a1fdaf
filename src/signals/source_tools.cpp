#include "signals/source_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <system_error>
#include <vector>

#include "base/file_present.hpp"
#include "base/linalg.hpp"
#include "base/printable.hpp"
#include "base/rank_group.hpp"
#include "base/state_archive.hpp"
#include "base/stop.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/ranks.hpp"

namespace sbdl {

namespace fs = std::filesystem;

namespace {

/// In vector code, for the usual case: zero times a value is zero unless the value is infinite or NaN.
bool all_finite(std::span<const double> values) {
    return (0.0 * Eigen::Map<const Vec>(values.data(), static_cast<Eigen::Index>(values.size()))).sum() == 0.0;
}

/// How many to read for a check: at most a megabyte.
std::size_t signals_at_once(const SignalSource& source) {
    constexpr std::size_t block_values = std::size_t{1} << 17;
    return std::clamp<std::size_t>(block_values / source.dim(), 1, source.count());
}

}  // namespace

void check_range(const SignalSource& source, std::size_t first, std::size_t how_many) {
    if (first > source.count() || how_many > source.count() - first) {
        throw InputError(fmt::format("{}: {} signals from {} on were requested, but there are {}", source.name(),
                                     how_many, first, source.count()));
    }
}

void check_shape(const SignalSource& source) {
    if (source.count() == 0) throw InputError(fmt::format("{}: there are no signals (0 rows)", source.name()));
    if (source.dim() == 0) throw InputError(fmt::format("{}: the signals have no entries (0 columns)", source.name()));
}

bool read_checked(const SignalSource& source, const IndexRange& signals, double* out, MissingValues missing) {
    source.read(signals.first, signals.size, out);
    const std::span<const double> values(out, signals.size * source.dim());
    if (all_finite(values)) return false;
    const bool may_miss = missing == MissingValues::allowed;
    const auto bad = std::find_if(values.begin(), values.end(), [may_miss](double value) {
        return !std::isfinite(value) && !(may_miss && std::isnan(value));
    });
    if (bad == values.end()) return true;
    const auto at = static_cast<std::size_t>(bad - values.begin());
    reject_value(source, signals.first + at / source.dim(), at % source.dim(), *bad);
}

void reject_value(const SignalSource& source, std::size_t row, std::size_t column, double value) {
    std::string note;
    if (std::isnan(value)) {
        std::vector<std::string_view> learn;
        for (const Method& method : methods())
            if (method.can.missing) learn.push_back(method.name);
        note = fmt::format(
            " (NaN marks a missing value. Only {} can learn from such signals; to code them, use the coder posterior "
            "with a model of one of these methods, or the coder omp)",
            fmt::join(learn, ", "));
    }
    throw InputError(fmt::format("{}: row {}, column {} (counted from 0) is {}; signals must be finite{}",
                                 source.name(), row, column, value, note));
}

void check_signals(const SignalSource& source, MissingValues missing, const Ranks* ranks, EmptySignals empty) {
    check_shape(source);
    const std::size_t block = signals_at_once(source);
    std::vector<double> values(block * source.dim());
    const Blocks blocks(source.count(), block);
    const IndexRange mine = part_of_rank(ranks, ranks == nullptr ? 0 : ranks->mine(), blocks.number());
    for (std::size_t i = mine.first; i < mine.end(); ++i) {
        const IndexRange rows = blocks[i];
        look_for_stop();
        const bool gaps = read_checked(source, rows, values.data(), missing);
        if (gaps && empty == EmptySignals::refuse) check_any_observed(source, rows, values.data());
    }
}

void require_same_signals(const SignalSource& source, RankGroup& ranks) {
    if (ranks.alone()) return;
    const std::size_t some = std::min<std::size_t>(source.count(), 128), ahead = source.count() - some;
    // Where a rank has no signals of its own, somebody has given each of them what it has, of one set.
    const bool own_files = ranks.sharers() == static_cast<std::size_t>(ranks.count());
    const std::size_t places = own_files ? std::min<std::size_t>(18, Blocks(source.count(), 128).number()) : 2;
    std::vector<double> values(some * source.dim());
    std::uint64_t seen = hash_bytes(nullptr, 0);
    for (std::size_t place = 0; place < places; ++place) {
        source.read(places == 1 ? 0 : ahead * place / (places - 1), some, values.data());
        seen = hash_bytes(values.data(), values.size() * sizeof(double), seen);
    }
    const std::array<std::uint64_t, 3> all{source.count(), source.dim(), seen};
    ranks.require_same(hash_bytes(all.data(), sizeof all), fmt::format("other signals in {}", source.name()));
}

void require_same_coding(const SignalSource& source, MatrixView dictionary, RankGroup& ranks) {
    if (ranks.alone()) return;
    ranks.require_same_program();
    require_same_signals(source, ranks);
    ranks.require_same(hash_bytes(dictionary.data, dictionary.rows * dictionary.cols * sizeof(double)), "other atoms");
}

void check_any_observed(const SignalSource& source, const IndexRange& signals, const double* values) {
    for (std::size_t row = signals.first; row < signals.end(); ++row, values += source.dim())
        if (std::all_of(values, values + source.dim(), [](double value) { return std::isnan(value); }))
            throw InputError(fmt::format("{}: every entry of row {} (counted from 0) is missing", source.name(), row));
}

void check_readable(const fs::path& path) {
    check_present(path);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) throw FileError(fmt::format("{}: is a folder, not a file", path.string()));
    if (!fs::is_regular_file(status)) throw FileError(fmt::format("{}: is not a plain file", path.string()));
    if (fs::file_size(path, error) == 0 && !error) throw FileError(fmt::format("{}: the file is empty", path.string()));
}

std::string lower_case_extension(const fs::path& path) {
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    return extension;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t most_shown = 40;
    return fmt::format("'{}{}'", printable(text.substr(0, most_shown)), text.size() > most_shown ? "..." : "");
}

void OwnedSource::read(std::size_t first, std::size_t how_many, double* out) const {
    check_range(*this, first, how_many);
    std::copy_n(values_.data() + first * dim_, how_many * dim_, out);
}

void MemorySource::read(std::size_t first, std::size_t how_many, double* out) const {
    check_range(*this, first, how_many);
    std::copy_n(rows_.data + first * rows_.cols, how_many * rows_.cols, out);
}

MaskedSource::MaskedSource(const SignalSource& signals, const SignalSource& mask) : signals_(signals), mask_(mask) {
    if (mask.count() != signals.count() || mask.dim() != signals.dim())
        throw InputError(fmt::format("{}: the mask is {} x {}, must be {} x {} like the signals of {}", mask.name(),
                                     mask.count(), mask.dim(), signals.count(), signals.dim(), signals.name()));
}

void MaskedSource::read(std::size_t first, std::size_t how_many, double* out) const {
    std::vector<double> observed(how_many * dim());
    mask_.read(first, how_many, observed.data());
    signals_.read(first, how_many, out);
    for (std::size_t i = 0; i < observed.size(); ++i) {
        if (observed[i] == 0.0)
            out[i] = std::numeric_limits<double>::quiet_NaN();
        else if (observed[i] != 1.0)
            throw InputError(
                fmt::format("{}: row {}, column {} (counted from 0) is {}, must be 0 (missing) or 1 (observed)",
                            mask_.name(), first + i / dim(), i % dim(), observed[i]));
    }
}

}  // namespace sbdl
