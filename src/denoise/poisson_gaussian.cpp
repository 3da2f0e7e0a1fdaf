#include "denoise/poisson_gaussian.hpp"

namespace sbdl {
// The trapezoidal rule, which is exact to many digits for smooth functions and good enough for one with a kink.
GaussianNodes::GaussianNodes() {
    constexpr double farthest = 5.0;
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        at[i] = farthest * (2.0 * static_cast<double>(i) / (count - 1) - 1.0);
        weight[i] = std::exp(-0.5 * at[i] * at[i]);
        sum += weight[i];
    }
    for (double& w : weight) w /= sum;
}

}  // namespace sbdl
