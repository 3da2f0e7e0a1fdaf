// Codes with the dictionary and the noise held at a model's estimates: the same kernels that learn, run on one block
// until its codes are known. Gibbs models average draws of (x, alpha); VB models iterate q(x) q(alpha) to their fixed
// point.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "kernels/kernel_set.hpp"
#include "learners/code_average.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

/// A block's codes, in the user's units and for unit-norm atoms.
struct BlockCodes {
    Matrix mean, std;
};

class PosteriorCoder {
public:
    PosteriorCoder(const Model& model, const PosteriorCoderOptions& options, const Context& context)
        : model_(model), options_(options), context_(context), kernels_(kernel_set(context.kernels)) {
        D_ = as_columns(model.dictionary);
        scale_.resize(D_.cols());
        for (Eigen::Index n = 0; n < D_.cols(); ++n) {
            const double norm = model.atom_norm[static_cast<std::size_t>(n)];
            D_.col(n) *= norm;
            scale_[n] = model.unit * norm;
        }
        // A model of noise-free signals has no noise at all; a precision must be finite.
        constexpr double least = 1e-12;
        const double sd = std::max(model.noise_sd / model.unit, least);
        gamma_ = 1.0 / (sd * sd);
    }

    BlockCodes encode(std::size_t first, const Matrix& signals) const {
        Matrix scaled = signals;
        for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] /= model_.unit;
        const std::size_t size = static_cast<std::size_t>(D_.cols()) * block_size;
        AlignedDoubles code_var(size, 1.0), codes(size), codes_var(size), density(block_size);
        const BlockView view{.first_signal = first,
                             .count = signals.rows(),
                             .signals = scaled.data(),
                             .code_var = code_var.data(),
                             .density = density.data(),
                             .codes = codes.data(),
                             .codes_var = codes_var.data()};
        return model_.method == "vb" ? fixed_point(view) : average_draws(view);
    }

private:
    /// Cold chains at the full noise precision stay on the first atoms they meet, so it rises to that over the first
    /// half of burn-in, from 30 dB below: the same for every signal, whatever its neighbours.
    [[nodiscard]] double annealed_precision(int sweep) const {
        constexpr double first = 1e-3;
        const double way = 2.0 * (sweep + 1) / std::max(1, options_.burn_in);
        return way >= 1.0 ? gamma_ : gamma_ * std::pow(first, 1.0 - way);
    }

    BlockCodes average_draws(BlockView view) const {
        const auto kernel = kernels_.gibbs();
        Workspace workspace;
        SufficientStats unused(D_.rows(), D_.cols());
        CodeAverage average(view.count, static_cast<std::size_t>(D_.cols()));
        for (int sweep = 0; sweep < options_.burn_in + options_.draws; ++sweep) {
            kernel->begin_sweep({.dictionary = &D_,
                                 .noise_precision = annealed_precision(sweep),
                                 .code_prior = {model_.code_shape, model_.code_rate},
                                 .seed = context_.seed,
                                 .sweep = static_cast<std::uint32_t>(sweep)});
            kernel->block(view, unused, workspace);
            if (sweep < options_.burn_in) continue;
            BlockView local = view;
            local.first_signal = 0;  // the average holds this block alone
            average.add(local, scale_);
            average.end_sweep();
        }
        return {average.mean(), average.std()};
    }

    /// Whether no signal's codes moved by more than a billionth of the largest of them.
    bool settled(const BlockView& view, const AlignedDoubles& before) const {
        constexpr double least_change = 1e-9;
        for (std::size_t l = 0; l < view.count; ++l) {
            double change = 0.0, largest = 0.0;
            for (std::size_t i = l; i < before.size(); i += block_size) {
                change = std::max(change, std::abs(view.codes[i] - before[i]));
                largest = std::max(largest, std::abs(view.codes[i]));
            }
            if (change > least_change * largest) return false;
        }
        return true;
    }

    BlockCodes fixed_point(const BlockView& view) const {
        const auto kernel = kernels_.vb();
        Workspace workspace;
        SufficientStats unused(D_.rows(), D_.cols());
        const Vec no_spread = Vec::Zero(D_.cols());
        kernel->begin_sweep({.dictionary = &D_,
                             .atom_var = &no_spread,
                             .noise_precision = gamma_,
                             .code_prior = {model_.code_shape, model_.code_rate}});
        AlignedDoubles before(static_cast<std::size_t>(D_.cols()) * block_size, 0.0);
        for (int sweep = 0; sweep < options_.draws; ++sweep) {
            kernel->block(view, unused, workspace);
            if (settled(view, before)) break;
            std::copy(view.codes, view.codes + before.size(), before.begin());
        }
        BlockCodes result{Matrix(view.count, static_cast<std::size_t>(D_.cols())), {}};
        result.std = result.mean;
        for (std::size_t n = 0; n < result.mean.cols(); ++n)
            for (std::size_t l = 0; l < view.count; ++l) {
                const double scale = scale_[static_cast<Eigen::Index>(n)];
                result.mean(l, n) = scale * view.codes[n * block_size + l];
                result.std(l, n) = scale * std::sqrt(view.codes_var[n * block_size + l]);
            }
        return result;
    }

    const Model& model_;
    const PosteriorCoderOptions& options_;
    const Context& context_;
    const KernelSet& kernels_;
    Mat D_;
    Vec scale_;
    double gamma_ = 1.0;
};

/// Signals far outside the model's units can overflow on the way; that is said, not written.
void check_finite_codes(const Matrix& codes, std::size_t first, const std::string& name) {
    for (std::size_t i = 0; i < codes.size(); ++i)
        if (!std::isfinite(codes.data()[i]))
            throw NumericError(
                fmt::format("{}: the codes of row {} (counted from 0) are out of the range of double "
                            "precision; is the signal in the model's units?",
                            name, first + i / codes.cols()));
}

}  // namespace

void encode_posterior(const Model& model, const SignalSource& signals, const PosteriorCoderOptions& options,
                      const Context& context, const CodeSink& sink) {
    if (signals.dim() != model.signal_dim())
        throw InputError(fmt::format("{}: signals have {} entries, the model's atoms {}", signals.name(), signals.dim(),
                                     model.signal_dim()));
    if (options.burn_in < 0) throw InputError(fmt::format("burn_in is {}, must be at least 0", options.burn_in));
    if (options.draws < 1) throw InputError(fmt::format("draws is {}, must be at least 1", options.draws));
    check_signals(signals);
    const ComputeScope scope;
    const PosteriorCoder coder(model, options, context);
    const int threads = resolve_threads(context.threads);

    // As many blocks at a time as there are threads, handed on in order.
    const std::size_t blocks = (signals.count() + block_size - 1) / block_size;
    std::vector<BlockCodes> done(static_cast<std::size_t>(threads));
    for (std::size_t round = 0; round < blocks; round += done.size()) {
        const std::size_t in_round = std::min(done.size(), blocks - round);
        parallel_for(in_round, threads, [&](std::size_t i, int) {
            const std::size_t first = (round + i) * block_size;
            Matrix block(std::min(block_size, signals.count() - first), signals.dim());
            signals.read(first, block.rows(), block.data());
            done[i] = coder.encode(first, block);
        });
        for (std::size_t i = 0; i < in_round; ++i) {
            check_finite_codes(done[i].mean, (round + i) * block_size, signals.name());
            check_finite_codes(done[i].std, (round + i) * block_size, signals.name());
            sink((round + i) * block_size, done[i].mean, done[i].std);
        }
    }
}

}  // namespace sbdl
