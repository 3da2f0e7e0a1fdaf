#include "learners/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learners/gibbs/posterior_average.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

constexpr double jitter = 1e-3;  // of the atom's norm an entry
constexpr double copy_cosine = 0.9;
constexpr double least_use = 0.05;  // of the mean use
constexpr std::size_t most_at_once = 8;

}  // namespace

Mat atoms_from_signals(std::size_t count, const std::function<Vec(std::size_t)>& signal, Eigen::Index dim,
                       Eigen::Index atoms, DrawStream& draws) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Mat D(dim, atoms);
    std::size_t used = 0;
    for (Eigen::Index n = 0; n < atoms; ++n) {
        Vec atom = Vec::Zero(dim);
        while (used < order.size() && atom.squaredNorm() == 0.0) {
            std::swap(order[used], order[used + draws.below(order.size() - used)]);
            atom = signal(order[used++]);
        }
        const bool random = atom.squaredNorm() == 0.0;
        atom.normalize();
        for (Eigen::Index m = 0; m < dim; ++m) atom[m] += (random ? 1.0 : jitter) * draws.normal();
        D.col(n) = atom.normalized();
    }
    return D;
}

Mat start_dictionary(const BlockSweep& signals, double norm, std::uint64_t seed, std::uint32_t chain) {
    DrawStream draws(seed, {Purpose::initial_atoms, 0, chain, 0});
    return norm * atoms_from_signals(
                      signals.signal_count(), [&](std::size_t l) { return signals.signal(l); },
                      static_cast<Eigen::Index>(signals.signal_dim()), static_cast<Eigen::Index>(signals.atom_count()),
                      draws);
}

Mat start_atoms(const ScaledSignals& signals, int atoms, const Context& context) {
    if (context.start != nullptr) return unit_columns(as_columns(context.start->dictionary));
    DrawStream draws(context.seed, {.purpose = Purpose::sparse_start});
    return atoms_from_signals(
        signals.count(), [&](std::size_t l) { return signals.signal(l); }, signals.dim(), atoms, draws);
}

StartPoint start_point(const BlockSweep& signals, double norm, std::uint64_t seed, std::uint32_t chain,
                       const Model* model) {
    const double from_signals = signal_precision(signals);
    if (model == nullptr) return {start_dictionary(signals, norm, seed, chain), from_signals, 0};
    Mat D = as_columns(model->dictionary);
    for (Eigen::Index n = 0; n < D.cols(); ++n) D.col(n) *= model->atom_norm[static_cast<std::size_t>(n)];
    if (D.isZero(0.0)) D = start_dictionary(signals, norm, seed, chain);  // VB switched all of them off
    // The trace has the noise of the run itself; the model's estimate may be the second look's.
    const double sd = (model->trace.noise_sd.empty() ? model->noise_sd : model->trace.noise_sd.back()) / signals.unit();
    return {D, sd > 0.0 ? 1.0 / (sd * sd) : from_signals, static_cast<std::uint32_t>(model->trace.sweep.size())};
}

void check_start(const Context& context, const SignalSource& source, int atoms, int chains) {
    const Model* model = context.start;
    if (model == nullptr) return;
    if (chains != 1) throw InputError(fmt::format("chains is {}, must be 1 when a run goes on from a model", chains));
    if (model->signal_dim() != source.dim())
        throw InputError(fmt::format("{}: signals have {} entries, the atoms of the model to start from {}",
                                     source.name(), source.dim(), model->signal_dim()));
    if (model->atom_count() != static_cast<std::size_t>(atoms))
        throw InputError(fmt::format("atoms is {}, the model to start from has {}", atoms, model->atom_count()));
}

std::vector<Eigen::Index> refresh_atoms(const BlockSweep& signals, const Vec& use, Mat& D) {
    const std::vector<double>& density = signals.density();
    std::vector<std::size_t> densest(density.size());
    std::iota(densest.begin(), densest.end(), std::size_t{0});
    const std::size_t offered = std::min(most_at_once, densest.size());
    std::partial_sort(
        densest.begin(), densest.begin() + static_cast<std::ptrdiff_t>(offered), densest.end(),
        [&](std::size_t i, std::size_t j) { return density[i] != density[j] ? density[i] > density[j] : i < j; });

    const double norm = D.colwise().norm().mean();
    Mat unit = unit_columns(D);
    const auto bad = [&](Eigen::Index n) {
        if (use[n] < least_use * use.mean()) return true;
        const Vec cosines = (unit.transpose() * unit.col(n)).cwiseAbs();
        for (Eigen::Index k = 0; k < D.cols(); ++k)
            if (k != n && cosines[k] > copy_cosine && (use[k] > use[n] || (use[k] == use[n] && k < n))) return true;
        return false;
    };
    std::vector<Eigen::Index> replaced;
    std::size_t next = 0;
    for (Eigen::Index n = 0; n < D.cols() && next < offered; ++n) {
        if (!bad(n)) continue;
        const Vec y = signals.signal(densest[next++]);
        if (y.squaredNorm() == 0.0) break;  // the densest code is that of an empty signal: nothing to learn from
        unit.col(n) = y.normalized();
        D.col(n) = norm * unit.col(n);
        replaced.push_back(n);
    }
    return replaced;
}

}  // namespace sbdl
