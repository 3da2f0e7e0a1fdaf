// A plane of an image in single precision: what the passes over the patches read and make, at half the memory.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

class StateArchive;

/// A value is offset + unit * stored number. Stored numbers are about 1 or less, so that neither units nor an offset
/// that is large compared with the differences costs precision. The unit is a power of two: it rounds nothing.
struct PlaneScale {
    double offset = 0.0, unit = 1.0;
};

/// Rows x cols pixels, row-major.
class Plane {
public:
    Plane() = default;
    /// Every pixel has the value of the scale's offset.
    Plane(std::size_t rows, std::size_t cols, PlaneScale scale = {})
        : rows_(rows), cols_(cols), scale_(scale), stored_(rows * cols + padding) {}
    /// With a scale that suits these values.
    explicit Plane(const Matrix& values);

    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t cols() const { return cols_; }
    [[nodiscard]] std::size_t size() const { return rows_ * cols_; }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] const PlaneScale& scale() const { return scale_; }

    /// Of all pixels, row by row.
    double operator[](std::size_t i) const { return value(stored_[i]); }
    double operator()(std::size_t row, std::size_t col) const { return (*this)[row * cols_ + col]; }
    void set(std::size_t i, double value) { stored_[i] = static_cast<float>((value - scale_.offset) / scale_.unit); }
    void set(std::size_t row, std::size_t col, double value) { set(row * cols_ + col, value); }
    /// `count` pixels of a row.
    void read(std::size_t row, std::size_t col, std::size_t count, double* out) const {
        const float* const from = stored_row(row) + col;
        for (std::size_t j = 0; j < count; ++j) out[j] = value(from[j]);
    }
    [[nodiscard]] Matrix matrix() const;
    /// The least and the largest value.
    [[nodiscard]] std::pair<double, double> range() const;

    /// The stored numbers of a row. After the last row `padding` more may be read.
    [[nodiscard]] const float* stored_row(std::size_t row) const { return stored_.data() + row * cols_; }
    float* stored_row(std::size_t row) { return stored_.data() + row * cols_; }
    static constexpr std::size_t padding = 16;

    void archive(StateArchive& archive);

private:
    [[nodiscard]] double value(float stored) const { return scale_.offset + scale_.unit * static_cast<double>(stored); }

    std::size_t rows_ = 0, cols_ = 0;
    PlaneScale scale_;
    std::vector<float> stored_;  // padded
};

}  // namespace sbdl
