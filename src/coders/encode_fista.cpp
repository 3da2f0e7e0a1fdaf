// Codes of any number of signals by FISTA, whatever the units of signals and atoms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/compute_scope.hpp"
#include "coders/block_rounds.hpp"
#include "coders/check_coding.hpp"
#include "coders/fista.hpp"
#include "coders/scale.hpp"
#include "sbdl/error.hpp"
#include "sbdl/fista.hpp"

namespace sbdl {
namespace {

constexpr std::size_t fista_blocks_a_thread = 4;

void check(MatrixView dictionary, const FistaOptions& options) {
    check_dictionary(dictionary, "fista");
    check_lambda(options.lambda, "fista");
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
        for (Eigen::Index i = 0; i < X.cols(); ++i)
            for (const double x : X.col(i)) check_code(x, source, first + static_cast<std::size_t>(i));
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
    struct Coded {
        Mat codes;
        std::size_t unsettled = 0;
    };
    const ComputeScope scope;
    code_in_rounds(
        {signals.count(), fista_block, fista_blocks_a_thread, resolve_threads(context.threads)},
        [&](std::size_t first, std::size_t count, int) {
            Coded done{Mat(static_cast<Eigen::Index>(coder.atoms()), static_cast<Eigen::Index>(count))};
            fill(first, done.codes);
            done.unsettled = coder.code(signals, first, count, done.codes);
            return done;
        },
        [&](std::size_t first, const Coded& done) {
            sink(first, {done.codes.data(), static_cast<std::size_t>(done.codes.cols()), coder.atoms()},
                 done.unsettled);
        });
}

}  // namespace

void encode_fista(MatrixView dictionary, const SignalSource& signals, const FistaOptions& options,
                  const Context& context, const DenseCodeSink& sink) {
    check(dictionary, options);
    check_lengths(dictionary, signals);
    check_signals(signals);
    const Coder coder(dictionary, options);
    encode_blocks(
        coder, signals, context, [](std::size_t, Mat& X) { X.setZero(); }, sink);
}

Matrix encode_fista(MatrixView dictionary, MatrixView signals, const FistaOptions& options, const Context& context,
                    MatrixView start) {
    check(dictionary, options);
    const Coder coder(dictionary, options);
    const MemorySource source{signals};
    check_lengths(dictionary, source);
    check_signals(source);
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
