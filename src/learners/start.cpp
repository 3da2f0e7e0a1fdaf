#include "learners/start.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learners/stale_atoms.hpp"

namespace sbdl {
namespace {

constexpr double jitter = 1e-3;       // relative to the atom's norm, per entry
constexpr double copy_cosine = 0.9;   // above: one of the two atoms is refreshed
constexpr double least_share = 0.05;  // relative to the mean use
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

Mat start_dictionary(const CodePass& pass, double norm, std::uint64_t seed, std::uint32_t chain) {
    DrawStream draws(seed, {Purpose::initial_atoms, 0, chain, 0});
    return norm * atoms_from_signals(
                      pass.signal_count(), [&](std::size_t l) { return pass.signal(l); },
                      static_cast<Eigen::Index>(pass.signal_dim()), static_cast<Eigen::Index>(pass.atom_count()),
                      draws);
}

Mat start_atoms(const SignalShare& signals, int atoms, const Context& context) {
    return start_atoms(signals, SharedParts(signals.count()), atoms, context);
}

Mat start_atoms(const SignalShare& signals, const SharedParts& parts, int atoms, const Context& context) {
    if (context.start != nullptr) return unit_columns(as_columns(context.start->dictionary));
    DrawStream draws(context.seed, {.purpose = Purpose::sparse_start});
    return atoms_from_signals(
        signals.count(), [&](std::size_t l) { return parts.signal(signals, l); }, signals.dim(), atoms, draws);
}

StartPoint start_point(const CodePass& pass, double norm, std::uint64_t seed, std::uint32_t chain, const Model* model) {
    const double from_signals = pass.signal_precision();
    if (model == nullptr) return {start_dictionary(pass, norm, seed, chain), from_signals, 0};
    Mat D = as_columns(model->dictionary);
    for (Eigen::Index n = 0; n < D.cols(); ++n) D.col(n) *= model->atom_norm[static_cast<std::size_t>(n)];
    if (D.isZero(0.0)) D = start_dictionary(pass, norm, seed, chain);  // VB switched all of them off
    // The trace has the noise of the run itself; the model's value may be a re-estimate.
    const double sd = (model->trace.noise_sd.empty() ? model->noise_sd : model->trace.noise_sd.back()) / pass.unit();
    return {D, sd > 0.0 ? 1.0 / (sd * sd) : from_signals, static_cast<std::uint32_t>(model->trace.sweep.size())};
}

std::vector<Eigen::Index> refresh_atoms(const CodePass& pass, const Vec& use, Mat& D) {
    const std::vector<std::size_t> densest = pass.densest_signals(most_at_once);
    const double norm = D.colwise().norm().mean();
    const double least = least_share * use.mean();
    Mat unit = unit_columns(D);
    std::vector<Eigen::Index> replaced;
    std::size_t next = 0;
    for (Eigen::Index n = 0; n < D.cols() && next < densest.size(); ++n) {
        if (!is_stale(unit, use, n, least, copy_cosine)) continue;
        const Vec y = pass.signal(densest[next++]);
        if (y.squaredNorm() == 0.0) break;  // even the densest code belongs to a zero signal: nothing to learn from
        unit.col(n) = y.normalized();
        D.col(n) = norm * unit.col(n);
        replaced.push_back(n);
    }
    return replaced;
}

}  // namespace sbdl
