// FISTA (Beck, Teboulle 2009) for the lasso, min F(x) = 1/2 ||y - D x||^2 + lambda ||x||_1, for a block of signals at a
// time, so that a step is two products of matrices:
//
//     x+ = soft(z + D^T (y - D z) / L, lambda / L),   L = the largest eigenvalue of D^T D
//     z  = x+ + (t - 1) / t+ (x+ - x),                t+ = (1 + sqrt(1 + 4 t^2)) / 2
//
// After k steps F(x_k) - min F <= 2 L ||x_0 - x*||^2 / (k + 1)^2. Where codes have few nonzeros, steps of one signal at
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

/// As many signals coded together keep the products of matrices busy, and their codes in the cache.
inline constexpr std::size_t fista_block = 128;

class Fista {
public:
    enum class Steps { by_products, by_gram };
    /// What takes less time for codes with so many nonzeros.
    static Steps cheaper(const Mat& D, double nonzeros);

    /// Columns are atoms, of any norm. D must outlive this.
    explicit Fista(const Mat& D, Steps steps = Steps::by_products);

    [[nodiscard]] double lipschitz() const { return lipschitz_; }

    struct Stop {
        int steps;         ///< the most made
        double tolerance;  ///< see below
    };
    /// Codes the columns of Y. A signal is done once its duality gap is at most the tolerance's part of 1/2 ||y||^2; 0:
    /// no such stop. X holds where to start from, 0 or codes of an earlier time, and is overwritten. Returns
    /// for how many signals the steps ended before the gap was small enough; 0 where the tolerance is 0.
    std::size_t code(const ConstBlock& Y, double lambda, const Stop& stop, Block X) const;

    /// Steps without momentum, z = x, which never let F rise: until no entry of any code moves by more than the
    /// tolerance, or all are made.
    void plain_steps(const ConstBlock& Y, double lambda, const Stop& stop, Block X) const;

    /// F(x) minus a lower bound of its minimum, of each column: how far x is from the best code at most.
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

/// Every entry brought nearer to 0 by the threshold.
inline void soften(Block values, double threshold) {
    values -= values.cwiseMax(-threshold).cwiseMin(threshold);
}

}  // namespace sbdl
