// Sounds, columns and arrays: what is written is what is read, and files that are damaged or of another kind are named.
#include "sbdl/series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/signals/npy_bytes.hpp"

namespace sbdl {
namespace {

std::string number(std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
}

/// A WAV file made by hand.
std::string wave(std::uint32_t format, std::uint32_t channels, std::uint32_t bits, const std::string& data,
                 const std::string& before_data = "") {
    const std::uint32_t block = channels * bits / 8;
    const std::string chunk = number(format, 2) + number(channels, 2) + number(8000, 4) + number(8000 * block, 4) +
                              number(block, 2) + number(bits, 2);
    return "RIFF" + number(0, 4) + "WAVE" + "fmt " + number(16, 4) + chunk + before_data + "data" +
           number(static_cast<std::uint32_t>(data.size()), 4) + data;
}

class SeriesFile : public testing::Test {
protected:
    Series read(const std::string& name, const std::string& bytes, const std::string& column = "") {
        test::write_bytes(folder_ / name, bytes);
        return read_series(folder_ / name, column);
    }
    template <class Error>
    void rejects(const std::string& name, const std::string& bytes, std::initializer_list<std::string_view> words,
                 const std::string& column = "") {
        test::expect_error<Error>([&] { read(name, bytes, column); }, words);
    }

    test::TempFolder folder_;
};

TEST_F(SeriesFile, SamplesOfASoundAreOnTheScaleFromMinusOneToOne) {
    using Values = std::vector<double>;
    EXPECT_EQ(read("a.wav", wave(1, 1, 8, std::string("\x00\x80\xff", 3))).channels[0],
              (Values{-1.0, 0.0, 127.0 / 128.0}));
    EXPECT_EQ(read("a.wav", wave(1, 1, 16, number(0x8000, 2) + number(1, 2))).channels[0],
              (Values{-1.0, 1.0 / 32768.0}));
    EXPECT_EQ(read("a.wav", wave(1, 1, 24, number(0xffffff, 3) + number(0x400000, 3))).channels[0],
              (Values{-1.0 / 8388608.0, 0.5}));
    EXPECT_EQ(read("a.wav", wave(1, 1, 32, number(0xc0000000, 4))).channels[0], (Values{-0.5}));
    const Series floats = read("a.wav", wave(3, 1, 32, test::item_bytes<float>({2.5F, -1e-3F})));
    EXPECT_EQ(floats.channels[0], (Values{2.5, -1e-3F}));
    EXPECT_EQ(floats.rate, 8000U);
    EXPECT_EQ(floats.samples, SeriesSamples::f32);
}

TEST_F(SeriesFile, ChannelsAreSeparatedAndOtherPartsSkipped) {
    const std::string data = number(1, 2) + number(2, 2) + number(3, 2) + number(4, 2);
    const Series series = read("a.wav", wave(1, 2, 16, data, "LIST" + number(3, 4) + std::string("abc\0", 4)));
    ASSERT_EQ(series.channels.size(), 2U);
    EXPECT_EQ(series.channels[0], (std::vector<double>{1.0 / 32768, 3.0 / 32768}));
    EXPECT_EQ(series.channels[1], (std::vector<double>{2.0 / 32768, 4.0 / 32768}));
}

TEST_F(SeriesFile, ASoundIsWrittenInItsOwnSamples) {
    for (const SeriesSamples samples :
         {SeriesSamples::u8, SeriesSamples::s16, SeriesSamples::s24, SeriesSamples::s32, SeriesSamples::f32}) {
        Series series;
        series.rate = 44100;
        series.samples = samples;
        series.channels = {{0.5, -0.25, 0.0}, {-1.0, 0.75, 0.125}};
        write_series(folder_ / "b.wav", series);
        const Series again = read_series(folder_ / "b.wav");
        EXPECT_EQ(again.channels, series.channels);
        EXPECT_EQ(again.rate, 44100U);
        EXPECT_EQ(again.samples, samples);
    }
}

TEST_F(SeriesFile, LoudSamplesAreClipped) {
    Series series;
    series.rate = 8000;
    series.samples = SeriesSamples::s16;
    series.channels = {{1.5, -1.5, 0.4 / 32768, 0.6 / 32768}};
    write_series(folder_ / "b.wav", series);
    EXPECT_EQ(read_series(folder_ / "b.wav").channels[0],
              (std::vector<double>{32767.0 / 32768, -1.0, 0.0, 1.0 / 32768}));
}

TEST_F(SeriesFile, SoundsThatCannotBeReadAreNamed) {
    rejects<FileError>("a.wav", wave(0x55, 1, 16, "ab"), {"a.wav", "format 85 (MPEG)", "ffmpeg"});
    rejects<FileError>("a.wav", wave(1, 1, 12, "ab"), {"of 12 bits"});
    rejects<FileError>("a.wav", wave(3, 1, 64, "abcdefgh"), {"format 3 of 64 bits"});
    rejects<FileError>("a.wav", wave(1, 0, 16, "ab"), {"0 channels"});
    rejects<FileError>("a.wav", wave(1, 1, 16, ""), {"no samples"});
    rejects<FileError>("a.wav", "RIFX" + number(0, 4) + "WAVE", {"not a WAV file", "RIFX"});
    const std::string whole = wave(1, 1, 16, "abcd");
    rejects<FileError>("a.wav", whole.substr(0, whole.size() - 1), {"cut off", "4 bytes", "3 are left"});
    rejects<FileError>("a.wav", whole.substr(0, 20), {"cut off"});
    rejects<FileError>("a.wav", "RIFF" + number(0, 4) + "WAVE" + "data" + number(2, 4) + "ab", {"before their format"});
    rejects<InputError>("a.wav", whole, {"no column", "left"}, "left");
}

TEST_F(SeriesFile, ASoundThroughAPipeEndsWhereTheFileEnds) {
    std::string bytes = wave(1, 1, 16, "abcd");
    bytes.replace(bytes.size() - 8, 4, number(0xffffffff, 4));
    EXPECT_EQ(read("a", bytes).channels[0].size(), 2U);
    EXPECT_EQ(series_ending(folder_ / "a"), ".wav");
}

TEST_F(SeriesFile, AColumnIsChosenByNameOrNumber) {
    const std::string table = "time,ecg\n0,1.5\n0.1,2.5\n";
    const Series named = read("a.csv", table, "ecg");
    EXPECT_EQ(named.channels[0], (std::vector<double>{1.5, 2.5}));
    EXPECT_EQ(named.names, std::vector<std::string>{"ecg"});
    EXPECT_EQ(read("a.csv", table, "1").channels, named.channels);
    EXPECT_EQ(read("a.csv", "1 2\n3 4\n", "0").channels[0], (std::vector<double>{1, 3}));
    EXPECT_EQ(read("a.csv", "only\n7\n8\n").channels[0], (std::vector<double>{7, 8}));
    EXPECT_EQ(read("a.csv", ",0\n0,7.0\n1,8.0\n").channels[0], (std::vector<double>{7, 8}));
    // Nobody reads the other columns as numbers.
    EXPECT_EQ(read("a.csv", "when,mV\nMonday,1\nTuesday,2\n", "mV").channels[0], (std::vector<double>{1, 2}));
    EXPECT_TRUE(std::isnan(read("a.csv", "a,b\n1,2\n3,\n", "b").channels[0][1]));
}

TEST_F(SeriesFile, AColumnThatIsNotThereIsNamed) {
    rejects<InputError>("a.csv", "time,ecg\n0,1\n", {"a.csv", "'time', 'ecg'", "--column"});
    rejects<InputError>("a.csv", "1,2\n3,4\n", {"2 columns, counted from 0"});
    rejects<InputError>("a.csv", "time,ecg\n0,1\n", {"no column 'egc'", "'time', 'ecg'; did you mean 'ecg'?"}, "egc");
    rejects<InputError>("a.csv", "1,2\n3,4\n", {"no column '2'"}, "2");
    rejects<InputError>("a.csv", "a,b\n1,2\n3\n", {"a.csv:3", "1 values"}, "b");
    rejects<InputError>("a.csv", "a,b\n1,x\n", {"a.csv:2", "'x' is not a number"}, "b");
}

TEST_F(SeriesFile, TablesAndArraysKeepEveryDigit) {
    Series series;
    series.channels = {{0.1, -1e-7, 1e300}, {1.0 / 3.0, 2.0, 3.0}};
    series.names = {"a, b", "c"};
    write_series(folder_ / "b.csv", series);
    EXPECT_EQ(read_series(folder_ / "b.csv", "a, b").channels[0], series.channels[0]);
    EXPECT_EQ(read_series(folder_ / "b.csv", "c").channels[0], series.channels[1]);
    series.channels.pop_back();
    write_series(folder_ / "b.npy", series);
    EXPECT_EQ(read_series(folder_ / "b.npy").channels, series.channels);
    EXPECT_NE(test::read_bytes(folder_ / "b.npy").find("'shape': (3,)"), std::string::npos);
}

TEST_F(SeriesFile, OnlyAnArrayOfOneDimensionIsASignal) {
    const std::string data = test::item_bytes<float>({1, 2, 3, 4});
    EXPECT_EQ(read("a.npy", test::npy("<f4", "False", "(4,)", data)).samples, SeriesSamples::f32);
    EXPECT_EQ(series_ending(folder_ / "a.npy"), ".npy");
    test::write_bytes(folder_ / "b.npy", test::npy("<f4", "False", "(2, 2)", data));
    EXPECT_EQ(series_ending(folder_ / "b.npy"), "");
    test::expect_error<InputError>([&] { read_series(folder_ / "b.npy"); }, {"2 dimensions"});
    EXPECT_EQ(series_ending("a.png"), "");
}

TEST_F(SeriesFile, ASoundNeedsARate) {
    Series series;
    series.channels = {{1.0, 2.0}};
    test::expect_error<InputError>([&] { write_series(folder_ / "b.wav", series); }, {"b.wav", "sample rate"});
    test::expect_error<InputError>([&] { write_series(folder_ / "b.png", series); }, {"b.png", ".csv"});
    EXPECT_FALSE(std::filesystem::exists(folder_ / "b.wav"));
}

}  // namespace
}  // namespace sbdl
