// Codes of any number of signals, a block at a time: blocks run on the threads and are handed on in their order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "coders/fista.hpp"
#include "coders/scale.hpp"
#include "kernels/cpu/blas.hpp"
#include "sbdl/error.hpp"
#include "sbdl/fista.hpp"

namespace sbdl {
namespace {

constexpr std::size_t fista_blocks_a_thread = 4;  // in a round, so that threads seldom wait for each other

void check(MatrixView dictionary, const FistaOptions& options) {
    if (dictionary.rows == 0 || dictionary.cols == 0)
        throw InputError(fmt::format("fista: the dictionary is empty ({} x {})", dictionary.rows, dictionary.cols));
    constexpr std::size_t most = std::numeric_limits<int>::max();
    if (dictionary.rows > most || dictionary.cols > most)
        throw InputError(fmt::format("fista: a dictionary of {} atoms of length {} is too large; the most is {}",
                                     dictionary.rows, dictionary.cols, most));
    for (std::size_t i = 0; i < dictionary.rows * dictionary.cols; ++i)
        if (!std::isfinite(dictionary.data[i]))
            throw InputError(fmt::format("fista: atom {}, entry {} (counted from 0) is {}; atoms must be finite",
                                         i / dictionary.cols, i % dictionary.cols, dictionary.data[i]));
    if (!(std::isfinite(options.lambda) && options.lambda > 0.0))
        throw InputError(fmt::format("fista: lambda is {}, must be a number above 0", options.lambda));
    if (options.max_steps < 1)
        throw InputError(fmt::format("fista: max_steps is {}, must be at least 1", options.max_steps));
    if (!(options.tolerance >= 0.0 && options.tolerance <= 1.0))
        throw InputError(fmt::format("fista: tolerance is {}, must be 0 to 1", options.tolerance));
}

/// A dictionary brought near 1, and what codes it.
class Coder {
public:
    Coder(MatrixView dictionary, const FistaOptions& options)
        : options_(options),
          D_(as_columns(dictionary)),
          exponent_(take_out_scale({D_.data(), static_cast<std::size_t>(D_.size())})),
          fista_(D_) {}

    [[nodiscard]] std::size_t atoms() const { return static_cast<std::size_t>(D_.cols()); }
    [[nodiscard]] std::size_t dim() const { return static_cast<std::size_t>(D_.rows()); }

    /// Codes a block; X holds where to start from, both in the signals' units. Returns how many are unsettled.
    std::size_t code(const SignalSource& source, std::size_t first, std::size_t count, Block X) const {
        Mat Y(D_.rows(), static_cast<Eigen::Index>(count));
        source.read(first, count, Y.data());
        const int exponent = take_out_scale({Y.data(), static_cast<std::size_t>(Y.size())});
        const auto rescale = [&X](int power) {
            for (Eigen::Index i = 0; i < X.cols(); ++i)
                for (double& x : X.col(i)) x = std::ldexp(x, power);
        };
        rescale(exponent_ - exponent);
        const double lambda = std::ldexp(options_.lambda, -exponent - exponent_);
        const std::size_t unsettled = fista_.code(Y, lambda, {options_.max_steps, options_.tolerance}, X);
        rescale(exponent - exponent_);
        if (!X.allFinite())
            throw NumericError(
                fmt::format("{}: codes of rows {} to {} (counted from 0) are out of the range of double precision",
                            source.name(), first, first + count - 1));
        return unsettled;
    }

private:
    FistaOptions options_;
    Mat D_;
    int exponent_;
    Fista fista_;
};

/// fill(first, X) puts the start of a block into X.
template <class Fill>
void encode_blocks(const Coder& coder, const SignalSource& signals, const Context& context, const Fill& fill,
                   const DenseCodeSink& sink) {
    const SerialBlas serial;
    const auto threads = static_cast<std::size_t>(resolve_threads(context.threads));
    const std::size_t blocks = (signals.count() + fista_block - 1) / fista_block;
    std::vector<Mat> done(std::min(blocks, threads * fista_blocks_a_thread));
    std::vector<std::size_t> unsettled(done.size());
    for (std::size_t round = 0; round < blocks; round += done.size()) {
        const std::size_t in_round = std::min(done.size(), blocks - round);
        parallel_for(in_round, static_cast<int>(threads), [&](std::size_t i, int) {
            const std::size_t first = (round + i) * fista_block;
            const std::size_t count = std::min(fista_block, signals.count() - first);
            done[i].resize(static_cast<Eigen::Index>(coder.atoms()), static_cast<Eigen::Index>(count));
            fill(first, done[i]);
            unsettled[i] = coder.code(signals, first, count, done[i]);
        });
        for (std::size_t i = 0; i < in_round; ++i)
            sink((round + i) * fista_block, {done[i].data(), static_cast<std::size_t>(done[i].cols()), coder.atoms()},
                 unsettled[i]);
    }
}

void check_lengths(const Coder& coder, const SignalSource& signals) {
    if (signals.dim() != coder.dim())
        throw InputError(
            fmt::format("{}: signals have {} entries, the atoms {}", signals.name(), signals.dim(), coder.dim()));
    check_signals(signals);
}

}  // namespace

void encode_fista(MatrixView dictionary, const SignalSource& signals, const FistaOptions& options,
                  const Context& context, const DenseCodeSink& sink) {
    check(dictionary, options);
    const Coder coder(dictionary, options);
    check_lengths(coder, signals);
    encode_blocks(
        coder, signals, context, [](std::size_t, Mat& X) { X.setZero(); }, sink);
}

Matrix encode_fista(MatrixView dictionary, MatrixView signals, const FistaOptions& options, const Context& context,
                    MatrixView start) {
    check(dictionary, options);
    const Coder coder(dictionary, options);
    const MemorySource source{signals};
    check_lengths(coder, source);
    if (start.data != nullptr && (start.rows != signals.rows || start.cols != dictionary.rows))
        throw InputError(fmt::format("fista: the codes to start from are {} x {}, must be {} x {}", start.rows,
                                     start.cols, signals.rows, dictionary.rows));
    Matrix all(signals.rows, dictionary.rows);
    encode_blocks(
        coder, source, context,
        [&](std::size_t first, Mat& X) {
            if (start.data == nullptr)
                X.setZero();
            else
                X = as_columns({start.data + first * start.cols, static_cast<std::size_t>(X.cols()), start.cols});
        },
        [&](std::size_t first, MatrixView codes, std::size_t) {
            std::copy_n(codes.data, codes.rows * codes.cols, all.row(first).data());
        });
    return all;
}

}  // namespace sbdl
