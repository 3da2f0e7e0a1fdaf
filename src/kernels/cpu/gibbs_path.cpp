#include "kernels/cpu/gibbs_path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/aligned.hpp"
#include "base/partition.hpp"

namespace sbdl {

namespace {

/// Signals that are computed together: their active atoms are padded to the largest number among them. In the kernels
/// this number depends on the instruction set; here it must not.
constexpr std::size_t together = 32;

/// The cost of one active atom per entry of a signal, in flops of double-precision products: copying the atom and
/// factoring once, and preconditioning in every step. Fitted at M = 64, N = 256 to sweeps with 9 to 30 active atoms
/// (docs/performance.md).
constexpr double once = 70.0, every_step = 11.0;

/// Without the work that both paths share.
double dense_cost(double M, double N) {
    return M * (M + 1.0) * N + M * M * M / 3.0;
}

/// The first product with E counts as one and a half; the others, in single precision, as half.
double sparse_cost(double M, double N, double active, double steps) {
    return (3.0 + 2.0 * steps) * M * N + (once + every_step * steps) * M * active;
}

/// rho is about the largest eigenvalue of E for atoms in all directions (measured on images: within a third), and
/// conjugate gradients gain the factor q per step on a spectrum from 1 to 1 + rho.
double expected_steps(double M, double rest) {
    const double rho = active_threshold + rest / std::sqrt(M);
    const double root = std::sqrt(1.0 + rho);
    const double q = (root - 1.0) / (root + 1.0);
    return std::log(tolerance / most_correction) / std::log(q);
}

void scatter_rows(const double* from, const LaneOrder& order, std::size_t count, std::size_t rows, double* to) {
    for (std::size_t n = 0; n < rows; ++n, from += block_size, to += block_size)
        for (std::size_t l = 0; l < count; ++l) to[order.signal[l]] = from[l];
}

}  // namespace

void fill_sparse_tables(const Mat& D, SparseTables& to) {
    const Eigen::Index M = D.rows(), N = D.cols();
    Mat unit = Mat::Zero(M, N + 1);
    to.length.resize(static_cast<std::size_t>(N));
    to.shortest = 1e-8 * D.colwise().norm().maxCoeff();
    for (Eigen::Index n = 0; n < N; ++n) {
        const double norm = D.col(n).norm();
        const double length = norm > 0.0 ? norm : 1.0;
        unit.col(n) = D.col(n) / length;
        to.length[static_cast<std::size_t>(n)] = length;
    }
    const Mat atoms = unit.leftCols(N);
    pack(atoms.transpose(), to.Dt);
    pack(atoms, to.D_f);
    pack(atoms.transpose(), to.Dt_f);
    const Mat gram = unit.transpose() * unit;
    constexpr std::size_t longest = vector_alignment / sizeof(double);
    to.atom_step = round_up(static_cast<std::size_t>(M), longest);
    to.atoms.assign(to.atom_step * static_cast<std::size_t>(N + 1), 0.0);
    for (Eigen::Index n = 0; n < N; ++n)
        std::copy_n(unit.col(n).data(), M, to.atoms.data() + static_cast<std::size_t>(n) * to.atom_step);
    to.gram.assign(gram.data(), gram.data() + gram.size());
}

void set_noise(double gamma, SparseTables& tables) {
    const std::size_t N = tables.length.size();
    for (std::vector<double>* table : {&tables.strength, &tables.code, &tables.code_scale, &tables.code_unit})
        table->resize(N);
    for (std::size_t n = 0; n < N; ++n) {
        const double length = tables.length[n];
        tables.strength[n] = gamma * length * length;
        tables.code_scale[n] = std::sqrt(gamma) * std::max(length, tables.shortest);
        tables.code_unit[n] = 1.0 / tables.code_scale[n];
        tables.code[n] = 1.0 / (std::sqrt(gamma) * length);
    }
}

LaneOrder plain_order() {
    LaneOrder order;
    std::iota(order.signal, order.signal + block_size, std::uint64_t{0});
    return order;
}

LaneOrder order_by_activity(const BlockView& view, const BlockActivity& activity) {
    LaneOrder order = plain_order();
    std::stable_sort(order.signal, order.signal + view.count, [&](std::uint64_t one, std::uint64_t other) {
        return activity.active[one] < activity.active[other];
    });
    return order;
}

bool sparse_pays(const GibbsTables& tables, const BlockView& view, const BlockActivity& activity,
                 const LaneOrder& order) {
    const auto M = static_cast<double>(tables.M), N = static_cast<double>(tables.N);
    double sparse = 0.0;
    for (const IndexRange& signals : Blocks(view.count, together)) {
        double active = 0.0, rest = 0.0;
        for (std::size_t l = signals.first; l < signals.end(); ++l) {
            active = std::max(active, activity.active[order.signal[l]]);
            rest = std::max(rest, activity.rest[order.signal[l]]);
        }
        const bool too_many = active > static_cast<double>(most_active(tables.M));
        const double cost = too_many ? dense_cost(M, N) : sparse_cost(M, N, active, expected_steps(M, rest));
        sparse += cost * static_cast<double>(signals.size);
    }
    return sparse < dense_cost(M, N) * static_cast<double>(view.count);
}

std::size_t sorted_doubles(std::size_t M, std::size_t N) {
    return (M + N + 1) * block_size;
}

BlockView sort_block(const BlockView& block, const LaneOrder& order, std::size_t M, std::size_t N, double* memory) {
    double* const code_var = memory;
    double* const signals = code_var + N * block_size;
    for (std::size_t n = 0; n < N; ++n)
        for (std::size_t l = 0; l < block.count; ++l)
            code_var[n * block_size + l] = block.code_var[n * block_size + order.signal[l]];
    for (std::size_t l = 0; l < block.count; ++l) std::copy_n(block.signals + order.signal[l] * M, M, signals + l * M);
    return {.first_signal = block.first_signal,
            .count = block.count,
            .signals = signals,
            .code_var = code_var,
            .density = signals + M * block_size};
}

void put_back(const BlockView& sorted, const double* x, const LaneOrder& order, std::size_t N, const BlockView& block) {
    scatter_rows(sorted.code_var, order, block.count, N, block.code_var);
    scatter_rows(sorted.density, order, block.count, 1, block.density);
    if (block.codes != nullptr) scatter_rows(x, order, block.count, N, block.codes);
}

}  // namespace sbdl
