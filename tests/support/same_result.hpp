// Whether two runs have the same results, to the last bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "model/model_parts.hpp"
#include "sbdl/train.hpp"

namespace sbdl::test {

/// NaN, as in the objective of a sampled start or where a value is unknown, is equal to itself here.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}
inline bool same_bits(const Matrix& a, const Matrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() &&
           (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

template <class Part>
std::vector<double> numbers_of(const Part& part) {
    std::vector<double> numbers;
    for_each_part_number(part, [&](const char*, double value, Range) { numbers.push_back(value); });
    return numbers;
}

/// Everything except times and what the caller of a run sets.
inline void expect_same_model(const Model& got, const Model& want) {
    EXPECT_EQ(got.method, want.method);
    EXPECT_EQ(got.preset, want.preset);
    EXPECT_EQ(got.options_json, want.options_json);
    EXPECT_EQ(got.stop_reason, want.stop_reason);
    EXPECT_EQ(got.seed, want.seed);
    EXPECT_TRUE(same_bits(got.dictionary, want.dictionary)) << "dictionary";
    EXPECT_TRUE(same_bits(got.dictionary_std, want.dictionary_std)) << "dictionary_std";
    EXPECT_TRUE(same_bits(got.atom_usage, want.atom_usage)) << "atom_usage";
    EXPECT_TRUE(same_bits(got.atom_norm, want.atom_norm)) << "atom_norm";
    EXPECT_EQ(got.unit, want.unit);
    EXPECT_EQ(got.noise_sd, want.noise_sd);
    EXPECT_TRUE(same_bits(std::vector{got.noise_sd_std}, std::vector{want.noise_sd_std})) << "noise_sd_std";
    EXPECT_EQ(got.estimate, want.estimate);
    EXPECT_TRUE(same_bits(got.codes, want.codes)) << "codes";
    EXPECT_TRUE(same_bits(got.codes_std, want.codes_std)) << "codes_std";
    EXPECT_EQ(got.code_sizes, want.code_sizes);
    EXPECT_TRUE(same_bits(numbers_of(got.diagnostics), numbers_of(want.diagnostics))) << "diagnostics";
    EXPECT_EQ(got.trace.chain, want.trace.chain);
    EXPECT_EQ(got.trace.sweep, want.trace.sweep);
    EXPECT_EQ(got.trace.kept, want.trace.kept);
    EXPECT_TRUE(same_bits(got.trace.objective, want.trace.objective)) << "objective";
    EXPECT_TRUE(same_bits(got.trace.noise_sd, want.trace.noise_sd)) << "noise of the sweeps";
    EXPECT_EQ(got.stream.signals_seen, want.stream.signals_seen);
    EXPECT_EQ(got.stream.users, want.stream.users);
    EXPECT_TRUE(same_bits(got.stream.code_products, want.stream.code_products)) << "code_products";
    EXPECT_TRUE(same_bits(got.stream.signal_products, want.stream.signal_products)) << "signal_products";
    ASSERT_EQ(got.sbdl.has_value(), want.sbdl.has_value());
    if (got.sbdl) {
        EXPECT_TRUE(same_bits(numbers_of(*got.sbdl), numbers_of(*want.sbdl))) << "priors";
    }
    ASSERT_EQ(got.on_off.has_value(), want.on_off.has_value());
    if (got.on_off) {
        EXPECT_TRUE(same_bits(numbers_of(*got.on_off), numbers_of(*want.on_off))) << "priors";
        EXPECT_TRUE(same_bits(got.on_off->atom_probability, want.on_off->atom_probability)) << "probabilities";
    }
    ASSERT_EQ(got.svb.has_value(), want.svb.has_value());
    if (got.svb) {
        EXPECT_TRUE(same_bits(numbers_of(*got.svb), numbers_of(*want.svb))) << "stream's posterior";
        EXPECT_TRUE(same_bits(got.svb->users, want.svb->users)) << "users";
        EXPECT_TRUE(same_bits(got.svb->concentration, want.svb->concentration)) << "concentration";
    }
}

inline void expect_same_result(const TrainResult& got, const TrainResult& want) {
    expect_same_model(got.model, want.model);
    EXPECT_TRUE(same_bits(got.reconstruction, want.reconstruction)) << "reconstruction";
    EXPECT_EQ(got.reason, want.reason);
    EXPECT_EQ(got.sweeps, want.sweeps);
    EXPECT_EQ(got.warnings, want.warnings);
}

}  // namespace sbdl::test
