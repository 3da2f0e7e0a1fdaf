// Codes with everything else fixed at a model's estimates, by the pass that learns, which moves from one portion of the
// signals to the next. Models with on/off codes average draws of them, those of gibbs with the prior student-t draws of
// (x, alpha); VB models iterate q(x) q(alpha) to their fixed point.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "base/ranked_codes.hpp"
#include "base/stop.hpp"
#include "pass/make_pass.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"
#include "signals/empty_signals.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

constexpr double least_probability = 1e-15;

bool has_on_off_codes(const Model& model) {
    return model.on_off && model.on_off->code_precision > 0.0;
}

class PosteriorCoder {
public:
    PosteriorCoder(const Model& model, const PosteriorCoderOptions& options, const Context& context)
        : model_(model),
          options_(options),
          context_(context),
          D_(as_columns(model.dictionary)),
          scale_(D_.cols()),
          no_spread_(Vec::Zero(D_.cols())) {
        for (Eigen::Index n = 0; n < D_.cols(); ++n) {
            const double norm = model.atom_norm[static_cast<std::size_t>(n)];
            D_.col(n) *= norm;
            scale_[n] = model.unit * norm;
        }
        // A model of noise-free signals has no noise at all; a precision must be finite.
        constexpr double least = 1e-12;
        const double sd = std::max(model.noise_sd / model.unit, least);
        gamma_ = 1.0 / (sd * sd);
        if (!has_on_off_codes(model)) return;
        on_off_ = OnOffState{.D = D_,
                             .probability = Eigen::Map<const Vec>(model.on_off->atom_probability.data(), D_.cols())
                                                .cwiseMax(least_probability)
                                                .cwiseMin(1.0 - least_probability),
                             .code_precision = model.on_off->code_precision,
                             .noise_precision = gamma_};
        gram_.assign(D_);
        atom_var_ = Vec::Zero(D_.cols());
        if (model.dictionary_std.empty()) return;
        const auto entries = static_cast<double>(D_.rows());
        for (Eigen::Index n = 0; n < D_.cols(); ++n)
            atom_var_[n] =
                (model.atom_norm[static_cast<std::size_t>(n)] * as_columns(model.dictionary_std).col(n)).squaredNorm() /
                entries;
    }

    /// The codes of all signals, in the user's units and for unit-norm atoms, a portion at a time, each as finish()
    /// leaves it.
    void encode(const SignalSource& signals, CodePosterior how, const std::function<void(Codes&)>& finish,
                const CodeSink& sink) const {
        // Large enough to keep all threads at work, small enough for memory and for steady progress.
        constexpr std::size_t blocks_per_thread = 4;
        RankGroup ranks(context_.execution.ranks);
        const auto threads = static_cast<std::size_t>(ranks.of_first(resolve_threads(context_.execution.threads)));
        const Blocks portions(signals.count(), blocks_per_thread * block_size * threads);
        const SupportCoding supports = support_coding();
        std::unique_ptr<CodePass> pass;
        Execution here = context_.execution;
        here.ranks = nullptr;  // each has portions of its own
        Codes codes;
        const auto code_portion = [&](std::size_t number) {
            const IndexRange portion = portions[number];
            const RangeSource some(signals, portion.first, portion.size);
            const SignalShare share(some, model_.unit, options_.first + portion.first);
            const bool again = pass != nullptr;  // the dictionary is packed already
            if (again)
                pass->move_to(share);
            else
                pass = make_pass(share, {.root_mean_square = model_.unit}, model_.atom_count(), here);
            pass->begin_record(on_off_.has_value());
            if (on_off_)
                pass->code_supports(supports, scale_);
            else if (how == CodePosterior::variational)
                fixed_point(*pass, again);
            else
                average_draws(*pass, again);
            const CodeRecord record = pass->take_record();
            codes.first = portion.first;
            codes.dense = record.mean();
            codes.std = record.std();
            codes.probability = record.probability();
            finish(codes);
            return std::span(&codes, 1);
        };
        encode_in_turns(ranks, portions.number(), code_portion, sink);
    }

private:
    [[nodiscard]] SupportCoding support_coding() const {
        if (!on_off_) return {};
        return {.state = &*on_off_,
                .atom_var = &atom_var_,
                .signal_var = signal_variance(),
                .gram = &gram_,
                .schedule = schedule(),
                .seed = context_.seed};
    }

    /// Several short searches find more codes than a long one (docs/results/codes.md); the rest settles.
    [[nodiscard]] SupportSchedule schedule() const {
        constexpr int searches = 5;
        const int each = options_.burn_in / (searches + 1);
        return {.searches = searches,
                .search_sweeps = each,
                .settle_sweeps = options_.burn_in - searches * each,
                .draws = options_.draws};
    }

    /// Cold chains at the full noise precision stay on the first atoms they meet, so it rises to that over the first
    /// half of burn-in, from 30 dB below: the same for every signal, whatever its neighbours.
    [[nodiscard]] double annealed_precision(int sweep) const {
        constexpr double first = 1e-3;
        const double way = 2.0 * (sweep + 1) / std::max(1, options_.burn_in);
        return way >= 1.0 ? gamma_ : gamma_ * std::pow(first, 1.0 - way);
    }

    [[nodiscard]] GammaPrior prior() const { return {model_.sbdl->code_shape, model_.sbdl->code_rate}; }

    void average_draws(CodePass& pass, bool packed) const {
        for (int sweep = 0; sweep < options_.burn_in + options_.draws; ++sweep) {
            pass.sweep(GibbsSweep{.dictionary = &D_,
                                  .noise_precision = annealed_precision(sweep),
                                  .code_prior = prior(),
                                  .seed = context_.seed,
                                  .sweep = static_cast<std::uint32_t>(sweep),
                                  .same_dictionary = packed || sweep > 0,
                                  .statistics = false},
                       sweep < options_.burn_in ? nullptr : &scale_);
        }
    }

    /// Of an entry of a signal under the model, in the learner's units.
    [[nodiscard]] double signal_variance() const {
        const Vec norms_sq = D_.colwise().squaredNorm().transpose();
        return on_off_->probability.dot(norms_sq) / (on_off_->code_precision * static_cast<double>(D_.rows())) +
               1.0 / gamma_;
    }

    void fixed_point(CodePass& pass, bool packed) const {
        pass.settle(VbSweep{.dictionary = &D_,
                            .atom_var = &no_spread_,
                            .noise_precision = gamma_,
                            .code_prior = prior(),
                            .unchanged = packed},
                    options_.draws, scale_);
    }

    const Model& model_;
    const PosteriorCoderOptions& options_;
    const Context& context_;
    Mat D_;
    Vec scale_, no_spread_;
    double gamma_ = 1.0;
    std::optional<OnOffState> on_off_;  // of models with on/off codes
    PaddedGram gram_;
    Vec atom_var_;
};

/// Sets entries that are more likely off than on to zero.
void make_sparse(Codes& codes) {
    for (std::size_t i = 0; i < codes.dense.size(); ++i)
        if (codes.probability.data()[i] < 0.5) codes.dense.data()[i] = codes.std.data()[i] = 0.0;
}

/// Sets the codes of signals without any observed entry to zero.
void clear_empty(const ZeroedSignals& signals, Codes& codes) {
    for (std::size_t i = 0; i < codes.dense.rows(); ++i) {
        if (!signals.was_empty(codes.first + i)) continue;
        ++codes.empty;
        for (Matrix* const part : {&codes.dense, &codes.std, &codes.probability})
            if (!part->empty()) std::ranges::fill(part->row(i), 0.0);
    }
}

/// Signals far outside the model's units can overflow on the way.
void check_finite_codes(const Matrix& codes, std::size_t first, const std::string& name) {
    for (std::size_t i = 0; i < codes.size(); ++i)
        if (!std::isfinite(codes.data()[i]))
            throw NumericError(
                fmt::format("{}: the codes of row {} (counted from 0) are out of the range of double "
                            "precision; is the signal in the model's units?",
                            name, first + i / codes.cols()));
}

CodePosterior code_posterior_of(const Model& model) {
    const std::optional<Method> method = find_method(model.method);  // none: a newer program made the model
    return method ? method->can.codes : CodePosterior::none;
}

}  // namespace

bool has_code_posterior(const Model& model) {
    return has_on_off_codes(model) || (model.sbdl && code_posterior_of(model) != CodePosterior::none);
}

void encode(const Model& model, const SignalSource& signals, const PosteriorCoderOptions& options,
            const Context& context, const CodeSink& sink) {
    if (signals.dim() != model.signal_dim())
        throw InputError(fmt::format("{}: signals have {} entries, the model's atoms {}", signals.name(), signals.dim(),
                                     model.signal_dim()));
    if (options.burn_in < 0) throw InputError(fmt::format("burn_in is {}, must be at least 0", options.burn_in));
    if (options.draws < 1) throw InputError(fmt::format("draws is {}, must be at least 1", options.draws));
    if (!has_code_posterior(model))
        throw InputError(fmt::format("this model, of method {}, has no posterior of codes", model.method));
    const CodePosterior how = code_posterior_of(model);
    if (options.sparse && !has_on_off_codes(model))
        throw InputError(
            fmt::format("sparse codes need a model with on/off codes; this one, of method {}, has none", model.method));
    const StopScope stop(context.execution.stop);
    const ComputeScope scope;
    const bool ignored = options.empty_signals == EmptySignals::ignore;
    const ZeroedSignals zeroed(signals);
    const auto finish = [&](Codes& codes) {
        codes.empty = 0;
        if (ignored) clear_empty(zeroed, codes);
        check_finite_codes(codes.dense, codes.first, signals.name());
        check_finite_codes(codes.std, codes.first, signals.name());
        if (options.sparse) make_sparse(codes);
    };
    on_all_ranks(context.execution.ranks, [&] {
        RankGroup ranks(context.execution.ranks);
        require_same_coding(signals, model.dictionary, ranks);
        const SignalSource& coded = ignored ? static_cast<const SignalSource&>(zeroed) : signals;
        check_signals(coded, MissingValues::allowed, context.execution.ranks);
        PosteriorCoder(model, options, context).encode(coded, how, finish, sink);
    });
}

}  // namespace sbdl
