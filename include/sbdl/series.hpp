// One-dimensional signals in files: a sound (.wav), a column of a table (.csv, .txt), an array (.npy).
//
//     sbdl::Series sound = sbdl::read_series("noisy.wav");
//     sound.channels[0] = sbdl::denoise_signal(sound.channels[0]).signal;
//     sbdl::write_series("clean.wav", sound);
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sbdl {

/// How a file stores its samples: as whole numbers or floats, and of how many bits.
enum class SeriesSamples { u8, s16, s24, s32, f32, f64 };
constexpr std::array<std::string_view, 6> words_of(SeriesSamples) {
    return {"uint8", "int16", "int24", "int32", "float32", "float64"};
}

struct Series {
    /// All of one length. Whole numbers of a sound are divided by their full scale, so that they are -1 to 1.
    std::vector<std::vector<double>> channels;
    std::vector<std::string> names;  ///< of the channels; empty if they have none
    std::uint32_t rate = 0;          ///< samples per second; 0: not known
    SeriesSamples samples = SeriesSamples::f64;
};

/// The format of a file that holds a one-dimensional signal, as an extension: .wav, .csv or .npy; empty for other
/// files, such as arrays of several dimensions. The name decides, and for .npy and files without an extension the
/// content.
std::string_view series_ending(const std::filesystem::path& path);

/// Reads .wav (PCM of 8, 16, 24 and 32 bits, and floats of 32 bits), .csv, .txt, and .npy files of shape (n,). `column`
/// is the name or the number, counted from 0, of the column of a table, which is needed if there are several. Throws
/// FileError or InputError.
Series read_series(const std::filesystem::path& path, const std::string& column = {});

/// Throws InputError unless write_series() can write a signal like this to such a file.
void check_series_output(const std::filesystem::path& path, const Series& series);

/// Writes .wav, in the samples of the series, rounded and clipped; .csv or .txt, with a column for each channel; or
/// .npy of shape (n,), or (n, channels) if there are several. The file is written whole or not at all. Throws
/// FileError.
void write_series(const std::filesystem::path& path, const Series& series);

}  // namespace sbdl
