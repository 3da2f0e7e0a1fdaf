#include "kernels/cpu/gibbs_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sbdl {

namespace {

/// Signals whose active atoms are padded to the largest number among them. The kernels' tiles depend on the instruction
/// set; the model must not.
constexpr std::size_t together = 16;

/// Flops of double-precision products that take as long as the work for one active atom and one entry of a signal:
/// copying the atom and factoring once, and again in every step.
constexpr double once = 60.0, every_step = 10.0;

/// What both paths do alike is left out.
double dense_cost(double M, double N) {
    return M * (M + 1.0) * N + M * M * M / 3.0;
}

double sparse_cost(double M, double N, double active, double steps) {
    return (4.0 + 2.0 * steps) * M * N + (once + every_step * steps) * M * active;
}

/// The largest eigenvalue of E is about this for atoms in all directions (measured on pictures: within a third), and
/// conjugate gradients gain the factor q a step on a spectrum from 1 to 1 + rho.
double expected_steps(double M, double rest) {
    const double rho = active_threshold + rest / std::sqrt(M);
    const double root = std::sqrt(1.0 + rho);
    const double q = (root - 1.0) / (root + 1.0);
    return std::log(tolerance / most_correction) / std::log(q);
}

}  // namespace

void fill_sparse_tables(const Mat& D, double gamma, SparseTables& to) {
    const Eigen::Index M = D.rows(), N = D.cols();
    Mat unit = Mat::Zero(M, N + 1);
    to.strength.resize(static_cast<std::size_t>(N));
    to.code.resize(static_cast<std::size_t>(N));
    for (Eigen::Index n = 0; n < N; ++n) {
        const double norm = D.col(n).norm();
        const double length = norm > 0.0 ? norm : 1.0;  // an atom of zeros leaves its codes to their prior
        unit.col(n) = D.col(n) / length;
        to.strength[static_cast<std::size_t>(n)] = gamma * length * length;
        to.code[static_cast<std::size_t>(n)] = 1.0 / (std::sqrt(gamma) * length);
    }
    const Mat atoms = unit.leftCols(N);
    pack(atoms, to.D);
    pack(atoms.transpose(), to.Dt);
    pack(atoms, to.D_f);
    pack(atoms.transpose(), to.Dt_f);
    const Mat gram = unit.transpose() * unit;
    to.atoms.assign(unit.data(), unit.data() + unit.size());
    to.gram.assign(gram.data(), gram.data() + gram.size());
}

bool sparse_pays(const GibbsTables& tables, const BlockView& view) {
    std::array<double, block_size> active{}, rest{};
    for (std::size_t n = 0; n < tables.N; ++n) {
        const double* var = view.code_var + n * block_size;
        const double strength = tables.sparse.strength[n];
        for (std::size_t l = 0; l < view.count; ++l) {
            const double s = strength * var[l];
            active[l] += s > active_threshold ? 1.0 : 0.0;
            rest[l] += s > active_threshold ? 0.0 : s;
        }
    }
    const auto M = static_cast<double>(tables.M), N = static_cast<double>(tables.N);
    double sparse = 0.0;
    for (std::size_t first = 0; first < view.count; first += together) {
        const std::size_t end = std::min(first + together, view.count);
        const double most = *std::max_element(active.begin() + first, active.begin() + end);
        const double most_rest = *std::max_element(rest.begin() + first, rest.begin() + end);
        const bool too_many = most > static_cast<double>(most_active(tables.M));
        const double cost = too_many ? dense_cost(M, N) : sparse_cost(M, N, most, expected_steps(M, most_rest));
        sparse += cost * static_cast<double>(end - first);
    }
    return sparse < dense_cost(M, N) * static_cast<double>(view.count);
}

}  // namespace sbdl
