// How probable a choice of entries is: which entries of a signal's on/off code are on, with their values integrated out
// (docs/math.md, O5).
//
//     ln p(z | y) = sum over the entries on of ln(pi_n / (1 - pi_n)) + ln N(y; 0, I / e + D_z D_z^T / g) + constant
//
// Unlike the density of a code with its values, this compares codes with different numbers of entries on. The values
// given the choice are jointly Gaussian.
#pragma once

#include <Eigen/Cholesky>
#include <cstdint>
#include <span>

#include "pass/on_off_codes.hpp"

namespace sbdl {

class OnOffEvidence {
public:
    /// The state must outlive this object.
    explicit OnOffEvidence(const OnOffState& state);

    /// `on` are the atoms of the entries that are on; NaN marks missing entries of the signal. Minus infinity for
    /// values that overflow.
    [[nodiscard]] double operator()(const Eigen::Ref<const Vec>& signal, std::span<const std::uint32_t> on) const;

    /// The values of the entries that are on, drawn together from their posterior.
    [[nodiscard]] Vec values(const Eigen::Ref<const Vec>& signal, std::span<const std::uint32_t> on,
                             DrawStream& draws) const;

private:
    /// A = I + (e / g) D_z^T D_z by its Cholesky factor, and b = e / sqrt(g) D_z^T y, of the observed entries of y.
    struct System {
        Eigen::LLT<Mat> root;
        Vec b;
    };
    [[nodiscard]] System system(const Eigen::Ref<const Vec>& signal, std::span<const std::uint32_t> on) const;

    const OnOffState& state_;
    Vec log_odds_;
};

}  // namespace sbdl
