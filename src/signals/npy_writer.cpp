// Writing .npy files, whole (save_npy) or block by block (NpyWriter).
#include <fmt/format.h>

#include <array>
#include <bit>
#include <span>
#include <string>
#include <utility>

#include "base/atomic_file.hpp"
#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "signals/npy_header.hpp"

namespace sbdl {

struct NpyWriter::Impl {
    Impl(std::filesystem::path path, std::size_t row_count, std::size_t col_count)
        : file(std::move(path)), rows(row_count), cols(col_count) {
        const std::string header =
            make_npy_header(std::endian::native == std::endian::big ? ">f8" : "<f8", std::array{rows, cols});
        file.write(std::as_bytes(std::span(header)));
    }

    [[nodiscard]] std::string name() const { return file.target().string(); }

    AtomicFile file;
    std::size_t rows;
    std::size_t cols;
    std::size_t rows_written = 0;
};

NpyWriter::NpyWriter(std::filesystem::path path, std::size_t rows, std::size_t cols)
    : impl_(std::make_unique<Impl>(std::move(path), rows, cols)) {}

NpyWriter::~NpyWriter() = default;

void NpyWriter::append(MatrixView rows) {
    if (rows.cols != impl_->cols || rows.rows > impl_->rows - impl_->rows_written) {
        throw InputError(fmt::format("{}: {} x {} numbers do not fit after {} rows of an array of {} x {}",
                                     impl_->name(), rows.rows, rows.cols, impl_->rows_written, impl_->rows,
                                     impl_->cols));
    }
    impl_->file.write(std::as_bytes(std::span(rows.data, rows.rows * rows.cols)));
    impl_->rows_written += rows.rows;
}

void NpyWriter::finish() {
    if (impl_->rows_written != impl_->rows) {
        throw InputError(
            fmt::format("{}: {} of {} rows were written", impl_->name(), impl_->rows_written, impl_->rows));
    }
    impl_->file.commit();
}

void save_npy(const std::filesystem::path& path, MatrixView matrix) {
    NpyWriter writer(path, matrix.rows, matrix.cols);
    writer.append(matrix);
    writer.finish();
}

}  // namespace sbdl
