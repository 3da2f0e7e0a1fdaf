// PSNR, SSIM, and shares of pixels within their standard deviations. The SSIM window slides down the image: only the
// eleven rows that it covers are kept, already filtered horizontally.
#include "sbdl/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/stop.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr std::size_t window = 11;
constexpr double window_sd = 1.5;

void check(std::string_view name, const Image& truth, const Image& estimate, double peak) {
    const auto same = [](const Matrix& a, const Matrix& b) { return a.rows() == b.rows() && a.cols() == b.cols(); };
    if (!std::equal(truth.planes.begin(), truth.planes.end(), estimate.planes.begin(), estimate.planes.end(), same))
        throw InputError(fmt::format("{}: the truth has {} plane(s) of {} x {} pixels, the estimate {} of {} x {}",
                                     name, truth.planes.size(), truth.height(), truth.width(), estimate.planes.size(),
                                     estimate.height(), estimate.width()));
    if (truth.height() == 0 || truth.width() == 0) throw InputError(fmt::format("{}: the images are empty", name));
    if (!(peak > 0.0 && std::isfinite(peak)))
        throw InputError(fmt::format("{}: peak is {}, must be a number above 0", name, peak));
}

std::array<double, window> gaussian_window() {
    std::array<double, window> weights{};
    double sum = 0.0;
    for (std::size_t i = 0; i < window; ++i) {
        const double away = (double(i) - 0.5 * double(window - 1)) / window_sd;
        weights[i] = std::exp(-0.5 * away * away);
        sum += weights[i];
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

/// Moments that the window averages.
struct Moments {
    double x = 0.0, y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;

    void add(double weight, const Moments& other) {
        x += weight * other.x;
        y += weight * other.y;
        xx += weight * other.xx;
        yy += weight * other.yy;
        xy += weight * other.xy;
    }
};

class PlaneSsim {
public:
    PlaneSsim(const Matrix& truth, const Matrix& estimate, double peak)
        : truth_(truth),
          estimate_(estimate),
          c1_(0.01 * peak * 0.01 * peak),
          c2_(0.03 * peak * 0.03 * peak),
          rows_(window, std::vector<Moments>(truth.cols() - window + 1)) {
        for (std::size_t i = 0; i < truth.size(); ++i) level_ += truth.data()[i] / double(truth.size());
    }

    double mean() {
        double sum = 0.0;
        for (std::size_t i = 0; i < truth_.rows(); ++i) {
            look_for_stop();
            filter_row(i);
            if (i + 1 < window) continue;
            for (std::size_t j = 0; j < rows_[0].size(); ++j) {
                Moments here;
                for (std::size_t k = 0; k < window; ++k) here.add(weights_[k], rows_[(i + 1 + k) % window][j]);
                sum += similarity(here);
            }
        }
        return sum / (double(truth_.rows() - window + 1) * double(rows_[0].size()));
    }

private:
    /// Row i replaces row i - 11. Variances do not depend on the mean level; subtracting it keeps more digits.
    void filter_row(std::size_t i) {
        auto& out = rows_[i % window];
        for (std::size_t j = 0; j < out.size(); ++j) {
            out[j] = {};
            for (std::size_t k = 0; k < window; ++k) {
                const double x = truth_(i, j + k) - level_, y = estimate_(i, j + k) - level_;
                out[j].add(weights_[k], {x, y, x * x, y * y, x * y});
            }
        }
    }

    [[nodiscard]] double similarity(const Moments& m) const {
        const double mean_x = m.x + level_, mean_y = m.y + level_;
        const double var_x = m.xx - m.x * m.x, var_y = m.yy - m.y * m.y, cov = m.xy - m.x * m.y;
        return (2.0 * mean_x * mean_y + c1_) * (2.0 * cov + c2_) /
               ((mean_x * mean_x + mean_y * mean_y + c1_) * (var_x + var_y + c2_));
    }

    const Matrix& truth_;
    const Matrix& estimate_;
    double c1_, c2_;
    double level_ = 0.0;
    std::array<double, window> weights_ = gaussian_window();
    std::vector<std::vector<Moments>> rows_;
};

}  // namespace

double peak_of(const Image& image) {
    if (image.samples == Samples::u8) return 255.0;
    if (image.samples == Samples::u16) return 65535.0;
    return data_range(image).width();
}

void DataRange::include(const Image& image) {
    if (image.samples == Samples::u8) {
        low = std::min(low, 0.0);
        high = std::max(high, 255.0);
        return;
    }
    for (const Matrix& plane : image.planes) {
        for (std::size_t i = 0; i < plane.size(); ++i) {
            low = std::min(low, plane.data()[i]);
            high = std::max(high, plane.data()[i]);
        }
    }
}

DataRange data_range(const Image& truth) {
    DataRange range;
    range.include(truth);
    return range;
}

double psnr(const Image& truth, const Image& estimate, double peak) {
    check("psnr", truth, estimate, peak);
    double sum = 0.0;
    for (std::size_t p = 0; p < truth.planes.size(); ++p) {
        for (std::size_t i = 0; i < truth.planes[p].size(); ++i) {
            const double off = estimate.planes[p].data()[i] - truth.planes[p].data()[i];
            sum += off * off;
        }
    }
    const double samples = double(truth.planes.size()) * double(truth.planes[0].size());
    return 20.0 * std::log10(peak / std::sqrt(sum / samples));
}

double share_within(const Image& truth, const Image& estimate, const Image& estimate_std, double multiple) {
    check("share_within", truth, estimate, 1.0);
    check("share_within", truth, estimate_std, 1.0);
    std::size_t within = 0;
    for (std::size_t p = 0; p < truth.planes.size(); ++p)
        for (std::size_t i = 0; i < truth.planes[p].size(); ++i) {
            const double off = std::abs(estimate.planes[p].data()[i] - truth.planes[p].data()[i]);
            within += off <= multiple * estimate_std.planes[p].data()[i] ? 1 : 0;
        }
    return double(within) / (double(truth.planes.size()) * double(truth.planes[0].size()));
}

double ssim(const Image& truth, const Image& estimate, double peak) {
    check("ssim", truth, estimate, peak);
    if (std::min(truth.height(), truth.width()) < window)
        throw InputError(fmt::format("ssim: the images have {} x {} pixels, must have at least {} x {}", truth.height(),
                                     truth.width(), window, window));
    double sum = 0.0;
    for (std::size_t p = 0; p < truth.planes.size(); ++p)
        sum += PlaneSsim(truth.planes[p], estimate.planes[p], peak).mean();
    return sum / double(truth.planes.size());
}

}  // namespace sbdl
