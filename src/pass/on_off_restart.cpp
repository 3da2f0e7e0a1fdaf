#include "pass/on_off_restart.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace sbdl {
namespace {

void append_row(const SparseCodes& from, std::size_t row, SparseCodes& to) {
    const auto first = static_cast<std::ptrdiff_t>(from.start[row]),
               end = static_cast<std::ptrdiff_t>(from.start[row + 1]);
    to.atom.insert(to.atom.end(), from.atom.begin() + first, from.atom.begin() + end);
    to.value.insert(to.value.end(), from.value.begin() + first, from.value.begin() + end);
    to.start.push_back(to.atom.size());
}

}  // namespace

std::span<const std::uint32_t> entries_on(const SparseCodes& codes, std::size_t row) {
    return std::span(codes.atom).subspan(codes.start[row], codes.start[row + 1] - codes.start[row]);
}

double most_entries_on(const Vec& probability) {
    constexpr double deviations = 4.0;
    return probability.sum() + deviations * std::sqrt((probability.array() * (1.0 - probability.array())).sum());
}

std::size_t BlockRestart::choose(const OnOffEvidence& evidence, const Signals& signals, const SparseCodes& codes,
                                 double share, double least_on) {
    const std::size_t count = codes.count();
    std::vector<double> all(count);
    chosen_.clear();
    for (std::size_t l = 0; l < count; ++l) {
        const std::span<const std::uint32_t> on = entries_on(codes, l);
        if (static_cast<double>(on.size()) <= least_on) continue;
        chosen_.push_back(static_cast<Eigen::Index>(l));
        all[l] = evidence(signals.col(chosen_.back()), on);
    }
    std::stable_sort(chosen_.begin(), chosen_.end(), [&](Eigen::Index i, Eigen::Index j) {
        return all[static_cast<std::size_t>(i)] < all[static_cast<std::size_t>(j)];
    });
    chosen_.resize(std::min(chosen_.size(), static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)))));
    std::sort(chosen_.begin(), chosen_.end());
    evidence_.clear();
    for (const Eigen::Index l : chosen_) evidence_.push_back(all[static_cast<std::size_t>(l)]);
    codes_ = {};
    codes_.atoms = codes.atoms;
    codes_.start.assign(chosen_.size() + 1, 0);
    return chosen_.size();
}

void BlockRestart::add_energy_of_others(const SparseCodes& codes, Vec& energy) const {
    for (std::size_t l = 0; l < codes.count(); ++l) {
        if (std::binary_search(chosen_.begin(), chosen_.end(), static_cast<Eigen::Index>(l))) continue;
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
            energy[codes.atom[k]] += codes.value[k] * codes.value[k];
    }
}

const Mat& BlockRestart::sweep(const OnOffSampler& sampler, std::size_t first, const Signals& signals,
                               Scratch& scratch) {
    scratch.left = signals(Eigen::all, chosen_);
    if (chosen_.empty()) return scratch.left;
    sampler.block(first, scratch.left, codes_, 0, scratch.drawn, scratch.sampler);
    // Copied, not exchanged: a block keeps no more memory than its codes need.
    codes_.start = scratch.drawn.start;
    codes_.atom = scratch.drawn.atom;
    codes_.value = scratch.drawn.value;
    return scratch.left;
}

void BlockRestart::add_pull_on(Eigen::Index atom, const Vec& direction, const Mat& residuals, double most_on,
                               Vec& sum) const {
    for (std::size_t c = 0; c < codes_.count(); ++c) {
        if (static_cast<double>(entries_on(codes_, c).size()) > most_on) continue;
        for (std::size_t k = codes_.start[c]; k < codes_.start[c + 1]; ++k)
            if (codes_.atom[k] == atom)
                sum += codes_.value[k] * (residuals.col(static_cast<Eigen::Index>(c)) + codes_.value[k] * direction);
    }
}

std::vector<std::size_t> BlockRestart::replace(const OnOffEvidence& evidence, const OnOffNumbers& draw,
                                               std::size_t first, const Signals& signals, SparseCodes& codes) const {
    SparseCodes next;
    next.atoms = codes.atoms;
    std::vector<std::size_t> replaced;
    std::size_t c = 0;
    for (std::size_t l = 0; l < codes.count(); ++l) {
        if (c == chosen_.size() || chosen_[c] != static_cast<Eigen::Index>(l)) {
            append_row(codes, l, next);
            continue;
        }
        const double gain = evidence(signals.col(chosen_[c]), entries_on(codes_, c)) - evidence_[c];
        DrawStream choice(draw.seed, {Purpose::restart_choice, draw.sweep, draw.chain, first + l});
        const bool better = std::log(choice.uniform()) < gain;
        append_row(better ? codes_ : codes, better ? c : l, next);
        if (better) {
            const Vec values = evidence.values(signals.col(chosen_[c]), entries_on(codes_, c), choice);
            std::copy(values.begin(), values.end(), next.value.end() - values.size());
            replaced.push_back(l);
        }
        ++c;
    }
    std::swap(codes, next);
    return replaced;
}

}  // namespace sbdl
