// One step of the fit of the variance to clipped windows: from the present line to a better one (math.md, P8).
#pragma once

#include <array>
#include <optional>

#include "denoise/clipped_noise.hpp"
#include "denoise/known_noise.hpp"

namespace sbdl {

class ClippedStep {
public:
    /// For windows with means between `from` and `to`, which are chosen by `chosen_by` coefficients.
    ClippedStep(const KnownNoise& known, const VarianceLine& present, const ClipLevels& levels, double from, double to,
                double chosen_by, ShownBy shown);

    [[nodiscard]] const ClippedCurve& curve() const { return curve_; }

    /// A window that shows this value, with this mean square of the coefficients by which it was chosen; `at` is where
    /// the curve has its mean.
    void add(const ClippedCurve::Point& at, double value, double power);

    /// How far such a window is from the curve, apart from what its power explains.
    static double distance(const ClippedCurve::Point& at, double value, double power) {
        return value - at.value - at.coupling * (power - at.left);
    }

    /// Adds what other windows, or the same ones in another way, show about the same present line, times `weight`.
    void add(const ClippedStep& other, double weight);

    /// The line that explains the windows better; it is not far from the present one. None if they show nothing.
    [[nodiscard]] std::optional<VarianceLine> next() const;

    /// Variances of gain and intercept, if the windows are independent, and their covariance.
    struct Errors {
        double gain = 0.0, intercept = 0.0, covariance = 0.0;
    };
    [[nodiscard]] Errors errors() const;

private:
    using Pair = ClippedCurve::Pair;

    [[nodiscard]] std::optional<Pair> step() const;
    [[nodiscard]] std::optional<Pair> along(const Pair& direction, const Pair& from) const;
    [[nodiscard]] double determinant() const;

    const KnownNoise& known_;
    VarianceLine present_;
    ClippedCurve curve_;
    std::array<Pair, 2> system_{};
    Pair right_{};
};

}  // namespace sbdl
