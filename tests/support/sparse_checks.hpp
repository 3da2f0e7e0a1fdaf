// Helpers for tests of learners with sparse codes: equality of matrices, residuals of the codes, every sweep's report.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sbdl/model.hpp"
#include "sbdl/observer.hpp"

namespace sbdl::test {

inline bool same_entries(const Matrix& a, const Matrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && std::equal(a.data(), a.data() + a.size(), b.data());
}

/// Norm of each signal minus its approximation by the model's codes.
inline std::vector<double> errors_of(const Model& model, const Matrix& signals) {
    std::vector<double> errors;
    for (std::size_t l = 0; l < signals.rows(); ++l) {
        double sum = 0.0;
        for (std::size_t m = 0; m < signals.cols(); ++m) {
            double left = signals(l, m);
            for (std::size_t n = 0; n < model.atom_count(); ++n) left -= model.codes(l, n) * model.dictionary(n, m);
            sum += left * left;
        }
        errors.push_back(std::sqrt(sum));
    }
    return errors;
}

/// Keeps every report; stops the run after `stop_at` sweeps, unless that is 0.
class SweepReports : public Observer {
public:
    void on_start(const RunPlan& started) override { plan = started; }
    Flow on_sweep(const SweepReport& report) override {
        reports.push_back(report);
        return static_cast<int>(reports.size()) == stop_at ? Flow::stop : Flow::go_on;
    }
    int stop_at = 0;
    RunPlan plan;
    std::vector<SweepReport> reports;
};

}  // namespace sbdl::test
