#include "learners/gibbs/gibbs_chain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "learners/dictionary_update.hpp"
#include "learners/model_parts.hpp"
#include "learners/start.hpp"
#include "random/stream.hpp"

namespace sbdl {

namespace {

constexpr double refresh_share = 0.8;  // of burn-in; the rest lets refreshed atoms settle
// A model brings its atoms but not the precisions of the codes. Until these have been found, for so many sweeps or half
// of burn-in, atoms drawn from the codes would forget where they came from.
constexpr int most_held_sweeps = 5;

}  // namespace

GibbsChain::GibbsChain(CodePass& pass, const GibbsOptions& options, std::uint64_t seed, std::uint32_t chain,
                       const Model* start)
    // An atom's typical norm under its prior.
    : GibbsChain(pass, options, seed, chain,
                 start_point(pass, std::sqrt(static_cast<double>(pass.signal_dim()) * options.atom_variance), seed,
                             chain, start)) {
    if (start != nullptr) held_sweeps_ = std::min(most_held_sweeps, options.burn_in / 2);
}

GibbsChain::GibbsChain(CodePass& pass, const GibbsOptions& options, std::uint64_t seed, std::uint32_t chain,
                       StartPoint start)
    : pass_(pass),
      options_(options),
      seed_(seed),
      chain_(chain),
      sweeps_before_(start.sweeps_before),
      D_(std::move(start.dictionary)),
      gamma_(start.noise_precision),
      code_prior_{options.code_shape, options.code_rate.value_or(1.0)},
      cap_(pass.signal_precision(), gamma_, options.anneal_growth, options.burn_in),
      code_energy_(Vec::Zero(D_.cols())) {
    pass_.start_codes(1.0);
}

void GibbsChain::tie_code_rate() {
    // The core of the Student-t prior of an entry, sqrt(2 b) times its atom's norm, is core_to_noise noise standard
    // deviations wide.
    const double norm_sq = D_.squaredNorm() / static_cast<double>(D_.cols());
    const double core = options_.core_to_noise;
    code_prior_.rate = 0.5 * core * core / (gamma_ * norm_sq);
}

GibbsSweepResult GibbsChain::sweep(int sweep, const Vec* scale) {
    const bool burn_in = sweep < options_.burn_in;
    // Tied in burn-in, and once more should there be none.
    if (!options_.code_rate && (burn_in || sweep == 0)) tie_code_rate();

    const SufficientStats& stats = pass_.sweep(GibbsSweep{.dictionary = &D_,
                                                          .noise_precision = gamma_,
                                                          .code_prior = code_prior_,
                                                          .seed = seed_,
                                                          .sweep = draw_number(sweep),
                                                          .chain = chain_},
                                               scale);

    const double values = static_cast<double>(pass_.signal_count()) * static_cast<double>(pass_.signal_dim());
    DrawStream draws(seed_, {Purpose::noise_precision, draw_number(sweep), chain_, 0});
    const double drawn =
        draws.gamma(options_.noise_shape + 0.5 * values) / (options_.noise_rate + 0.5 * stats.residual_sq);
    gamma_ = burn_in ? cap_.limit(drawn) : drawn;

    GibbsSweepResult result{.log_joint = log_joint(stats), .gamma = gamma_};
    code_energy_ = stats.x_xt.diagonal();
    check_finite(sweep, gamma_, stats.y_xt);
    if (sweep >= held_sweeps_) draw_next_dictionary(stats, sweep);
    if (burn_in) {
        cap_.rise(drawn);
        const bool due = options_.refresh_every > 0 && (sweep + 1) % options_.refresh_every == 0;
        if (due && sweep < refresh_share * options_.burn_in) {
            const Vec use = code_energy_.cwiseProduct(D_.colwise().squaredNorm().transpose());
            result.refreshed = static_cast<int>(refresh_atoms(pass_, use, D_).size());
        }
    }
    return result;
}

void GibbsChain::draw_next_dictionary(const SufficientStats& stats, int sweep) {
    DrawStream draws(seed_, {Purpose::dictionary, draw_number(sweep), chain_, 0});
    if (options_.update == DictionaryUpdate::sequential)
        draw_atoms_in_turn(stats, gamma_, options_.atom_variance, draws, D_);
    else
        draw_dictionary(stats, gamma_, options_.atom_variance, draws, D_);
}

double GibbsChain::log_joint(const SufficientStats& stats) const {
    const auto M = static_cast<double>(D_.rows());
    const auto N = static_cast<double>(D_.cols());
    const auto L = static_cast<double>(pass_.signal_count());
    const double log_two_pi = std::log(2.0 * std::numbers::pi);
    const auto [a, b] = code_prior_;
    const double c = options_.noise_shape, d = options_.noise_rate, beta = options_.atom_variance;
    double sum = 0.5 * M * L * (std::log(gamma_) - log_two_pi) - 0.5 * gamma_ * stats.residual_sq;
    sum += N * L * (a * std::log(b) - std::lgamma(a) - 0.5 * log_two_pi) +
           (a - 0.5) * stats.objective.log_code_precision - stats.objective.code_penalty;
    sum -= 0.5 * M * N * (log_two_pi + std::log(beta)) + 0.5 * D_.squaredNorm() / beta;
    sum += c * std::log(d) - std::lgamma(c) + (c - 1.0) * std::log(gamma_) - d * gamma_;
    return sum;
}

void GibbsChain::archive(StateArchive& archive) {
    archive("D", D_);
    archive("gamma", gamma_);
    archive("code_rate", code_prior_.rate);
    archive("cap", cap_);
    archive("code_energy", code_energy_);
}

}  // namespace sbdl
