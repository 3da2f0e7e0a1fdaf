// A model with every part filled in, and a comparison with what is read back from a file.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "sbdl/model.hpp"
#include "support/same_result.hpp"

namespace sbdl {

inline Matrix numbered(std::size_t rows, std::size_t cols, double first, double step) {
    Matrix matrix(rows, cols);
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = first + step * static_cast<double>(i);
    return matrix;
}

/// Rows of unit norm.
inline Matrix unit_rows(Matrix matrix) {
    for (std::size_t n = 0; n < matrix.rows(); ++n) {
        double squares = 0.0;
        for (const double entry : matrix.row(n)) squares += entry * entry;
        for (double& entry : matrix.row(n)) entry /= std::sqrt(squares);
    }
    return matrix;
}

inline Model small_model() {
    Model model;
    model.method = "gibbs";
    model.preset = "standard";
    model.options_json = R"({"atoms":3,"code_rate":"auto"})";
    model.program_version = "0.1.0";
    model.command = "sbdl denoise noisy.png -o 'clean one.png'";
    model.denoise_json = R"({"recipe":"standard","sigma":"auto"})";
    model.stop_reason = "sweeps_done";
    model.seed = std::numeric_limits<std::uint64_t>::max();
    model.signal_count = 5;
    model.dictionary = unit_rows(numbered(3, 4, -1.0 / 3.0, 0.1));
    model.dictionary_std = numbered(3, 4, 1e-300, 1e-3);
    model.atom_usage = {0.5, 0.0, 2.0};
    model.noise_sd = 0.1;
    model.noise_sd_std = 0.003;
    model.unit = 1e-6;
    model.atom_norm = {1.0, 1.5, 0.7};
    model.sbdl =
        SbdlPrior{.code_shape = 0.4, .code_rate = 1e-9, .noise_shape = 0.6, .noise_rate = 1e-12, .atom_variance = 1e8};
    model.patch = {.height = 2, .width = 1, .planes = 2};
    model.code_sizes = {0, 3, 2};
    model.codes = numbered(5, 3, -1.0, 0.3);
    model.codes_std = numbered(5, 3, 0.0, 0.01);
    model.diagnostics = {.noise_rhat = 1.01,
                         .noise_ess = 250.0,
                         .objective_rhat = std::numeric_limits<double>::quiet_NaN(),
                         .objective_ess = std::numeric_limits<double>::infinity(),
                         .atoms_rhat = 1.04,
                         .codes_ess_tail = 77.0,
                         .pooled_chains = 2.0};
    model.estimate = "2 of 3 chains pooled; chain 2 differs in 1 atom and is left out";
    model.trace = {.chain = {0, 0, 1},
                   .sweep = {1, 2, 1},
                   .kept = {0, 1, 1},
                   .objective = {-1e5, std::numeric_limits<double>::quiet_NaN(), -3.25},
                   .noise_sd = {0.3, 0.2, 0.1}};
    return model;
}

namespace test {

/// Everything that a file holds.
inline void expect_same_file(const Model& a, const Model& b) {
    expect_same_model(a, b);
    EXPECT_EQ(a.program_version, b.program_version);
    EXPECT_EQ(a.command, b.command);
    EXPECT_EQ(a.denoise_json, b.denoise_json);
    EXPECT_EQ(a.signal_count, b.signal_count);
    EXPECT_EQ(a.patch.height, b.patch.height);
    EXPECT_EQ(a.patch.width, b.patch.width);
    EXPECT_EQ(a.patch.planes, b.patch.planes);
}

}  // namespace test
}  // namespace sbdl
