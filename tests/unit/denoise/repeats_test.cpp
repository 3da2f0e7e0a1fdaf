// Patterns that repeat exactly have no noise.
#include "denoise/repeats.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "poisson_image.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {
namespace {

Matrix chessboard(std::size_t side, std::size_t field) {
    Matrix board(side, side);
    for (std::size_t row = 0; row < side; ++row)
        for (std::size_t col = 0; col < side; ++col)
            board(row, col) = (row / field + col / field) % 2 == 0 ? 80.0 : 180.0;
    return board;
}

bool repeats(const Matrix& plane) {
    return repeats_exactly({&plane, 1}, 1);
}

TEST(Repeats, AChessboardDoes) {
    for (const std::size_t field : {2, 4, 6}) EXPECT_TRUE(repeats(chessboard(96, field))) << field;
}

TEST(Repeats, AChessboardWithNoiseDoesNot) {
    Matrix board = chessboard(96, 4);
    test::Numbers numbers(1);
    for (std::size_t i = 0; i < board.size(); ++i) board.data()[i] = std::round(board.data()[i] + numbers.normal());
    EXPECT_FALSE(repeats(board));
}

// Most windows hold one count or two, and many of them are equal by chance.
TEST(Repeats, SingleCountsInTheDarkDoNot) {
    EXPECT_FALSE(repeats(test::with_poisson_noise(Matrix(160, 160, 0.02), {1.0, 0.0, 0.0}, 1)));
}

TEST(Repeats, AConstantImageDoesNot) {
    EXPECT_FALSE(repeats(Matrix(64, 64, 7.0)));
}

TEST(Repeats, APatternIsLeftAsItIs) {
    Image image;
    image.planes = {chessboard(144, 4)};
    image.samples = Samples::u8;
    const DenoiseResult result = denoise(image);
    EXPECT_TRUE(result.unchanged);
    EXPECT_EQ(result.noise_sd, 0.0);
    ASSERT_EQ(result.noise.sentences.size(), 1);
    EXPECT_NE(result.noise.sentences[0].find("repeats itself exactly"), std::string::npos);
}

}  // namespace
}  // namespace sbdl
