// A small Table II run for tests: two tiny images in a folder, and a made-up denoiser whose scores depend on the task
// alone, so that files, resuming, averages and reports can be checked exactly.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/table2/table2.hpp"
#include "unit/experiments/image_run.hpp"

namespace sbdl::test {

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

class Table2Case : public ImageRun<Table2Options> {
protected:
    void SetUp() override {
        ImageRun::SetUp();
        options_.rows = {"gibbs", "vb-paper"};
        options_.atoms = 8;
        put("b_small.png", make_image(24, 24, false, 1));
        put("a_large.pgm", make_image(24, 32, false, 2));
        write_bytes(options_.images / "SOURCES.md", "not an image");
    }

    Table2Summary run() {
        Table2Hooks hooks;
        hooks.denoiser = [this](const Table2Task& task, const Image& truth, const Table2Options&, const StopCheck&) {
            made_.push_back(task);
            return std::optional(made_up(task, truth));
        };
        return run_table2(options_, hooks);
    }

    std::string input_error() {
        return error_of([this] { run(); });
    }

    std::vector<Table2Task> made_;
};

}  // namespace sbdl::test
