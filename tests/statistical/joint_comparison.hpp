// Compares two ways of drawing from one joint distribution by means of functions of the draws. Errors come from batch
// means, which account for a chain's autocorrelation.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

namespace sbdl::test {

/// A number that depends on a draw of everything a model has.
template <class Draw>
struct FunctionOf {
    std::string_view name;
    double (*value)(const Draw&);
};

struct MeanAndError {
    double mean = 0.0, variance_of_mean = 0.0;
};

/// For values that may be correlated within a batch but hardly across batches.
inline MeanAndError from_batches(const std::vector<double>& batch_means) {
    const auto n = static_cast<double>(batch_means.size());
    MeanAndError result;
    for (const double value : batch_means) result.mean += value / n;
    for (const double value : batch_means) result.variance_of_mean += std::pow(value - result.mean, 2) / (n * (n - 1));
    return result;
}

/// `next` makes the next draw and returns it.
template <class Draw, class NextDraw>
std::vector<MeanAndError> averages(const std::vector<FunctionOf<Draw>>& functions, int batches, int batch_length,
                                   const NextDraw& next) {
    std::vector<std::vector<double>> means(functions.size());
    for (int batch = 0; batch < batches; ++batch) {
        std::vector<double> sums(functions.size(), 0.0);
        for (int i = 0; i < batch_length; ++i) {
            const Draw& draw = next();
            for (std::size_t k = 0; k < functions.size(); ++k) sums[k] += functions[k].value(draw);
        }
        for (std::size_t k = 0; k < functions.size(); ++k) means[k].push_back(sums[k] / batch_length);
    }
    std::vector<MeanAndError> result;
    for (const auto& function : means) result.push_back(from_batches(function));
    return result;
}

template <class Draw>
void expect_equal_means(const std::vector<FunctionOf<Draw>>& functions, const std::vector<MeanAndError>& successive,
                        const std::vector<MeanAndError>& independent, double most_z) {
    for (std::size_t k = 0; k < functions.size(); ++k) {
        const double z = (successive[k].mean - independent[k].mean) /
                         std::sqrt(successive[k].variance_of_mean + independent[k].variance_of_mean);
        EXPECT_LT(std::abs(z), most_z) << functions[k].name << ": " << successive[k].mean << " by the chain, "
                                       << independent[k].mean << " by the priors";
    }
}

}  // namespace sbdl::test
