// Shared by the tests of the calibration run: a made-up learner and made-up records.
#pragma once

#include "experiments/calibration/calibration.hpp"
#include "unit/experiments/table1/case.hpp"

namespace sbdl::test {

inline CalibrationScore made_up_calibration(double nearest_percent, double noise_ratio, const Coverage& noise,
                                            const Coverage& others) {
    return {.nearest_percent = nearest_percent,
            .noise_ratio = noise_ratio,
            .settled = true,
            .rhat = 1.01,
            .ess = 250.0,
            .seconds = 0.125,
            .noise = noise,
            .atoms = others,
            .codes = others,
            .codes_expected = others,
            .reconstruction = others};
}

inline ImageCalibrationScore made_up_pixels(double noise_ratio, double error_rms, double std_rms,
                                            const Coverage& pixels) {
    return {.noise_ratio = noise_ratio, .error_rms = error_rms, .std_rms = std_rms, .seconds = 0.5, .pixels = pixels};
}

inline calibration::ImageRecord image_record(const std::string& row, const std::string& image, int sigma,
                                             Samples samples, const ImageCalibrationScore& score) {
    return {{row, {image, 16, 8, "0123456789abcdef", sigma, samples}, 0, 0}, score, "test"};
}

inline calibration::Record calibration_record(const std::string& row, const Table1Cell& cell, int trial,
                                              const CalibrationScore& score) {
    return {{row, cell, trial, table1::trial_seed(0, cell, trial)}, score, "test"};
}

}  // namespace sbdl::test
