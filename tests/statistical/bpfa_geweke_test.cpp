// The joint-distribution test of Geweke (2004) for BPFA: draws from the priors against a chain that alternates a sweep
// of the real BpfaChain given the signals with new signals given what the sweep drew (see geweke_test.cpp).
//
// Rate of false alarms: z is Student with about 100 degrees of freedom, and |z| > 5.5 has probability 3e-7. Two models
// with 12 functions each: below 1e-5 for an untried seed, and the seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "learners/bpfa/bpfa_chain.hpp"
#include "statistical/on_off_joint.hpp"

namespace sbdl::test {
namespace {

// gaps: NaN where an entry is never observed, 0 elsewhere.
void expect_bpfa_samples_its_model(const Shape& shape, const Mat& gaps, int batch_length) {
    constexpr int batches = 100;
    const BpfaOptions options = with_sampleable_priors(BpfaOptions::preset(Preset::paper, static_cast<int>(shape.N)),
                                                       &BpfaOptions::code_shape, &BpfaOptions::code_rate);
    Numbers numbers(77);
    OnOffDraw draw;
    const auto independent = averages(on_off_functions, batches, 1000, [&]() -> const OnOffDraw& {
        const Mat D = numbers.normals(shape.M, shape.N) / std::sqrt(static_cast<double>(shape.M));
        return draw = draw_given_atoms(D, sampleable_hyper(), gaps, numbers);
    });

    Matrix rows = to_rows(draw.Y);
    const MemorySource source(rows);
    const SignalShare signals{source, 1.0};
    BpfaChain chain(signals, scan_signals(source, MissingValues::allowed), options,
                    {.execution = {.threads = 1}, .seed = 5}, 0);
    int sweep = 0;
    const auto next = [&]() -> const OnOffDraw& {
        chain.sweep(sweep++);
        draw.state = chain.state();
        draw.X.setZero();
        copy_codes(chain.codes(), 0, draw.X);
        draw_on_off_signals(gaps, numbers, draw);
        Eigen::Map<Mat>(rows.data(), shape.M, shape.L) = draw.Y;
        return draw;
    };
    for (int i = 0; i < 2000; ++i) next();  // forget the start, which is not a draw from the priors
    expect_equal_means(on_off_functions, averages(on_off_functions, batches, batch_length, next), independent, 5.5);
}

TEST(BpfaGeweke, CompleteSignals) {
    const Shape shape{2, 3, 4};
    expect_bpfa_samples_its_model(shape, Mat::Zero(shape.M, shape.L), 1500);
}

TEST(BpfaGeweke, MissingEntries) {
    const Shape shape{3, 2, 4};
    Mat gaps = Mat::Zero(shape.M, shape.L);
    gaps(0, 0) = gaps(1, 0) = gaps(2, 3) = std::numeric_limits<double>::quiet_NaN();
    expect_bpfa_samples_its_model(shape, gaps, 1500);
}

}  // namespace
}  // namespace sbdl::test
