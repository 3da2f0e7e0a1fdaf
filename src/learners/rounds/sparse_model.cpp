#include "learners/rounds/sparse_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "learners/rounds/rounds_run.hpp"

namespace sbdl {
namespace {

/// Entry k: how many signals have k atoms in their code.
std::vector<int> sizes_of(const SparseCodes& codes) {
    std::vector<int> sizes;
    for (std::size_t l = 0; l < codes.count(); ++l) {
        const std::size_t size = codes.start[l + 1] - codes.start[l];
        if (size >= sizes.size()) sizes.resize(size + 1, 0);
        ++sizes[size];
    }
    return sizes;
}

Matrix dense(const SparseCodes& codes, double unit) {
    Matrix rows(codes.count(), codes.atoms);
    for (std::size_t l = 0; l < codes.count(); ++l)
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
            rows(l, codes.atom[k]) = unit * codes.value[k];
    return rows;
}

}  // namespace

std::optional<int> possible_sparsity(std::optional<int> asked, int atoms, const SignalSource& signals,
                                     std::vector<std::string>& warnings) {
    if (!asked) return asked;
    const std::size_t most = std::min(static_cast<std::size_t>(atoms), signals.dim());
    if (static_cast<std::size_t>(*asked) <= most) return asked;
    warnings.push_back(fmt::format("sparsity is {}, more than {}; {} was used instead", *asked,
                                   most == static_cast<std::size_t>(atoms)
                                       ? fmt::format("the {} atoms", atoms)
                                       : fmt::format("the {} entries of a signal", signals.dim()),
                                   most));
    return static_cast<int>(most);
}

SparseCodes sparse_codes(const Mat& X) {
    SparseCodes codes;
    codes.atoms = static_cast<std::size_t>(X.rows());
    for (Eigen::Index l = 0; l < X.cols(); ++l) {
        for (Eigen::Index n = 0; n < X.rows(); ++n) {
            if (X(n, l) == 0.0) continue;
            codes.atom.push_back(static_cast<std::uint32_t>(n));
            codes.value.push_back(X(n, l));
        }
        codes.start.push_back(codes.atom.size());
    }
    return codes;
}

void fill_sparse_model(const Mat& D, const SparseCodes& codes, double unit, double residual_rms, bool keep_codes,
                       Model& model) {
    Vec energy = Vec::Zero(D.cols());
    for (std::size_t k = 0; k < codes.atom.size(); ++k) energy[codes.atom[k]] += codes.value[k] * codes.value[k];
    model.dictionary = to_rows(D);
    model.atom_usage = to_vector(unit * (energy / static_cast<double>(codes.count())).cwiseSqrt());
    model.atom_norm.assign(codes.atoms, 1.0);
    model.noise_sd = residual_rms;
    model.code_sizes = sizes_of(codes);
    if (keep_codes) model.codes = dense(codes, unit);
}

}  // namespace sbdl
