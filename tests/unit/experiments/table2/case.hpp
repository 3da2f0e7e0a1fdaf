// A small Table II run for tests: two tiny images in a folder, and a made-up denoiser whose scores depend on the task
// alone, so that files, resuming, averages and reports can be checked exactly.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/table2/table2.hpp"
#include "sbdl/error.hpp"
#include "sbdl/synth.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {

inline bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

inline std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

inline Table2Trial made_up(const Table2Task& task, const Image& truth) {
    Table2Trial trial;
    const auto number = static_cast<double>(task.seed % 1000);
    trial.score = {.psnr_noisy = 20.0 + number / 1000.0,
                   .psnr = 25.0 + number / 500.0,
                   .ssim = 0.5 + number / 4000.0,
                   .noise_found = task.cell.sigma * (1.0 + number / 20000.0),
                   .seconds = 0.125};
    trial.clean = truth;
    trial.model.dictionary = Matrix(4, 4, 0.5);
    trial.model.atom_usage = {1.0, 4.0, 2.0, 3.0};
    trial.model.patch = {2, 2, 1};
    return trial;
}

class Table2Case : public testing::Test {
protected:
    void SetUp() override {
        options_.images = folder_ / "images";
        options_.out_dir = folder_ / "run";
        options_.trials = 2;
        options_.sigmas = {50, 25};
        options_.rows = {"gibbs", "vb-paper"};
        options_.threads = 1;
        options_.atoms = 8;
        std::filesystem::create_directory(options_.images);
        put("b_small.png", make_image(24, 24, false, 1));
        put("a_large.pgm", make_image(24, 32, false, 2));
        write_bytes(options_.images / "SOURCES.md", "not an image");
    }

    void put(const std::string& name, const Image& image) const { write_image(options_.images / name, image); }

    Table2Summary run() {
        Table2Hooks hooks;
        hooks.denoiser = [this](const Table2Task& task, const Image& truth, const Table2Options&, const StopCheck&) {
            made_.push_back(task);
            return std::optional(made_up(task, truth));
        };
        return run_table2(options_, hooks);
    }

    /// The message of an error; empty when there was none.
    std::string input_error() {
        try {
            run();
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }

    [[nodiscard]] std::filesystem::path file(const std::string& name) const { return options_.out_dir / name; }

    TempFolder folder_;
    Table2Options options_;
    std::vector<Table2Task> made_;
};

}  // namespace sbdl::test
