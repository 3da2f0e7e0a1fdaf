// Exactly constant regions of an image, compared with a check of every window.
#include "denoise/constant_regions.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/random_problem.hpp"

namespace sbdl {
namespace {

constexpr std::size_t side = ConstantRegions::side;

bool constant(const Matrix& plane, std::size_t row, std::size_t col) {
    for (std::size_t y = 0; y < side; ++y)
        for (std::size_t x = 0; x < side; ++x)
            if (plane(row + y, col + x) != plane(row, col)) return false;
    return true;
}

/// Pixels of windows that are constant in all planes.
std::vector<bool> constant_pixels(const std::vector<Matrix>& planes) {
    const std::size_t rows = planes[0].rows(), cols = planes[0].cols();
    std::vector<bool> marked(rows * cols, false);
    for (std::size_t row = 0; row + side <= rows; ++row)
        for (std::size_t col = 0; col + side <= cols; ++col) {
            bool all = true;
            for (const Matrix& plane : planes) all = all && constant(plane, row, col);
            for (std::size_t i = 0; all && i < side * side; ++i)
                marked[(row + i / side) * cols + col + i % side] = true;
        }
    return marked;
}

void fill(Matrix& plane, std::size_t row, std::size_t col, std::size_t height, std::size_t width, double value) {
    for (std::size_t y = row; y < row + height; ++y)
        for (std::size_t x = col; x < col + width; ++x) plane(y, x) = value;
}

void expect_same_as_every_window(const std::vector<Matrix>& planes) {
    const ConstantRegions regions(planes);
    const std::vector<bool> marked = constant_pixels(planes);
    const std::size_t rows = planes[0].rows(), cols = planes[0].cols();
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t col = 0; col < cols; ++col)
            EXPECT_EQ(regions.at(row, col), marked[row * cols + col]) << row << ", " << col;
    for (std::size_t row = 0; row + side <= rows; ++row)
        for (std::size_t col = 0; col + side <= cols; ++col) {
            bool overlaps = false;
            for (std::size_t i = 0; i < side * side; ++i)
                overlaps = overlaps || marked[(row + i / side) * cols + col + i % side];
            EXPECT_EQ(regions.overlapped_by(row, col), overlaps) << row << ", " << col;
        }
}

Matrix noise(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    test::Numbers numbers(seed);
    Matrix plane(rows, cols);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] = numbers.normal();
    return plane;
}

TEST(ConstantRegions, AreTheConstantWindows) {
    Matrix plane = noise(40, 52, 1);
    expect_same_as_every_window({plane});
    fill(plane, 0, 0, 40, 9, 3.0);     // along an edge
    fill(plane, 5, 30, 8, 8, 3.0);     // just one window
    fill(plane, 20, 20, 7, 30, 3.0);   // too low
    fill(plane, 28, 40, 12, 12, 1.0);  // in the corner, beside another value
    fill(plane, 28, 30, 12, 10, 2.0);
    expect_same_as_every_window({plane});
}

TEST(ConstantRegions, AreConstantInAllPlanes) {
    std::vector<Matrix> planes{noise(30, 30, 2), noise(30, 30, 3)};
    fill(planes[0], 3, 3, 20, 20, 0.0);
    expect_same_as_every_window(planes);
    EXPECT_FALSE(ConstantRegions(planes).at(10, 10));
    fill(planes[1], 8, 1, 14, 14, 5.0);
    expect_same_as_every_window(planes);
    EXPECT_TRUE(ConstantRegions(planes).at(10, 10));
}

TEST(ConstantRegions, CoverAConstantImage) {
    expect_same_as_every_window({Matrix(8, 8, 1.0)});
    expect_same_as_every_window({Matrix(17, 9, 0.0)});
    EXPECT_FALSE(ConstantRegions(std::vector<Matrix>{Matrix(7, 30, 0.0)}).at(3, 3));  // no window fits
}

}  // namespace
}  // namespace sbdl
