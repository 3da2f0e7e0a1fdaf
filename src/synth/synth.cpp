// Synthetic sets with a known dictionary, and noise for images. Every atom and every signal has random streams of its
// own, so that signal 7 has the same support and weights whether it is one of 10 or of a million.
#include "sbdl/synth.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "options/option_name.hpp"
#include "random/stream.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

// Within what a stream can number (random/draw_id.hpp); beyond 300 dB signal or noise is lost in rounding.
constexpr std::size_t most_entries = std::size_t{1} << 31;
constexpr std::size_t most_signals = std::size_t{1} << 47;
constexpr double most_db = 300.0;
constexpr double least_scale = 1e-100;

void check_count(std::string_view name, std::size_t value, std::size_t most) {
    if (value < 1) throw InputError(fmt::format("{} is {}, must be at least 1", option_name(name), value));
    if (value > most) throw InputError(fmt::format("{} is {}, must be at most {}", option_name(name), value, most));
}

void check(const SynthOptions& o) {
    check_count("dim", o.dim, most_entries);
    check_count("atoms", o.atoms, most_entries);
    check_count("signals", o.signals, most_signals);
    check_count("sparsity_min", o.sparsity_min, most_entries);
    if (o.sparsity_max < o.sparsity_min)
        throw InputError(fmt::format("{} is {} to {}: the second number must not be below the first",
                                     option_name("sparsity_max"), o.sparsity_min, o.sparsity_max));
    if (o.sparsity_max > o.atoms)
        throw InputError(fmt::format("{} is {}, must be at most {}, which is {}", option_name("sparsity_max"),
                                     o.sparsity_max, option_name("atoms"), o.atoms));
    const bool no_noise = o.snr_db == std::numeric_limits<double>::infinity();
    if (!no_noise && !(std::abs(o.snr_db) <= most_db))
        throw InputError(fmt::format("{} is {} dB, must be between {} and {}, or inf for no noise",
                                     option_name("snr_db"), o.snr_db, -most_db, most_db));
    if (!(o.scale >= least_scale && o.scale <= 1.0 / least_scale))
        throw InputError(fmt::format("{} is {}, must be between {} and {}", option_name("scale"), o.scale, least_scale,
                                     1.0 / least_scale));
    if (!(o.missing >= 0.0 && o.missing < 1.0))
        throw InputError(fmt::format("{} is {}, must be at least 0 and below 1", option_name("missing"), o.missing));
}

Matrix make_room(std::string_view what, std::size_t rows, std::size_t cols) {
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
    try {
        if (rows > most / cols) throw std::bad_alloc();
        return {rows, cols};
    } catch (const std::bad_alloc&) {
        throw InputError(fmt::format("{} x {} {} do not fit into memory", rows, cols, what));
    }
}

void draw_atom(std::uint64_t seed, std::size_t n, std::span<double> atom) {
    DrawStream stream(seed, {.purpose = Purpose::synth_dictionary, .signal = n});
    double sum_sq = 0.0;
    for (double& entry : atom) {
        entry = stream.normal();
        sum_sq += entry * entry;
    }
    const double norm = std::sqrt(sum_sq);
    for (double& entry : atom) entry /= norm;
}

// Supports of uniformly drawn size, all of one size equally likely (Floyd's sampling without replacement).
class SupportSampler {
public:
    explicit SupportSampler(const SynthOptions& options) : options_(options), taken_(options.atoms, 0) {}

    const std::vector<std::size_t>& draw(std::size_t signal) {
        DrawStream stream(options_.seed, {.purpose = Purpose::synth_support, .signal = signal});
        const std::size_t size =
            options_.sparsity_min + stream.below(options_.sparsity_max - options_.sparsity_min + 1);
        support_.clear();
        for (std::size_t last = options_.atoms - size; last < options_.atoms; ++last) {
            const std::size_t pick = stream.below(last + 1);
            support_.push_back(taken_[pick] ? last : pick);
            taken_[support_.back()] = 1;
        }
        for (const std::size_t atom : support_) taken_[atom] = 0;
        return support_;
    }

private:
    const SynthOptions& options_;
    std::vector<char> taken_;
    std::vector<std::size_t> support_;
};

/// If all entries would be lost, one of them is kept.
void lose_entries(const SynthOptions& options, std::size_t signal, std::span<double> entries) {
    DrawStream stream(options.seed, {.purpose = Purpose::synth_missing, .signal = signal});
    std::vector<std::size_t> lost;
    for (std::size_t m = 0; m < entries.size(); ++m)
        if (stream.uniform() < options.missing) lost.push_back(m);
    if (lost.size() == entries.size())
        lost.erase(lost.begin() + static_cast<std::ptrdiff_t>(stream.below(entries.size())));
    for (const std::size_t m : lost) entries[m] = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

SynthSet synthesize(const SynthOptions& options) {
    check(options);
    SynthSet set;
    set.codes = make_room("codes", options.signals, options.atoms);
    set.signals = make_room("signal entries", options.signals, options.dim);
    set.dictionary = make_room("dictionary entries", options.atoms, options.dim);

    for (std::size_t n = 0; n < options.atoms; ++n) draw_atom(options.seed, n, set.dictionary.row(n));

    SupportSampler supports(options);
    double energy = 0.0;  // ||DX||_F^2
    for (std::size_t l = 0; l < options.signals; ++l) {
        DrawStream weights(options.seed, {.purpose = Purpose::synth_weight, .signal = l});
        const auto signal = set.signals.row(l);
        for (const std::size_t n : supports.draw(l)) {
            const double weight = options.scale * weights.normal();
            const auto atom = set.dictionary.row(n);
            set.codes(l, n) = weight;
            for (std::size_t m = 0; m < options.dim; ++m) signal[m] += weight * atom[m];
        }
        double signal_energy = 0.0;
        for (const double entry : signal) signal_energy += entry * entry;
        energy += signal_energy;
    }

    // E ||W||_F^2 = M L sd^2, and snr_db = 10 log10(||DX||_F^2 / E ||W||_F^2). No noise: 10^inf = inf, so sd = 0.
    set.noise_sd = std::sqrt(energy / static_cast<double>(set.signals.size()) / std::pow(10.0, options.snr_db / 10.0));
    if (set.noise_sd > 0.0) {
        for (std::size_t l = 0; l < options.signals; ++l) {
            DrawStream noise(options.seed, {.purpose = Purpose::synth_noise, .signal = l});
            for (double& entry : set.signals.row(l)) entry += set.noise_sd * noise.normal();
        }
    }
    if (options.missing > 0.0)
        for (std::size_t l = 0; l < options.signals; ++l) lose_entries(options, l, set.signals.row(l));
    return set;
}

Image make_noisy(const Image& image, double sigma, std::uint64_t seed) {
    if (!(sigma >= 0.0 && std::isfinite(sigma)))
        throw InputError(fmt::format("make_noisy: sigma is {}, must be a finite number of at least 0", sigma));
    Image noisy = image;
    noisy.samples = Samples::f32;
    for (std::size_t p = 0; p < noisy.planes.size(); ++p)
        for (std::size_t i = 0; i < noisy.height(); ++i) {
            DrawStream noise(seed, {.purpose = Purpose::image_noise, .signal = p * noisy.height() + i});
            for (double& value : noisy.planes[p].row(i)) value += sigma * noise.normal();
        }
    return noisy;
}

}  // namespace sbdl
