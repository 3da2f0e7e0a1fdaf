#include "inpaint/std_calibration.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "inpaint/observed.hpp"

namespace sbdl {
namespace {

constexpr std::size_t enough_deep = 100;
// The model does not know of groups that were found wrongly, nor that few samples tell little of the covariance of a
// group. On training photographs the factor is about that of a complete image times this power of the observed share,
// and its logarithm has this standard deviation.
constexpr double factor_if_all = 1.15, share_power = -0.25, usual_spread = 0.35;
constexpr double least_factor = 0.25, most_factor = 8.0, factor_step = 1.01;
constexpr double independent = 0.25;  // share of the errors: those of neighbouring samples are alike

struct Level {
    double times, share;  ///< of a Gaussian, within so many standard deviations
};
constexpr std::array<Level, 2> levels{Level{1.0, 0.683}, Level{2.0, 0.954}};

}  // namespace

StdCheck::StdCheck(double observed_share) : usual_(factor_if_all * std::pow(observed_share, share_power)) {}

void StdCheck::add(const HeldOut& held_out, const Image& filled, const Image& std, double noise_sd) {
    // As they would be written.
    const bool whole = held_out.image.samples == Samples::u8 || held_out.image.samples == Samples::u16;
    const std::vector<Observed> observed = observed_samples(held_out.image);
    for (std::size_t p = 0; p < held_out.at.size(); ++p) {
        const std::vector<std::uint16_t> distances = distances_to_observed(observed[p], held_out.image.width());
        for (std::size_t k = 0; k < held_out.at[p].size(); ++k) {
            const std::size_t i = held_out.at[p][k];
            const double value = filled.planes[p].data()[i];
            const double off = (whole ? std::round(value) : value) - held_out.samples[p][k];
            (distances[i] > StdFactors::most_near ? deep_ : near_)
                .push_back({std::abs(off), std.planes[p].data()[i], noise_sd});
        }
    }
}

double StdCheck::likeliest(const std::vector<Error>& errors, double expected) {
    const auto count = static_cast<double>(errors.size());
    double best = expected, most = -std::numeric_limits<double>::infinity();
    for (double factor = least_factor; factor < most_factor; factor *= factor_step) {
        std::array<double, levels.size()> within{};
        for (const Error& error : errors) {
            const double sd = std::hypot(factor * error.sd, error.noise_sd);
            for (std::size_t k = 0; k < levels.size(); ++k) within[k] += error.off <= levels[k].times * sd ? 1.0 : 0.0;
        }
        // Both the shares and, over images, the logarithm of the factor are taken to be Gaussian.
        double likelihood = -std::pow(std::log(factor / expected) / usual_spread, 2);
        for (std::size_t k = 0; k < levels.size() && count > 0.0; ++k) {
            const double share = levels[k].share;
            likelihood -= std::pow(within[k] / count - share, 2) * independent * count / (share * (1.0 - share));
        }
        if (likelihood <= most) continue;
        most = likelihood;
        best = factor;
    }
    return best;
}

StdFactors StdCheck::factors() const {
    const double near = likeliest(near_, usual_);
    return {.near = near, .deep = likeliest(deep_, near), .deep_known = deep_.size() >= enough_deep};
}

}  // namespace sbdl
