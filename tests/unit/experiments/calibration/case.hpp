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
            .codes_expected = others};
}

inline calibration::Record calibration_record(Table1Row row, const Table1Cell& cell, int trial,
                                              const CalibrationScore& score) {
    return {{row, cell, trial, table1::trial_seed(0, cell, trial)}, score, "test"};
}

}  // namespace sbdl::test
