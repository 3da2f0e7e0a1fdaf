#include "denoise/repeats.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/parallel.hpp"
#include "denoise/window_dct.hpp"

namespace sbdl {
namespace {

constexpr std::size_t repeat_pixels = dct_side * dct_side;
constexpr std::size_t most_compared = 256;  // pixels of the middle of a large image, which are enough
constexpr std::size_t fewest_busy = 100;
constexpr double least_repeated = 0.5;  // of the busy windows
// Of the pixels of a busy window at least a quarter differ from its most frequent value in some plane. Two windows of
// noise with fewer, as where light is counted in the dark, may be equal by chance.
constexpr std::size_t most_equal = 48;

struct WindowPosition {
    std::size_t row, col;
};

std::uint64_t mixed(std::uint64_t hash, double value) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * odd;
    return hash ^ (hash >> 29);
}

std::uint64_t hash_of(std::span<const Matrix> planes, WindowPosition at) {
    std::uint64_t hash = 1;
    for (const Matrix& plane : planes)
        for (std::size_t y = 0; y < dct_side; ++y) {
            const double* pixels = plane.row(at.row + y).data() + at.col;
            for (std::size_t x = 0; x < dct_side; ++x) hash = mixed(hash, pixels[x]);
        }
    return hash;
}

bool busy(const Matrix& plane, WindowPosition at) {
    std::array<double, repeat_pixels> sorted;
    for (std::size_t y = 0; y < dct_side; ++y)
        std::copy_n(plane.row(at.row + y).data() + at.col, dct_side, sorted.begin() + y * dct_side);
    std::ranges::sort(sorted);
    std::size_t run = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
        if (run > most_equal) return false;
    }
    return true;
}

}  // namespace

bool repeats_exactly(std::span<const Matrix> planes, int threads) {
    if (planes.empty() || planes[0].rows() < dct_side || planes[0].cols() < dct_side) return false;
    const std::size_t height = std::min(planes[0].rows(), most_compared),
                      width = std::min(planes[0].cols(), most_compared);
    const std::size_t top = (planes[0].rows() - height) / 2, left = (planes[0].cols() - width) / 2;
    const std::size_t down = height - dct_side + 1, across = width - dct_side + 1;
    const auto position = [&](std::size_t number) {
        return WindowPosition{top + number / across, left + number % across};
    };
    std::vector<std::uint64_t> hashes(down * across);
    parallel_for(down, threads, [&](std::size_t row, int) {
        for (std::size_t i = row * across; i < (row + 1) * across; ++i) hashes[i] = hash_of(planes, position(i));
    });
    std::unordered_map<std::uint64_t, std::size_t> count;
    for (const std::uint64_t hash : hashes) ++count[hash];
    if (count.size() == hashes.size()) return false;  // as every image with noise
    std::size_t all = 0, repeated = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (std::ranges::none_of(planes, [&](const Matrix& plane) { return busy(plane, position(i)); })) continue;
        ++all;
        if (count[hashes[i]] > 1) ++repeated;
    }
    return all >= fewest_busy && static_cast<double>(repeated) >= least_repeated * static_cast<double>(all);
}

}  // namespace sbdl
