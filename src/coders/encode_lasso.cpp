// Codes of any number of signals by the active set of lasso.hpp, whatever the units of signals and atoms.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/checked_size.hpp"
#include "base/compute_scope.hpp"
#include "coders/atom_passes.hpp"
#include "coders/block_rounds.hpp"
#include "coders/check_coding.hpp"
#include "coders/lasso_block.hpp"
#include "coders/scale.hpp"
#include "coders/sparse_codes.hpp"
#include "sbdl/error.hpp"
#include "sbdl/lasso.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

constexpr std::size_t lasso_signals = 128;  // in a block
constexpr std::size_t lasso_blocks_a_thread = 32;
constexpr double lasso_exact = 1e-10;  // of lambda: how far a slope may be from what it is at the minimum

void check(MatrixView dictionary, const LassoOptions& options) {
    check_dictionary(dictionary, "lasso");
    check_lambda(options.lambda, "lasso");
    if (options.max_steps < 1)
        throw InputError(fmt::format("lasso: max_steps is {}, must be at least 1", options.max_steps));
    if (!checked_product({dictionary.rows, padded_atoms(dictionary.rows), sizeof(double)}))
        throw InputError(fmt::format("lasso: products of {} atoms do not fit into memory", dictionary.rows));
}

/// A dictionary brought near 1, and what codes it.
class LassoCoder {
public:
    struct Coded {
        SparseCodes codes;
        std::size_t unsettled = 0;
    };

    LassoCoder(MatrixView dictionary, const LassoOptions& options)
        : options_(options),
          D_(as_columns(dictionary)),
          exponent_(take_out_scale({D_.data(), static_cast<std::size_t>(D_.size())})) {
        // An atom whose square vanishes beside the others' could not be solved for. It counts as zero.
        constexpr double least2 = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
        for (auto atom : D_.colwise())
            if (atom.squaredNorm() < least2) atom.setZero();
        gram_.assign(D_);
    }

    Coded code(const SignalSource& source, std::size_t first, std::size_t count, LassoBlock& block) const {
        Mat Y(D_.rows(), static_cast<Eigen::Index>(count));
        source.read(first, count, Y.data());
        const auto entries = [](auto&& values) {
            return std::span(values.data(), static_cast<std::size_t>(values.size()));
        };
        check_values(source, first, entries(Y));
        std::vector<int> exponent;
        for (auto y : Y.colwise()) exponent.push_back(take_out_scale(entries(y)));
        block.load(gram_, D_, Y);

        Coded done;
        SparseCodes& codes = done.codes;
        codes.atoms = gram_.atoms();
        for (std::size_t i = 0; i < count; ++i) {
            const auto column = static_cast<Eigen::Index>(i);
            const double lambda = std::ldexp(options_.lambda, -exponent[i] - exponent_);
            const Lasso::Stop stop{lasso_exact, static_cast<std::size_t>(options_.max_steps)};
            if (!block.code(column, lambda, stop, codes)) ++done.unsettled;
            end_signal(D_, Y.col(column), codes);
            for (std::size_t k = codes.start[i]; k < codes.start[i + 1]; ++k) {
                codes.value[k] = std::ldexp(codes.value[k], exponent[i] - exponent_);
                check_code(codes.value[k], source, first + i);
            }
            codes.residual_norm[i] = std::ldexp(codes.residual_norm[i], exponent[i]);
        }
        return done;
    }

private:
    LassoOptions options_;
    Mat D_;
    int exponent_;
    PaddedGram gram_;
};

}  // namespace

void encode_lasso(MatrixView dictionary, const SignalSource& signals, const LassoOptions& options,
                  const Context& context, const LassoCodeSink& sink) {
    check(dictionary, options);
    check_lengths(dictionary, signals);
    check_shape(signals);  // its values are checked as they come
    const ComputeScope scope;
    const LassoCoder coder(dictionary, options);
    const int threads = resolve_threads(context.threads);
    std::vector<LassoBlock> blocks(static_cast<std::size_t>(threads));
    code_in_rounds(
        {signals.count(), lasso_signals, lasso_blocks_a_thread, threads},
        [&](std::size_t first, std::size_t count, int thread) {
            return coder.code(signals, first, count, blocks[static_cast<std::size_t>(thread)]);
        },
        [&](std::size_t first, const LassoCoder::Coded& done) { sink(first, done.codes, done.unsettled); });
}

SparseCodes encode_lasso(MatrixView dictionary, MatrixView signals, const LassoOptions& options,
                         const Context& context) {
    SparseCodes all;
    all.atoms = dictionary.rows;
    encode_lasso(dictionary, MemorySource{signals}, options, context,
                 [&](std::size_t, const SparseCodes& codes, std::size_t) { append_codes(codes, all); });
    return all;
}

}  // namespace sbdl
