#include "denoise/noise_spectrum.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "base/parallel.hpp"

namespace sbdl {
namespace {

constexpr std::size_t coefficient_count = dct_side * dct_side;
constexpr std::size_t most_spectra = 40'000;      // windows
constexpr std::size_t fewest_pixels = 128 * 128;  // with fewer, texture and noise cannot be told apart
constexpr double quiet_window_share = 0.07;       // of the windows, which are always used
constexpr std::size_t enough_spectra = 300;       // used of a small image, but no more than half of its windows
constexpr std::size_t fewest_spectra = 100;
constexpr double least_room = 3.0;  // noise standard deviations
constexpr double most_flatness = 0.7, least_correlation = 0.2;
// Where more windows than the quietest agree on a spectrum, it is that of noise. Texture hardly ever does: of eleven
// training images without noise only the moon's seemed to (docs/results/real-noise.md).
constexpr double least_agreement = 0.085;
constexpr double rounding = 1e-9;            // of the largest value; less is no noise
constexpr std::size_t covariance_reach = 4;  // pixels

bool even(std::size_t coefficient) {
    return (coefficient / dct_side + coefficient % dct_side) % 2 == 0;
}

using Power = std::array<double, coefficient_count>;

/// Powers of all windows, and the room of each.
struct Spectra {
    std::vector<Power> power;
    std::vector<double> room;
};

Spectra spectra_of(const Matrix& plane, const std::function<double(std::size_t, std::size_t)>& room, int threads) {
    const DctBasis basis = dct_basis();
    const std::size_t down = plane.rows() - dct_side + 1, across = plane.cols() - dct_side + 1;
    std::size_t stride = 1;
    while ((down / stride) * (across / stride) > most_spectra) ++stride;
    std::vector<Spectra> rows((down + stride - 1) / stride);
    parallel_for(rows.size(), threads, [&](std::size_t number, int) {
        for (std::size_t col = 0; col < across; col += stride) {
            const double here = room(number * stride, col);
            if (here < 0.0) continue;
            const WindowDct coefficients = window_dct(plane, number * stride, col, basis);
            Power& power = rows[number].power.emplace_back();
            for (std::size_t i = 0; i < coefficient_count; ++i) {
                const double value = coefficients[i / dct_side][i % dct_side];
                power[i] = value * value;
            }
            rows[number].room.push_back(here);
        }
    });
    Spectra all;
    for (const Spectra& row : rows) {
        all.power.insert(all.power.end(), row.power.begin(), row.power.end());
        all.room.insert(all.room.end(), row.room.begin(), row.room.end());
    }
    return all;
}

std::size_t quiet_window_count(std::size_t windows) {
    const auto share = static_cast<std::size_t>(quiet_window_share * static_cast<double>(windows));
    return std::max(share, std::min(windows / 2 + 1, enough_spectra));
}

using Mean = std::array<double, coefficient_count>;

constexpr std::size_t windows_at_once = 512;

/// For each window the mean power of its coefficients of each colour but the first, in units of `unit`: [odd, even].
std::vector<std::array<double, 2>> strengths(const std::vector<Power>& windows, const Mean& unit, int threads) {
    std::array<double, 2> count{};
    for (std::size_t i = 1; i < coefficient_count; ++i) ++count[even(i) ? 1 : 0];
    Mean share{};
    for (std::size_t i = 1; i < coefficient_count; ++i) share[i] = 1.0 / (unit[i] * count[even(i) ? 1 : 0]);
    std::vector<std::array<double, 2>> result(windows.size());
    parallel_for(Blocks(windows.size(), windows_at_once), threads, [&](const IndexRange& piece, int) {
        for (std::size_t w = piece.first; w < piece.end(); ++w)
            for (std::size_t i = 1; i < coefficient_count; ++i) result[w][even(i) ? 1 : 0] += windows[w][i] * share[i];
    });
    return result;
}

/// The mean power of the coefficients of each colour in the windows that are quiet in those of the other. A window is
/// quiet if its coefficients, each in units of its `unit`, have a mean of at most 1, or if it is one of the quietest.
/// Returns the share of the windows that were used for the even ones.
double average(const std::vector<Power>& windows, const Mean& unit, bool only_quietest, int threads, Mean& mean) {
    const std::vector<std::array<double, 2>> strength = strengths(windows, unit, threads);
    std::array<double, 2> most{};  // strength, of the odd and of the even coefficients
    for (std::size_t colour = 0; colour < most.size(); ++colour) {
        std::vector<double> sorted(windows.size());
        for (std::size_t w = 0; w < windows.size(); ++w) sorted[w] = strength[w][colour];
        const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(quiet_window_count(windows.size()) - 1);
        std::nth_element(sorted.begin(), last, sorted.end());
        most[colour] = only_quietest ? *last : std::max(*last, 1.0);
    }
    struct Sums {
        Mean power{};
        std::array<double, 2> used{};  // windows, for the odd and for the even coefficients
    };
    const Blocks pieces(windows.size(), windows_at_once);
    std::vector<Sums> sums(pieces.number());
    parallel_for(pieces, threads, [&](const IndexRange& piece, int) {
        Sums& here = sums[piece.number];
        for (std::size_t w = piece.first; w < piece.end(); ++w)
            for (std::size_t colour = 0; colour < most.size(); ++colour) {
                if (strength[w][1 - colour] > most[1 - colour]) continue;
                ++here.used[colour];
                for (std::size_t i = 1; i < coefficient_count; ++i)
                    if (even(i) == (colour == 1)) here.power[i] += windows[w][i];
            }
    });
    Sums all;
    for (const Sums& here : sums) {
        for (std::size_t i = 1; i < coefficient_count; ++i) all.power[i] += here.power[i];
        for (std::size_t colour = 0; colour < most.size(); ++colour) all.used[colour] += here.used[colour];
    }
    for (std::size_t i = 1; i < coefficient_count; ++i)
        mean[i] = std::max(all.power[i] / all.used[even(i) ? 1 : 0], 1e-300);
    return all.used[1] / static_cast<double>(windows.size());
}

double total(const Mean& mean) {
    return std::accumulate(mean.begin() + 1, mean.end(), 0.0) / (coefficient_count - 1);
}

double mean_spectrum(const std::vector<Power>& windows, int threads, Mean& mean) {
    Mean unit;
    unit.fill(1.0);
    average(windows, unit, true, threads, mean);
    double share = 0.0;
    constexpr int rounds = 10;
    for (int i = 0; i < rounds; ++i) {
        unit = mean;
        share = average(windows, unit, false, threads, mean);
    }
    return share;
}

/// The power of a wave along one axis is the sum over distances of this times the covariance at that distance.
double wave_covariance(const DctBasis& basis, std::size_t frequency, std::size_t distance) {
    double sum = 0.0;
    for (std::size_t x = 0; x + distance < dct_side; ++x) sum += basis[frequency][x] * basis[frequency][x + distance];
    return distance == 0 ? sum : 2.0 * sum;
}

double band_mean(const WindowDct& power, std::size_t first, std::size_t end) {
    double sum = 0.0, count = 0.0;
    for (std::size_t j = 0; j < dct_side; ++j)
        for (std::size_t k = 0; k < dct_side; ++k)
            if (j + k >= first && j + k < end) {
                sum += power[j][k];
                ++count;
            }
    return sum / count;
}

}  // namespace

bool Autocovariance::possible() const {
    return variance() > 0.0 && std::ranges::all_of(at, [this](const auto& row) {
               return std::ranges::all_of(row, [this](double value) { return std::abs(value) <= variance(); });
           });
}

Autocovariance Autocovariance::halved() const {
    const auto here = [this](std::ptrdiff_t down, std::ptrdiff_t across) {
        const auto row = static_cast<std::size_t>(std::abs(down)), col = static_cast<std::size_t>(std::abs(across));
        return row < reach && col < reach ? at[row][col] : 0.0;
    };
    Autocovariance half;
    // Of pairs of pixels that are one less, equally, and one more apart.
    constexpr std::array<double, 3> weight{0.25, 0.5, 0.25};
    for (std::size_t row = 0; row < reach; ++row)
        for (std::size_t col = 0; col < reach; ++col)
            for (std::ptrdiff_t y = -1; y <= 1; ++y)
                for (std::ptrdiff_t x = -1; x <= 1; ++x)
                    half.at[row][col] +=
                        weight[static_cast<std::size_t>(y + 1)] * weight[static_cast<std::size_t>(x + 1)] *
                        here(2 * static_cast<std::ptrdiff_t>(row) + y, 2 * static_cast<std::ptrdiff_t>(col) + x);
    return half;
}

double NoiseSpectrum::flatness() const {
    return band_mean(power, 10, 15) / band_mean(power, 7, 10);
}

bool NoiseSpectrum::flat() const {
    return flatness() >= most_flatness;
}

bool NoiseSpectrum::correlated() const {
    if (!found || !roomy || !enough || flat() || used_share < least_agreement) return false;
    const Autocovariance explains = autocovariance();
    return explains.possible() && explains.neighbour_correlation() > least_correlation;
}

Autocovariance NoiseSpectrum::autocovariance() const {
    const DctBasis basis = dct_basis();
    constexpr std::size_t span = covariance_reach + 1;
    std::array<std::array<double, span>, dct_side> waves{};
    for (std::size_t k = 0; k < dct_side; ++k)
        for (std::size_t t = 0; t < span; ++t) waves[k][t] = wave_covariance(basis, k, t);
    const double least = 1e-4 * band_mean(power, 2, 15);
    std::vector<std::array<std::size_t, 2>> used;
    for (std::size_t j = 0; j < dct_side; ++j)
        for (std::size_t k = 0; k < dct_side; ++k)
            if (j + k >= 2) used.push_back({j, k});
    Eigen::MatrixXd system(used.size(), span * span);
    Eigen::VectorXd ones = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(used.size()));
    for (std::size_t i = 0; i < used.size(); ++i) {
        const auto [j, k] = used[i];
        const double unit = std::max(power[j][k], least);  // errors are proportional to the power
        for (std::size_t y = 0; y < span; ++y)
            for (std::size_t x = 0; x < span; ++x)
                system(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(y * span + x)) =
                    waves[j][y] * waves[k][x] / unit;
        ones[static_cast<Eigen::Index>(i)] = power[j][k] / unit;
    }
    const Eigen::VectorXd found_values = system.colPivHouseholderQr().solve(ones);
    Autocovariance result;
    for (std::size_t y = 0; y < span; ++y)
        for (std::size_t x = 0; x < span; ++x) result.at[y][x] = found_values[static_cast<Eigen::Index>(y * span + x)];
    return result;
}

NoiseSpectrum estimate_spectrum(const Matrix& plane,
                                const std::function<double(std::size_t row, std::size_t col)>& room, int threads) {
    NoiseSpectrum spectrum;
    if (plane.rows() < dct_side || plane.cols() < dct_side) return spectrum;
    const Spectra all = spectra_of(plane, room, threads);
    if (all.power.size() < fewest_spectra) return spectrum;
    std::vector<double> rooms = all.room;
    const auto last = rooms.begin() + static_cast<std::ptrdiff_t>(quiet_window_count(rooms.size()) - 1);
    std::nth_element(rooms.begin(), last, rooms.end(), std::greater<>());
    Mean mean{};
    double sd = 0.0;
    constexpr int rounds = 4;
    for (int i = 0; i < rounds; ++i) {  // the room that is needed depends on the noise
        std::vector<Power> used;
        for (std::size_t w = 0; w < all.power.size(); ++w)
            if (all.room[w] >= std::min(least_room * sd, *last)) used.push_back(all.power[w]);
        spectrum.used_share = mean_spectrum(used, threads, mean);
        sd = std::sqrt(total(mean));
        spectrum.roomy = *last >= least_room * sd;
        if (std::isinf(*last)) break;
    }
    for (std::size_t i = 0; i < coefficient_count; ++i) spectrum.power[i / dct_side][i % dct_side] = mean[i];
    spectrum.enough = plane.size() >= fewest_pixels;
    const auto [low, high] = std::minmax_element(plane.data(), plane.data() + plane.size());
    spectrum.found = sd > rounding * std::max(std::abs(*low), std::abs(*high));
    return spectrum;
}

}  // namespace sbdl
