// sbdl denoise for signals: sounds, columns, arrays; what they keep, and what is refused.
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "sbdl/series.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

class DenoiseSignalCli : public CliTest {
protected:
    /// A tone that comes and goes.
    static Series tone(std::size_t samples) {
        Series series;
        series.rate = 8000;
        series.samples = SeriesSamples::s16;
        std::vector<double>& channel = series.channels.emplace_back(samples);
        for (std::size_t i = 0; i < samples; ++i) {
            const double t = static_cast<double>(i) / 8000.0;
            channel[i] = 0.4 * std::sin(2.0 * std::numbers::pi * 440.0 * t) * std::pow(std::sin(20.0 * t), 2);
        }
        return series;
    }
    static Series with_noise(Series series, std::uint64_t seed = 3) {
        Numbers numbers(seed);
        for (std::vector<double>& channel : series.channels)
            for (double& sample : channel) sample += 0.05 * numbers.normal();
        return series;
    }
    void refuses(std::vector<std::string> arguments, const std::string& text) const {
        arguments.insert(arguments.begin(), "denoise");
        const Names before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.out;
        EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
        EXPECT_EQ(files(), before);
    }
    [[nodiscard]] std::vector<double> read_one(const std::string& name) const {
        return read_series(folder_ / name).channels.at(0);
    }
};

TEST_F(DenoiseSignalCli, ASoundKeepsItsRateItsSamplesAndItsChannels) {
    Series truth = tone(2000);
    truth.channels.push_back(truth.channels[0]);
    write_series(folder_ / "truth.wav", truth);
    write_series(folder_ / "noisy.wav", with_noise(truth));
    const nlohmann::json result = run_json(
        {"denoise", "noisy.wav", "-o", "clean.wav", "--clean", "truth.wav", "--std", "std.npy", "--atoms", "96"});
    const Series clean = read_series(folder_ / "clean.wav");
    EXPECT_EQ(clean.rate, 8000U);
    EXPECT_EQ(clean.samples, SeriesSamples::s16);
    ASSERT_EQ(clean.channels.size(), 2U);
    EXPECT_EQ(result.at("rate"), 8000);
    for (const nlohmann::json& channel : result.at("channels")) {
        EXPECT_NEAR(channel.at("noise_sd").get<double>(), 0.05, 0.005);
        EXPECT_GT(channel.at("snr_after").get<double>(), channel.at("snr_before").get<double>() + 5.0);
        EXPECT_GT(channel.at("within_2_std").get<double>(), 0.9);
    }
}

TEST_F(DenoiseSignalCli, AColumnAnArrayAndPipesGiveTheSame) {
    Series noisy = with_noise(tone(1000));
    noisy.rate = 0;
    noisy.samples = SeriesSamples::f64;
    write_series(folder_ / "noisy.npy", noisy);
    noisy.names = {"mV"};
    write_series(folder_ / "alone.csv", noisy);
    std::ofstream table(folder_ / "table.csv");
    table << "time,mV\n";
    table.precision(17);
    for (std::size_t i = 0; i < 1000; ++i) table << "noon," << noisy.channels[0][i] << '\n';
    table.close();
    const std::vector<std::string> same{"--atoms", "64", "-q"};
    const auto clean = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "denoise");
        arguments.insert(arguments.end(), same.begin(), same.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome;
    };
    clean({"noisy.npy", "-o", "clean.npy", "--std", "std.csv"});
    clean({"alone.csv", "-o", "clean.csv"});
    clean({"table.csv", "--column", "mV", "-o", "column.csv"});
    const Outcome piped = clean({"alone.csv", "-o", "-"});
    EXPECT_EQ(read_one("clean.npy"), read_one("clean.csv"));
    EXPECT_EQ(read_one("clean.npy"), read_one("column.csv"));
    EXPECT_EQ(read_series(folder_ / "column.csv").names, std::vector<std::string>{"mV"});
    EXPECT_EQ(read_one("std.csv").size(), 1000U);
    std::ifstream file(folder_ / "clean.csv");
    EXPECT_EQ(piped.out, std::string(std::istreambuf_iterator<char>(file), {}));
}

// The column is that of the noisy table; the truth may be a file of its own.
TEST_F(DenoiseSignalCli, TheTruthMayHaveASingleColumn) {
    const Series noisy = with_noise(tone(200));
    std::string table = "time,mV\n", alone = "clean\n";
    for (const double value : noisy.channels[0]) {
        table += "0," + std::to_string(value) + '\n';
        alone += std::to_string(value) + '\n';
    }
    write("table.csv", table);
    write("alone.csv", alone);
    for (const char* truth : {"table.csv", "alone.csv"})
        EXPECT_TRUE(
            run_json({"denoise", "table.csv", "--column", "mV", "-o", "c.csv", "--clean", truth, "--atoms", "16"})
                .at("channels")
                .at(0)
                .contains("snr_after"))
            << truth;
    write("other.csv", "a,b\n1,2\n");
    refuses({"table.csv", "--column", "mV", "-o", "d.csv", "--clean", "other.csv"}, "other.csv: has no column 'mV'");
}

TEST_F(DenoiseSignalCli, AModelIsWrittenAndUsedAgain) {
    write_series(folder_ / "noisy.wav", with_noise(tone(1000)));
    ASSERT_EQ(
        run({"denoise", "noisy.wav", "-o", "a.wav", "--window", "48", "--atoms", "64", "--save-model", "m.h5"}).status,
        0);
    const nlohmann::json again = run_json({"denoise", "noisy.wav", "-o", "b.wav", "--model", "m.h5"});
    EXPECT_EQ(again.at("method"), "model");
    EXPECT_EQ(again.at("options").at("window"), 48);
    EXPECT_EQ(read_one("a.wav"), read_one("b.wav"));
}

TEST_F(DenoiseSignalCli, WhatCannotBeDoneTakesOneLineAndLeavesNoFile) {
    write_series(folder_ / "noisy.wav", with_noise(tone(1000)));
    write("two.csv", "time,mV\n0,1\n1,2\n");
    write("short.csv", "1\n2\n3\n");
    write("mp3.wav", std::string("RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x55\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0", 36));
    std::string constant, broken;
    for (int i = 0; i < 200; ++i) {
        constant += "5\n";
        broken += i == 7 ? "nan\n" : std::to_string(i % 13) + "\n";
    }
    write("constant.csv", constant);
    write("broken.csv", broken);
    refuses({"two.csv", "-o", "c.csv"}, "two.csv: has the columns 'time', 'mV'");
    refuses({"two.csv", "-o", "c.csv", "--column", "mv"}, "has no column 'mv'");
    refuses({"short.csv", "-o", "c.csv"}, "short.csv: the signal has 3 samples, at least 128");
    refuses({"constant.csv", "-o", "c.csv"}, "constant.csv: the signal is constant: every sample is 5");
    refuses({"broken.csv", "-o", "c.csv"}, "broken.csv: sample 7 (counted from 0) is nan");
    refuses({"mp3.wav", "-o", "c.wav"}, "format 85 (MPEG)");
    refuses({"short.csv", "-o", "c.wav"}, "samples");
    refuses({"broken.csv", "-o", "c.png"}, "broken.csv");
    refuses({"noisy.wav", "-o", "c.png"}, "c.png");
    refuses({"noisy.wav", "-o", "c.wav", "--recipe", "paper"}, "--recipe does not apply to signals");
    refuses({"noisy.wav", "-o", "c.wav", "--report", "p.html"}, "--report does not apply to signals");
    refuses({"noisy.wav", "-o", "c.wav", "--patch", "4"}, "--patch does not apply to signals");
    refuses({"noisy.wav", "-o", "c.wav", "--window", "4"}, "--window is 4, must be");
    refuses({"noisy.wav", "-o", "c.wav", "--clean", "short.csv"}, "short.csv: has 3 samples");
    refuses({"noisy.wav", "-o", "noisy.wav"}, "noisy.wav");
    ASSERT_EQ(run({"synth", "-o", "image", "--image", "16x16", "-q"}).status, 0);
    refuses({"image/noisy.tif", "-o", "c.tif", "--column", "1"}, "--column applies only to signals");
}

}  // namespace
}  // namespace sbdl::test
