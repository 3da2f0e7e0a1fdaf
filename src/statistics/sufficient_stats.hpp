// The statistics of a block of signals: the only data passed between threads, devices or machines.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/linalg.hpp"

namespace sbdl {

/// A block's share of the objective, apart from the residual. Each learner uses the terms of its own objective
/// (docs/math.md, S3).
struct ObjectiveShare {
    double log_det_cov = 0.0;         ///< VB: sum over signals of ln det Sigma_l
    double log_code_rate = 0.0;       ///< VB: sum over codes of ln b~_nl
    double log_code_precision = 0.0;  ///< Gibbs: sum over codes of ln alpha_nl
    double code_penalty = 0.0;        ///< Gibbs: sum over codes of alpha_nl (b + x_nl^2 / 2)
    double support_entropy = 0.0;     ///< on/off VB: sum over codes of the entropy of q(z_nl)
    double log_code_var = 0.0;        ///< on/off VB with gaps: sum over codes of w_nl ln eta_nl

    void add(const ObjectiveShare& other) {
        log_det_cov += other.log_det_cov;
        log_code_rate += other.log_code_rate;
        log_code_precision += other.log_code_precision;
        code_penalty += other.code_penalty;
        support_entropy += other.support_entropy;
        log_code_var += other.log_code_var;
    }
    std::array<double*, 6> numbers() {
        return {&log_det_cov, &log_code_rate, &log_code_precision, &code_penalty, &support_entropy, &log_code_var};
    }
};

/// S1: Y X^T (M x N), S2: X X^T (N x N; until mirror(), a pair of atoms is split between the triangles), and
/// ||Y - D X||_F^2; under VB these are expectations. Where entries of Y are missing, D X takes their place under Gibbs
/// (K3); under VB they are left out, and entry m of an atom has statistics of its own, those of the signals in which it
/// is observed (K5, K6).
struct SufficientStats {
    /// `gaps`: entries of signals may be missing.
    SufficientStats(Eigen::Index signal_dim, Eigen::Index atom_count, bool gaps = false)
        : y_xt(Mat::Zero(signal_dim, atom_count)),
          x_xt(Mat::Zero(atom_count, atom_count)),
          gap_xt(gaps ? y_xt : Mat()),
          users(Vec::Zero(atom_count)) {}

    Mat y_xt;
    Mat x_xt;
    Mat gap_xt;  ///< E X^T, E standard normal where an entry is missing and 0 elsewhere; no size without gaps
    Mat seen_sq, seen_mean_sq;  ///< on/off VB with gaps, M x N: sums of <x_nl^2> and of <x_nl>^2; else no size
    Mat seen_xt;                ///< VB with gaps, N^2 x M: a column is <x x^T>, lower triangle; else no size
    Vec users;                  ///< on/off codes: how many signals use each atom
    double residual_sq = 0.0;
    ObjectiveShare objective;

    /// Room for the statistics of single entries.
    void begin_seen_squares() { seen_sq = seen_mean_sq = Mat::Zero(y_xt.rows(), y_xt.cols()); }
    void begin_seen_products() { seen_xt = Mat::Zero(x_xt.size(), y_xt.rows()); }

    void set_zero() {
        y_xt.setZero();
        x_xt.setZero();
        gap_xt.setZero();
        seen_sq.setZero();
        seen_mean_sq.setZero();
        seen_xt.setZero();
        users.setZero();
        residual_sq = 0.0;
        objective = {};
    }
    /// Where all numbers are: spans that have the same lengths in all statistics of a run. To be added up, and sent, as
    /// one sequence.
    std::vector<std::span<double>> spans() {
        std::vector<std::span<double>> all;
        for (Mat* matrix : {&y_xt, &x_xt, &gap_xt, &seen_sq, &seen_mean_sq, &seen_xt})
            if (matrix->size() > 0) all.emplace_back(matrix->data(), static_cast<std::size_t>(matrix->size()));
        all.emplace_back(users.data(), static_cast<std::size_t>(users.size()));
        all.emplace_back(&residual_sq, 1);
        for (double* number : objective.numbers()) all.emplace_back(number, 1);
        return all;
    }
    /// The statistics of signals whose missing entries have been drawn, given the precision of the noise.
    [[nodiscard]] SufficientStats with_missing_drawn(double noise_precision) const {
        SufficientStats drawn = *this;
        drawn.y_xt += gap_xt / std::sqrt(noise_precision);
        return drawn;
    }
    /// Blocks may add their parts of x_i x_j to either triangle. This joins the triangles once, after all sums.
    void mirror() {
        for (Eigen::Index n = 0; n < x_xt.cols(); ++n)
            for (Eigen::Index i = n + 1; i < x_xt.rows(); ++i) x_xt(i, n) = x_xt(n, i) = x_xt(i, n) + x_xt(n, i);
    }
};

}  // namespace sbdl
