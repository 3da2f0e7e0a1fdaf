// Chooses the format of a one-dimensional signal's file, and reads and writes arrays and tables.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <fstream>
#include <span>
#include <string_view>

#include "base/atomic_file.hpp"
#include "sbdl/error.hpp"
#include "sbdl/series.hpp"
#include "signals/mapped_file.hpp"
#include "signals/npy_header.hpp"
#include "signals/readers.hpp"
#include "signals/source_tools.hpp"
#include "signals/wave_file.hpp"

namespace sbdl {
namespace {

enum class SeriesFormat { none, wave, table, array };

SeriesFormat format_of_name(const std::filesystem::path& path) {
    const std::string extension = lower_case_extension(path);
    if (extension == ".wav" || extension == ".wave") return SeriesFormat::wave;
    if (extension == ".csv" || extension == ".txt") return SeriesFormat::table;
    return extension == ".npy" ? SeriesFormat::array : SeriesFormat::none;
}

/// Of a pipe, which has no name that says what comes through it. All images but PGM and PPM, which begin with P2 to P6,
/// have a zero byte near their beginning.
SeriesFormat format_of_content(const std::filesystem::path& path) {
    std::array<char, 512> buffer{};
    std::ifstream file(path, std::ios::binary);
    file.read(buffer.data(), buffer.size());
    const std::string_view start(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (start.starts_with("RIFF")) return SeriesFormat::wave;
    if (start.starts_with("\x93NUMPY")) return SeriesFormat::array;
    const bool image = start.size() > 1 && start[0] == 'P' && start[1] >= '1' && start[1] <= '7';
    const bool text = !start.empty() && !image && start.find('\0') == std::string_view::npos;
    return text ? SeriesFormat::table : SeriesFormat::none;
}

SeriesFormat format_of(const std::filesystem::path& path) {
    return lower_case_extension(path).empty() ? format_of_content(path) : format_of_name(path);
}

Series read_array(const std::filesystem::path& path) {
    const MappedFile file(path);
    const NpyArray array = parse_npy_array(file.bytes(), path.string());
    if (array.shape.size() != 1)
        throw InputError(
            fmt::format("{}: the array has {} dimensions; a signal has one", path.string(), array.shape.size()));
    Series series;
    series.samples =
        array.kind == ItemKind::floating && array.item_bytes == 4 ? SeriesSamples::f32 : SeriesSamples::f64;
    series.channels.emplace_back(array.shape[0]);
    conversion_for(array.kind, array.item_bytes, array.big_endian)(file.bytes().data() + array.data_offset,
                                                                   array.shape[0], series.channels[0].data(), 1);
    return series;
}

Series read_table(const std::filesystem::path& path, const std::string& column) {
    CsvColumn found = read_csv_column(path, column);
    Series series;
    series.channels.push_back(std::move(found.values));
    if (!found.name.empty()) series.names.push_back(std::move(found.name));
    return series;
}

void write_array(AtomicFile& file, const Series& series) {
    const std::size_t channels = series.channels.size(), count = series.channels[0].size();
    const bool floats = series.samples == SeriesSamples::f32;
    std::vector<std::size_t> shape{count};
    if (channels > 1) shape.push_back(channels);
    const std::string order = std::endian::native == std::endian::big ? ">" : "<";
    const std::string header = make_npy_header(order + (floats ? "f4" : "f8"), shape);
    file.write(std::as_bytes(std::span(header)));
    std::vector<double> doubles;
    std::vector<float> singles;
    for (std::size_t i = 0; i < count; ++i)
        for (const std::vector<double>& channel : series.channels)
            floats ? singles.push_back(static_cast<float>(channel[i])) : doubles.push_back(channel[i]);
    file.write(floats ? std::as_bytes(std::span(singles)) : std::as_bytes(std::span(doubles)));
}

void write_table(AtomicFile& file, const Series& series) {
    std::string text;
    for (std::size_t c = 0; c < series.names.size(); ++c) {
        const bool quotes = series.names[c].find_first_of(",; \t") != std::string::npos;
        text += fmt::format("{}{}{}{}", c > 0 ? "," : "", quotes ? "\"" : "", series.names[c], quotes ? "\"" : "");
    }
    if (!text.empty()) text += '\n';
    for (std::size_t i = 0; i < series.channels[0].size(); ++i) {
        for (std::size_t c = 0; c < series.channels.size(); ++c)
            text += fmt::format("{}{}", c > 0 ? "," : "", series.channels[c][i]);
        text += '\n';
    }
    file.write(std::as_bytes(std::span(text)));
}

}  // namespace

std::string_view series_ending(const std::filesystem::path& path) {
    const SeriesFormat format = format_of(path);
    if (format == SeriesFormat::wave) return ".wav";
    if (format == SeriesFormat::table) return ".csv";
    if (format == SeriesFormat::none) return {};
    check_readable(path);
    const MappedFile file(path);
    return parse_npy_array(file.bytes(), path.string()).shape.size() == 1 ? ".npy" : "";
}

Series read_series(const std::filesystem::path& path, const std::string& column) {
    check_readable(path);
    const SeriesFormat format = format_of(path);
    if (!column.empty() && format != SeriesFormat::table)
        throw InputError(fmt::format("{}: there is no column {}: only .csv and .txt have columns", path.string(),
                                     sbdl::quoted(column)));
    if (format == SeriesFormat::wave) return decode_wave(MappedFile(path).bytes(), path.string());
    if (format == SeriesFormat::table) return read_table(path, column);
    if (format == SeriesFormat::array) return read_array(path);
    throw InputError(fmt::format("{}: signals are read from .wav, .csv, .txt and .npy files", path.string()));
}

void check_series_output(const std::filesystem::path& path, const Series& series) {
    const SeriesFormat format = format_of_name(path);
    if (format == SeriesFormat::none)
        throw InputError(fmt::format("{}: a signal is written to a .wav, .csv, .txt or .npy file", path.string()));
    if (format == SeriesFormat::wave && (series.rate == 0 || series.samples == SeriesSamples::f64))
        throw InputError(fmt::format(
            "{}: a .wav file needs a sample rate, which only a .wav file gives; write .csv or .npy", path.string()));
}

void write_series(const std::filesystem::path& path, const Series& series) {
    check_series_output(path, series);
    AtomicFile file(path);
    switch (format_of_name(path)) {
        case SeriesFormat::wave:
            file.write(encode_wave(series, path.string()));
            break;
        case SeriesFormat::array:
            write_array(file, series);
            break;
        default:
            write_table(file, series);
            break;
    }
    file.commit();
}

}  // namespace sbdl
