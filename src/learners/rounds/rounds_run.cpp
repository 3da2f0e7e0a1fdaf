#include "learners/rounds/rounds_run.hpp"

#include <numeric>

#include "options/option_name.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

SweepReport RoundsRun::sweep() {
    round(renewal_.carry_out(signals_, D_));
    ++made_;
    const std::vector<double> left = squared_norms(pass_.residual);
    const double residual2 = std::accumulate(left.begin(), left.end(), 0.0);
    const double reached = objective(residual2);
    if (!std::isfinite(reached))
        throw NumericError(fmt::format("{}: the objective of sweep {} is {}", method_, made_, reached));
    residual_rms_ = signals_.unit() * std::sqrt(residual2 / static_cast<double>(pass_.residual.size()));
    return {.sweep = made_,
            .phase = Phase::kept,
            .objective = signals_.unit() * signals_.unit() * reached,
            .noise_sd = residual_rms_,
            .atoms_refreshed = done() ? 0 : renewal_.plan(D_, pass_.codes, left),
            .mean_nonzeros = mean_nonzeros(pass_.codes),
            .dictionary = {}};
}

void RoundsRun::finish(TrainResult& result) {
    const SparseCodes& codes = pass_.codes;
    if (codes.atom.empty()) result.warnings.push_back(nothing_learned_);
    Vec energy = Vec::Zero(D_.cols());
    for (std::size_t k = 0; k < codes.atom.size(); ++k) energy[codes.atom[k]] += codes.value[k] * codes.value[k];
    Model& model = result.model;
    model.dictionary = to_rows(D_);
    model.atom_usage = to_vector(signals_.unit() * (energy / static_cast<double>(codes.count())).cwiseSqrt());
    model.atom_norm.assign(codes.atoms, 1.0);
    model.noise_sd = residual_rms_;
    model.code_sizes = code_sizes(codes);
    if (!keep_codes_) return;
    model.codes = Matrix(codes.count(), codes.atoms);
    for (std::size_t l = 0; l < codes.count(); ++l)
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
            model.codes(l, codes.atom[k]) = signals_.unit() * codes.value[k];
}

void RoundsRun::archive(StateArchive& archive) {
    struct Learned {
        RoundsRun& run;
        void archive(StateArchive& to) { run.archive_learned(to); }
    } learned{*this};
    archive("made", made_);
    archive("learner", learned);
}

void RoundsRun::archive_learned(StateArchive& archive) {
    archive("D", D_);
    archive("renewal", renewal_);
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

std::vector<int> code_sizes(const SparseCodes& codes) {
    std::vector<int> sizes;
    for (std::size_t l = 0; l < codes.count(); ++l) {
        const std::size_t size = codes.start[l + 1] - codes.start[l];
        if (size >= sizes.size()) sizes.resize(size + 1, 0);
        ++sizes[size];
    }
    return sizes;
}

std::optional<int> possible_sparsity(std::optional<int> asked, int atoms, const SignalSource& signals,
                                     std::vector<std::string>& warnings) {
    if (!asked) return asked;
    const std::size_t most = std::min(static_cast<std::size_t>(atoms), signals.dim());
    if (static_cast<std::size_t>(*asked) <= most) return asked;
    warnings.push_back(fmt::format("{} is {}, more than {}; {} was used instead", option_name("sparsity"), *asked,
                                   most == static_cast<std::size_t>(atoms)
                                       ? fmt::format("the {} atoms", atoms)
                                       : fmt::format("the {} entries of a signal", signals.dim()),
                                   most));
    return static_cast<int>(most);
}

}  // namespace sbdl
