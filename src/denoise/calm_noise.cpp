#include "denoise/calm_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "denoise/flat_places.hpp"
#include "denoise/scale_ends.hpp"

namespace sbdl {
namespace {

constexpr std::size_t side = FlatPlaces::side;
constexpr std::size_t first_fine = 10;   // coefficients (i, j) with i + j at least this
constexpr std::size_t fine_count = 15;   // there are so many of them
constexpr std::size_t first_sharp = 5;   // of the others, (i, j) with i or j at least this are fine in one direction
constexpr std::size_t sharp_count = 12;  // in each of the two
constexpr double too_little = 3.0;       // standard deviations that these may hold less than the fine ones by chance
constexpr double too_much = 1.0;         // and that they may hold more, before they are said to hold some of the image
constexpr double least_left = 0.02;      // of the windows outside flat places: less is what is drawn on paper
// A drawing: so many neighbours are equal in its calm windows, and so many windows are paper, or reach into it. Noise
// of less than the step of the samples has as many equal neighbours, but no paper. Of much paper all windows are looked
// at, of less only those that keep away from the ends of the scale: a photograph at night has places with black noise.
constexpr double most_alike = 0.5, some_paper = 0.25, most_paper = 0.75;
constexpr double calm_share = 0.07;   // of the windows
constexpr double free_of_ends = 3.0;  // deviations that a window's mean keeps from where the samples are cut off
constexpr double least_free = 2.0;    // deviations that they keep at least, for more than the calmest of them to count
constexpr std::size_t most_windows = 250'000;
constexpr std::size_t enough_windows = 300;  // taken from a small image, though no more than half of its windows

using Basis = std::array<std::array<double, side>, side>;

Basis dct_basis() {
    Basis basis;
    for (std::size_t k = 0; k < side; ++k)
        for (std::size_t x = 0; x < side; ++x)
            basis[k][x] = std::sqrt((k == 0 ? 1.0 : 2.0) / side) *
                          std::cos(std::numbers::pi * (static_cast<double>(x) + 0.5) * static_cast<double>(k) / side);
    return basis;
}

struct Window {
    // Mean squares of coefficients.
    double coarse;                                          // all but the fine ones
    double fine;                                            // in both directions
    double down = 0.0, across = 0.0;                        // of the coarse ones, those fine in this direction
    double smooth = 0.0;                                    // in neither
    double alike = 0.0;                                     // share of equal neighbours
    double room = std::numeric_limits<double>::infinity();  // from the mean to where samples are cut off
};

Window energies(const Matrix& plane, std::size_t row, std::size_t col, const Basis& basis) {
    Basis half{};  // the window with its rows transformed
    for (std::size_t y = 0; y < side; ++y) {
        const double* pixels = plane.row(row + y).data() + col;
        for (std::size_t k = 0; k < side; ++k)
            for (std::size_t x = 0; x < side; ++x) half[y][k] += basis[k][x] * pixels[x];
    }
    Window window{.coarse = 0.0, .fine = 0.0};
    for (std::size_t k = 0; k < side; ++k)
        for (std::size_t j = k == 0 ? 1 : 0; j < side; ++j) {
            double coefficient = 0.0;
            for (std::size_t y = 0; y < side; ++y) coefficient += basis[j][y] * half[y][k];
            const double square = coefficient * coefficient;
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

/// Share of the pixels of a window that are as the one to their left.
double alike(const Matrix& plane, std::size_t row, std::size_t col) {
    std::size_t same = 0;
    for (std::size_t y = 0; y < side; ++y) {
        const double* pixels = plane.row(row + y).data() + col;
        for (std::size_t x = 1; x < side; ++x) same += pixels[x] == pixels[x - 1] ? 1 : 0;
    }
    return static_cast<double>(same) / (side * (side - 1));
}

/// How far the samples of a window are, on average, from where they would be cut off; in the plane that is nearest.
double room(std::span<const Matrix> samples, std::span<const ScaleEnds> ends, std::size_t row, std::size_t col) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < samples.size(); ++p) {
        if (ends[p].endless()) continue;
        double sum = 0.0;
        for (std::size_t y = 0; y < side; ++y) {
            const double* pixels = samples[p].row(row + y).data() + col;
            sum = std::accumulate(pixels, pixels + side, sum);
        }
        least = std::min(least, ends[p].distance(sum / (side * side)));
    }
    return least;
}

struct Windows {
    std::vector<Window> list;
    std::size_t stride = 1;
    double left_out = 0.0;  // share of all, for being in flat places or reaching into one
};

/// How many of so many windows are calm enough.
std::size_t calm_count(std::size_t windows) {
    const auto asked = static_cast<std::size_t>(calm_share * static_cast<double>(windows));
    return std::max(asked, std::min(windows / 2 + 1, enough_windows));
}

/// Sorts them by what they hold, calmest first; the fine coefficients settle ties, so that the order is the image's
/// alone.
void sort_by(double Window::*power, std::vector<Window>& windows) {
    std::sort(windows.begin(), windows.end(), [power](const Window& a, const Window& b) {
        return std::pair(a.*power, a.fine) < std::pair(b.*power, b.fine);
    });
}

/// The windows that count, by the calm of their coarse coefficients.
Windows all_windows(const Matrix& plane, std::span<const Matrix> samples) {
    const Basis basis = dct_basis();
    const FlatPlaces flat(samples);
    std::vector<ScaleEnds> ends;
    for (const Matrix& sampled : samples) ends.push_back(scale_ends(sampled, flat));
    const std::size_t down = plane.rows() - side + 1;
    const std::size_t across = plane.cols() - side + 1;
    std::size_t stride = 1;
    while ((down / stride) * (across / stride) > most_windows) ++stride;
    std::vector<Window> windows;
    std::size_t left_out = 0;
    for (std::size_t row = 0; row < down; row += stride)
        for (std::size_t col = 0; col < across; col += stride)
            if (flat.reached_from(row, col)) {
                ++left_out;
            } else {
                windows.push_back(energies(plane, row, col, basis));
                windows.back().alike = alike(plane, row, col);
                windows.back().room = room(samples, ends, row, col);
            }
    sort_by(&Window::coarse, windows);
    const double share = static_cast<double>(left_out) / static_cast<double>(left_out + windows.size());
    return {.list = std::move(windows), .stride = stride, .left_out = share};
}

/// The mean square of one band over calm windows, and how many these are.
struct BandPower {
    double power;
    std::size_t windows;
    std::size_t coefficients;  // of the band, in one window
    double alike;              // share of equal neighbours
};

/// A band, and where in a window it is told whether that is calm: in other coefficients.
struct Band {
    double Window::*power;
    double Window::*elsewhere;
    std::size_t coefficients;
};

/// Looks at windows in the order of their calm that have room: at the calmest, and at as many more as hold no more
/// elsewhere than noise of this power would have them hold.
BandPower power_of(const Band& band, std::span<const Window> windows, double least_room, double explained) {
    const auto has_room = [least_room](const Window& window) { return window.room >= least_room; };
    const auto free = static_cast<std::size_t>(std::count_if(windows.begin(), windows.end(), has_room));
    const std::size_t calm = calm_count(free);
    double sum = 0.0, alike = 0.0;
    std::size_t taken = 0;
    for (const Window& window : windows) {
        if (!has_room(window)) continue;
        if (taken >= calm && window.*band.elsewhere > explained) break;
        sum += window.*band.power;
        alike += window.alike;
        ++taken;
    }
    const auto all = static_cast<double>(taken);
    return {.power = sum / all, .windows = taken, .coefficients = band.coefficients, .alike = alike / all};
}

/// The standard deviation of how two such powers compare, if both are of the same noise.
double deviation(const BandPower& a, const BandPower& b, std::size_t stride) {
    // Windows a pixel apart share nearly everything; half of their side apart they are as good as independent.
    constexpr std::size_t apart = side / 2;
    const double overlap = static_cast<double>(std::min(stride, apart)) / static_cast<double>(apart);
    const auto relative_variance = [overlap](const BandPower& of) {
        return 2.0 / (static_cast<double>(of.windows) * overlap * overlap * static_cast<double>(of.coefficients));
    };
    return std::sqrt(relative_variance(a) + relative_variance(b));
}

/// The power of the noise from what is fine in both directions and from what is fine in one only. White noise is as
/// strong everywhere: one that holds more has some of the image and does not count, and one that holds less, by more
/// than chance would have it, shows that the others do.
double compared(const BandPower& fine, Windows& windows, double least_room) {
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
            power_of({direction, &Window::smooth, sharp_count}, windows.list, least_room, fine.power);
        const double chance = deviation(fine, sharp, windows.stride);
        if (sharp.power < (1.0 - too_little * chance) * fine.power)
            least = std::min(least, sharp.power);
        else if (sharp.power <= (1.0 + too_much * chance) * fine.power)
            count(sharp);
    }
    return least < fine.power ? least : sum / weights;
}

/// The room that at least as many windows have as are needed.
double most_room(std::span<const Window> windows) {
    std::vector<double> rooms(windows.size());
    std::transform(windows.begin(), windows.end(), rooms.begin(), [](const Window& window) { return window.room; });
    const auto last = rooms.begin() + static_cast<std::ptrdiff_t>(calm_count(rooms.size()) - 1);
    std::nth_element(rooms.begin(), last, rooms.end(), std::greater<>());
    return *last;
}

}  // namespace

double calm_noise(const Matrix& plane, std::span<const Matrix> samples) {
    if (plane.rows() < side || plane.cols() < side) return 0.0;
    Windows windows = all_windows(plane, samples);
    if (windows.left_out > 1.0 - least_left) return 0.0;
    const Band band{&Window::fine, &Window::coarse, fine_count};
    const double most = most_room(windows.list);
    double least_room = std::min(0.0, most);
    BandPower fine = power_of(band, windows.list, least_room, 0.0);
    if (windows.left_out > most_paper && fine.alike > most_alike) return 0.0;
    // Near the ends noise looks weaker than it is, so every look finds as much as the last or more.
    constexpr int looks = 8;
    for (int look = 0; look < looks && !std::isinf(most); ++look) {
        least_room = std::min(free_of_ends * std::sqrt(fine.power), most);
        const BandPower found = power_of(band, windows.list, least_room, 0.0);
        if (found.power > fine.power) fine = found;
    }
    if (windows.left_out > some_paper && fine.alike > most_alike) return 0.0;
    // With less room than this all windows are cut off, and the more of them the closer they are to the ends.
    if (least_room == most && most < least_free * std::sqrt(fine.power)) return std::sqrt(fine.power);
    for (int look = 0; look < looks; ++look) fine = power_of(band, windows.list, least_room, fine.power);
    return std::sqrt(compared(fine, windows, least_room));
}

}  // namespace sbdl
