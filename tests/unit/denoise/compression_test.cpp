// Images whose finest detail was rounded away in blocks, as JPEG does.
#include "denoise/compression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "denoise/window_dct.hpp"
#include "sbdl/synth.hpp"

namespace sbdl {
namespace {

/// Rounds the coefficients of every block to multiples of `step`, times one plus their frequency.
Matrix rounded_in_blocks(const Matrix& plane, double step) {
    const DctBasis basis = dct_basis();
    Matrix result(plane.rows(), plane.cols());
    for (std::size_t row = 0; row + dct_side <= plane.rows(); row += dct_side)
        for (std::size_t col = 0; col + dct_side <= plane.cols(); col += dct_side) {
            WindowDct coefficients = window_dct(plane, row, col, basis);
            for (std::size_t j = 0; j < dct_side; ++j)
                for (std::size_t k = 0; k < dct_side; ++k) {
                    const double unit = step * static_cast<double>(1 + j + k);
                    coefficients[j][k] = unit * std::round(coefficients[j][k] / unit);
                }
            for (std::size_t y = 0; y < dct_side; ++y)
                for (std::size_t x = 0; x < dct_side; ++x) {
                    double sum = 0.0;
                    for (std::size_t j = 0; j < dct_side; ++j)
                        for (std::size_t k = 0; k < dct_side; ++k)
                            sum += coefficients[j][k] * basis[j][y] * basis[k][x];
                    result(row + y, col + x) = std::round(sum);
                }
        }
    return result;
}

Matrix part(const Matrix& plane, std::size_t row, std::size_t col) {
    Matrix result(plane.rows() - row, plane.cols() - col);
    for (std::size_t y = 0; y < result.rows(); ++y)
        for (std::size_t x = 0; x < result.cols(); ++x) result(y, x) = plane(row + y, col + x);
    return result;
}

TEST(Compression, BlocksWithoutFineDetailAreNoticed) {
    const Matrix noisy = make_noisy(make_image(160, 160, false, 1), 5.0, 1).planes[0];
    EXPECT_FALSE(strongly_compressed(noisy, 1));
    EXPECT_FALSE(strongly_compressed(rounded_in_blocks(noisy, 0.2), 1)) << "the noise has survived";
    const Matrix compressed = rounded_in_blocks(noisy, 4.0);
    EXPECT_TRUE(strongly_compressed(compressed, 1));
    EXPECT_TRUE(strongly_compressed(part(compressed, 3, 6), 3)) << "cropped";
}

TEST(Compression, OtherImagesAreNotTakenForCompressed) {
    for (const double sigma : {0.0, 2.0, 25.0})
        EXPECT_FALSE(strongly_compressed(make_noisy(make_image(128, 128, false, 2), sigma, 2).planes[0], 1)) << sigma;
    EXPECT_FALSE(strongly_compressed(Matrix(128, 128, 7.0), 1));
    EXPECT_FALSE(strongly_compressed(Matrix(8, 8, 7.0), 1));
}

}  // namespace
}  // namespace sbdl
