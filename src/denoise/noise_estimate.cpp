#include "denoise/noise_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "denoise/clip_levels.hpp"
#include "denoise/constant_regions.hpp"
#include "denoise/window_dct.hpp"

namespace sbdl {
namespace {

constexpr std::size_t side = ConstantRegions::side;
constexpr std::size_t first_fine = 10;   // coefficients (i, j) with i + j at least this are the finest
constexpr std::size_t fine_count = 15;   // number of these
constexpr std::size_t first_sharp = 5;   // of the others, (i, j) with i or j at least this are fine in one direction
constexpr std::size_t sharp_count = 12;  // number of these, for each of the two directions
// Standard deviations by which such a band may be weaker than the finest by chance, and by which it may be stronger
// before it is taken to contain some of the image.
constexpr double too_little = 3.0, too_much = 1.0;
constexpr double least_counted = 0.02;  // share of the windows outside constant regions; with less it is a drawing
// A drawing has this many equal neighbours in its quiet windows, and this many windows in or overlapping its
// background. Noise smaller than the step of the samples has as many equal neighbours, but no constant background. With
// a large background all windows are used for the decision, with a smaller one only those away from the clip levels: a
// photograph taken at night has regions of black noise.
constexpr double drawing_equal = 0.5, some_background = 0.25, much_background = 0.75;
constexpr double quiet_share = 0.07;  // of the windows
constexpr double clip_margin = 3.0;   // noise standard deviations between a window's mean and a clip level
constexpr double least_margin = 2.0;  // the least margin with which more than the quietest windows are used
constexpr std::size_t most_windows = 250'000;
constexpr std::size_t enough_windows = 300;  // used of a small image, but no more than half of its windows

struct Window {
    // Mean squares of coefficients.
    double coarse;                                              // all but the finest
    double fine;                                                // the finest, in both directions
    double down = 0.0, across = 0.0;                            // of the coarse ones, those fine in this direction
    double smooth = 0.0;                                        // fine in neither
    double equal = 0.0;                                         // share of equal neighbours
    double headroom = std::numeric_limits<double>::infinity();  // from the mean to the nearest clip level
};

Window energies(const Matrix& plane, std::size_t row, std::size_t col, const DctBasis& basis) {
    const WindowDct transformed = window_dct(plane, row, col, basis);
    Window window{.coarse = 0.0, .fine = 0.0};
    for (std::size_t k = 0; k < side; ++k)
        for (std::size_t j = k == 0 ? 1 : 0; j < side; ++j) {
            const double square = transformed[j][k] * transformed[j][k];
            (j + k < first_fine ? window.coarse : window.fine) += square;
            if (j + k < first_fine)
                (j >= first_sharp ? window.down : k >= first_sharp ? window.across : window.smooth) += square;
        }
    constexpr std::size_t coarse_count = side * side - 1 - fine_count;
    window.coarse /= coarse_count;
    window.fine /= fine_count;
    window.down /= sharp_count;
    window.across /= sharp_count;
    window.smooth /= coarse_count - 2 * sharp_count;
    return window;
}

/// Share of the pixels of a window that equal their left neighbour.
double equal_neighbours(const Matrix& plane, std::size_t row, std::size_t col) {
    std::size_t same = 0;
    for (std::size_t y = 0; y < side; ++y) {
        const double* pixels = plane.row(row + y).data() + col;
        for (std::size_t x = 1; x < side; ++x) same += pixels[x] == pixels[x - 1] ? 1 : 0;
    }
    return static_cast<double>(same) / (side * (side - 1));
}

/// Distance of the mean of a window from the nearest clip level, over all planes.
double headroom(std::span<const Matrix> samples, std::span<const ClipLevels> levels, std::size_t row, std::size_t col) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < samples.size(); ++p) {
        if (levels[p].unclipped()) continue;
        double sum = 0.0;
        for (std::size_t y = 0; y < side; ++y) {
            const double* pixels = samples[p].row(row + y).data() + col;
            sum = std::accumulate(pixels, pixels + side, sum);
        }
        least = std::min(least, levels[p].distance(sum / (side * side)));
    }
    return least;
}

struct Windows {
    std::vector<Window> list;
    std::size_t stride = 1;
    double left_out = 0.0;  // share of all windows that overlap a constant region
};

/// How many of this many windows count as the quietest.
std::size_t quiet_count(std::size_t windows) {
    const auto share = static_cast<std::size_t>(quiet_share * static_cast<double>(windows));
    return std::max(share, std::min(windows / 2 + 1, enough_windows));
}

/// Sorts the windows by this band, quietest first. The fine coefficients break ties, so that the order depends on the
/// image alone.
void sort_by(double Window::*power, std::vector<Window>& windows) {
    std::sort(windows.begin(), windows.end(), [power](const Window& a, const Window& b) {
        return std::pair(a.*power, a.fine) < std::pair(b.*power, b.fine);
    });
}

/// The windows outside constant regions, sorted by their coarse coefficients.
Windows all_windows(const Matrix& plane, std::span<const Matrix> samples, int threads) {
    const DctBasis basis = dct_basis();
    const ConstantRegions constant(samples);
    std::vector<ClipLevels> levels;
    for (const Matrix& sampled : samples) levels.push_back(find_clip_levels(sampled, constant));
    const std::size_t down = plane.rows() - side + 1;
    const std::size_t across = plane.cols() - side + 1;
    std::size_t stride = 1;
    while ((down / stride) * (across / stride) > most_windows) ++stride;
    std::vector<std::vector<Window>> rows((down + stride - 1) / stride);
    parallel_for(rows.size(), threads, [&](std::size_t number, int) {
        const std::size_t row = number * stride;
        for (std::size_t col = 0; col < across; col += stride) {
            if (constant.overlapped_by(row, col)) continue;
            Window& window = rows[number].emplace_back(energies(plane, row, col, basis));
            window.equal = equal_neighbours(plane, row, col);
            window.headroom = headroom(samples, levels, row, col);
        }
    });
    std::vector<Window> windows;
    for (const std::vector<Window>& row : rows) windows.insert(windows.end(), row.begin(), row.end());
    const std::size_t left_out = rows.size() * ((across + stride - 1) / stride) - windows.size();
    sort_by(&Window::coarse, windows);
    const double share = static_cast<double>(left_out) / static_cast<double>(left_out + windows.size());
    return {.list = std::move(windows), .stride = stride, .left_out = share};
}

/// The mean square of one band over quiet windows, and how many these are.
struct BandPower {
    double power;
    std::size_t windows;
    std::size_t coefficients;  // of the band, in one window
    double equal;              // share of equal neighbours
};

/// A band, and the other coefficients of a window, which show whether it is quiet.
struct Band {
    double Window::*power;
    double Window::*elsewhere;
    std::size_t coefficients;
};

/// Averages over windows with enough headroom, quietest first: the quietest, and as many more as have no more power
/// elsewhere than `explained`, the power of the noise.
BandPower power_of(const Band& band, std::span<const Window> windows, double least_headroom, double explained) {
    const auto counts = [least_headroom](const Window& window) { return window.headroom >= least_headroom; };
    const auto available = static_cast<std::size_t>(std::count_if(windows.begin(), windows.end(), counts));
    const std::size_t quiet = quiet_count(available);
    double sum = 0.0, equal = 0.0;
    std::size_t taken = 0;
    for (const Window& window : windows) {
        if (!counts(window)) continue;
        if (taken >= quiet && window.*band.elsewhere > explained) break;
        sum += window.*band.power;
        equal += window.equal;
        ++taken;
    }
    const auto all = static_cast<double>(taken);
    return {.power = sum / all, .windows = taken, .coefficients = band.coefficients, .equal = equal / all};
}

/// The standard deviation of the ratio of two such powers, if both are of the same noise.
double ratio_std(const BandPower& a, const BandPower& b, std::size_t stride) {
    // Windows one pixel apart share almost all their pixels; half their side apart they are nearly independent.
    constexpr std::size_t apart = side / 2;
    const double overlap = static_cast<double>(std::min(stride, apart)) / static_cast<double>(apart);
    const auto relative_variance = [overlap](const BandPower& of) {
        return 2.0 / (static_cast<double>(of.windows) * overlap * overlap * static_cast<double>(of.coefficients));
    };
    return std::sqrt(relative_variance(a) + relative_variance(b));
}

/// The power of the noise from the finest band and those that are fine in one direction. White noise is equally strong
/// in all: a band with more contains some of the image and does not count, and a band with less, by more than chance
/// explains, shows that the others contain some.
double combined_power(const BandPower& fine, Windows& windows, double least_headroom) {
    sort_by(&Window::smooth, windows.list);
    double least = fine.power;
    double sum = 0.0, weights = 0.0;
    const auto count = [&](const BandPower& band) {
        const double weight = static_cast<double>(band.windows) * static_cast<double>(band.coefficients);
        sum += weight * band.power;
        weights += weight;
    };
    count(fine);
    for (double Window::*const direction : {&Window::down, &Window::across}) {
        const BandPower sharp =
            power_of({direction, &Window::smooth, sharp_count}, windows.list, least_headroom, fine.power);
        const double chance = ratio_std(fine, sharp, windows.stride);
        if (sharp.power < (1.0 - too_little * chance) * fine.power)
            least = std::min(least, sharp.power);
        else if (sharp.power <= (1.0 + too_much * chance) * fine.power)
            count(sharp);
    }
    return least < fine.power ? least : sum / weights;
}

/// The largest headroom that still leaves enough windows to count as the quietest.
double most_headroom(std::span<const Window> windows) {
    std::vector<double> all(windows.size());
    std::transform(windows.begin(), windows.end(), all.begin(), [](const Window& window) { return window.headroom; });
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(quiet_count(all.size()) - 1);
    std::nth_element(all.begin(), last, all.end(), std::greater<>());
    return *last;
}

}  // namespace

double estimate_noise(const Matrix& plane, std::span<const Matrix> samples, int threads) {
    if (plane.rows() < side || plane.cols() < side) return 0.0;
    Windows windows = all_windows(plane, samples, threads);
    if (windows.left_out > 1.0 - least_counted) return 0.0;
    const Band band{&Window::fine, &Window::coarse, fine_count};
    const double most = most_headroom(windows.list);
    double least_headroom = std::min(0.0, most);
    BandPower fine = power_of(band, windows.list, least_headroom, 0.0);
    if (windows.left_out > much_background && fine.equal > drawing_equal) return 0.0;
    // Near clip levels noise looks weaker than it is, so the estimate does not fall from one iteration to the next.
    constexpr int iterations = 8;
    for (int i = 0; i < iterations && !std::isinf(most); ++i) {
        least_headroom = std::min(clip_margin * std::sqrt(fine.power), most);
        const BandPower found = power_of(band, windows.list, least_headroom, 0.0);
        if (found.power > fine.power) fine = found;
    }
    if (windows.left_out > some_background && fine.equal > drawing_equal) return 0.0;
    // With less headroom than this all windows are clipped, the more so the closer they are to the clip levels.
    if (least_headroom == most && most < least_margin * std::sqrt(fine.power)) return std::sqrt(fine.power);
    for (int i = 0; i < iterations; ++i) fine = power_of(band, windows.list, least_headroom, fine.power);
    return std::sqrt(combined_power(fine, windows, least_headroom));
}

}  // namespace sbdl
