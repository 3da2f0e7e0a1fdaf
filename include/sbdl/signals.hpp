// Sources of signals: memory or a file. One signal per row.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sbdl/matrix.hpp"

namespace sbdl {

class Ranks;

/// A set of signals of one length that can be read in any order, from any thread.
class SignalSource {
public:
    SignalSource() = default;
    SignalSource(const SignalSource&) = delete;
    SignalSource& operator=(const SignalSource&) = delete;
    virtual ~SignalSource() = default;

    [[nodiscard]] virtual std::size_t count() const = 0;
    [[nodiscard]] virtual std::size_t dim() const = 0;

    /// Writes signals first, first + 1, ..., first + how_many - 1, one after the other, to out (how_many * dim()
    /// doubles).
    virtual void read(std::size_t first, std::size_t how_many, double* out) const = 0;

    /// The name of this source in error messages: a file name, or "signals in memory".
    [[nodiscard]] virtual std::string name() const = 0;
};

/// Signals that are already in memory. They are not copied: the rows must outlive the source.
class MemorySource final : public SignalSource {
public:
    explicit MemorySource(MatrixView rows) : rows_(rows) {}
    explicit MemorySource(Matrix&&) = delete;  ///< it would not outlive the source
    [[nodiscard]] std::size_t count() const override { return rows_.rows; }
    [[nodiscard]] std::size_t dim() const override { return rows_.cols; }
    void read(std::size_t first, std::size_t how_many, double* out) const override;
    [[nodiscard]] std::string name() const override { return "signals in memory"; }

private:
    MatrixView rows_;
};

/// Opens .npy (memory-mapped), .csv/.txt, .h5/.hdf5 or .mat files, by their extension. `dataset` names the HDF5 dataset
/// or the MATLAB variable; when empty, the file must hold exactly one two-dimensional real array. Throws FileError or
/// InputError.
std::unique_ptr<SignalSource> open_signals(const std::filesystem::path& path, const std::string& dataset = {});

/// A whole file as one matrix, from the same formats.
Matrix load_matrix(const std::filesystem::path& path, const std::string& dataset = {});

/// Whether NaN may stand for a missing entry; not all methods accept them.
enum class MissingValues { rejected, allowed };

/// What is done with signals all of whose entries are missing.
enum class EmptySignals {
    refuse,  ///< an InputError names the first of them
    ignore   ///< nothing is learned from them, and their codes and reconstructions are zero
};
constexpr std::array<std::string_view, 2> words_of(EmptySignals) {
    return {"refuse", "ignore"};
}

/// Throws InputError unless the source has at least one signal of at least one entry, all finite. Where missing entries
/// are allowed, each signal must have at least one that is not missing, unless `empty` says otherwise. The message
/// names row, column and value. With ranks, each checks a part.
void check_signals(const SignalSource& source, MissingValues missing = MissingValues::rejected,
                   const Ranks* ranks = nullptr, EmptySignals empty = EmptySignals::refuse);

/// Signals with missing entries: NaN where the mask is 0, the signals' own entries where it is 1. Both sources must
/// outlive this one.
class MaskedSource final : public SignalSource {
public:
    /// Throws InputError unless the mask has as many rows and columns as the signals.
    MaskedSource(const SignalSource& signals, const SignalSource& mask);
    [[nodiscard]] std::size_t count() const override { return signals_.count(); }
    [[nodiscard]] std::size_t dim() const override { return signals_.dim(); }
    /// Throws InputError for an entry of the mask that is neither 0 nor 1.
    void read(std::size_t first, std::size_t how_many, double* out) const override;
    [[nodiscard]] std::string name() const override { return signals_.name(); }

private:
    const SignalSource& signals_;
    const SignalSource& mask_;
};

/// Writes a float64 .npy file in C order. The file is written whole or not at all. Throws FileError.
void save_npy(const std::filesystem::path& path, MatrixView matrix);

/// Writes a .npy file block by block. No file is left behind unless finish() returns.
class NpyWriter {
public:
    NpyWriter(std::filesystem::path path, std::size_t rows, std::size_t cols);
    NpyWriter(const NpyWriter&) = delete;
    NpyWriter& operator=(const NpyWriter&) = delete;
    ~NpyWriter();
    void append(MatrixView rows);
    void finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sbdl
