// FISTA (Beck, Teboulle 2009) for the lasso, min F(x) = 1/2 ||y - D x||^2 + lambda ||x||_1, one block of signals at a
// time, so that a step is two matrix products:
//
//     x+ = soft(z + D^T (y - D z) / L, lambda / L),   L = the largest eigenvalue of D^T D
//     z  = x+ + (t - 1) / t+ (x+ - x),                t+ = (1 + sqrt(1 + 4 t^2)) / 2
//
// After k steps F(x_k) - min F <= 2 L ||x_0 - x*||^2 / (k + 1)^2. When codes have few nonzeros, steps of one signal at
// a time with the Gram matrix of the atoms take less time (soft_steps.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/linalg.hpp"
#include "base/products.hpp"
#include "coders/lasso.hpp"

namespace sbdl {

/// So many signals are coded together: enough for fast matrix products, few enough for their codes to stay in the
/// cache.
inline constexpr std::size_t fista_block = 128;

class Fista {
public:
    enum class Steps { by_products, by_gram };
    /// The faster kind of steps for codes with so many nonzeros.
    static Steps cheaper(const Mat& D, double nonzeros);

    /// Columns are atoms, of any norm. D must outlive this.
    explicit Fista(const Mat& D, Steps steps = Steps::by_products);

    [[nodiscard]] double lipschitz() const { return lipschitz_; }

    struct Stop {
        int steps;         ///< at most
        double tolerance;  ///< see below
    };
    /// Codes the columns of Y. A signal is done once its duality gap is at most tolerance * 1/2 ||y||^2; with a
    /// tolerance of 0 all steps are made. X holds the codes to start from, 0 or earlier ones, and is overwritten.
    /// Returns for how many signals the gap was still too large after all steps; 0 if the tolerance is 0.
    std::size_t code(const ConstBlock& Y, double lambda, const Stop& stop, Block X) const;

    /// Steps without momentum, z = x, which never increase F: until no entry of any code changes by more than the
    /// tolerance, or all steps are made.
    void plain_steps(const ConstBlock& Y, double lambda, const Stop& stop, Block X) const;

    /// For each column F(x) minus a lower bound of its minimum: an upper bound of how far x is from the best code.
    [[nodiscard]] Vec gaps(const ConstBlock& Y, const ConstBlock& X, double lambda) const;

private:
    struct Open;
    double make_steps(std::span<const double> momenta, double lambda, Open& open) const;
    double steps_by_gram(std::span<const double> momenta, double lambda, Open& open) const;
    double steps_by_products(std::span<const double> momenta, double lambda, Open& open) const;

    const Mat& D_;
    double lipschitz_;
    std::optional<PaddedGram> gram_;
};

/// Soft thresholding: every entry moves towards 0 by the threshold.
inline void soften(Block values, double threshold) {
    values -= values.cwiseMax(-threshold).cwiseMin(threshold);
}

}  // namespace sbdl
