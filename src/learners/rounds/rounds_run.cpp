#include "learners/rounds/rounds_run.hpp"

#include <numeric>

#include "options/option_name.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

SweepReport RoundsRun::sweep() {
    round(renewal_.carry_out(signals_, parts_, D_));
    ++made_;
    const std::vector<double> left = squared_norms(pass_.residual);
    const Sums found = sums(left);
    const double reached = objective(found.residual2);
    const double signals = static_cast<double>(signals_.count()), dim = static_cast<double>(signals_.dim());
    if (!std::isfinite(reached))
        throw NumericError(fmt::format("{}: the objective of sweep {} is {}", method_, made_, reached));
    residual_rms_ = signals_.unit() * std::sqrt(found.residual2 / (signals * dim));
    return {.sweep = made_,
            .phase = Phase::kept,
            .objective = signals_.unit() * signals_.unit() * reached,
            .noise_sd = residual_rms_,
            .atoms_refreshed = done() ? 0 : renewal_.plan(D_, found.users, left, parts_),
            .mean_nonzeros = found.nonzeros / signals,
            .dictionary = {}};
}

RoundsRun::Sums RoundsRun::sums(std::span<const double> left) const {
    const std::vector<int> users = count_users(pass_.codes);
    Vec sum = Vec::Zero(D_.cols() + 2);
    RankGroup ranks = parts_.ranks();
    ranks.add_in_turn({sum.data(), users.size() + 2}, users.size() + 2, [&](const IndexRange&) {
        sum[0] = std::accumulate(left.begin(), left.end(), sum[0]);
        sum[1] += static_cast<double>(pass_.codes.atom.size());
        sum.tail(D_.cols()) += Eigen::Map<const Eigen::VectorXi>(users.data(), D_.cols()).cast<double>();
    });
    const Eigen::VectorXi all_users = sum.tail(D_.cols()).cast<int>();
    return {sum[0], sum[1], {all_users.begin(), all_users.end()}};
}

void RoundsRun::finish(TrainResult& result) {
    const SparseCodes& codes = pass_.codes;
    const std::vector<int> sizes = code_sizes(codes);
    Vec sum = Vec::Zero(2 * D_.cols() + 1);  // the energy of each atom, then how many codes have each size
    auto energy = sum.head(D_.cols());
    const auto values = static_cast<std::size_t>(sum.size());
    RankGroup ranks = parts_.ranks();
    ranks.add_in_turn({sum.data(), values}, values, [&](const IndexRange&) {
        for (std::size_t k = 0; k < codes.atom.size(); ++k) energy[codes.atom[k]] += codes.value[k] * codes.value[k];
        for (std::size_t k = 0; k < sizes.size(); ++k) sum[D_.cols() + static_cast<Eigen::Index>(k)] += sizes[k];
    });
    Model& model = result.model;
    model.dictionary = to_rows(D_);
    model.atom_usage = to_vector(signals_.unit() * (energy / static_cast<double>(signals_.count())).cwiseSqrt());
    model.atom_norm.assign(codes.atoms, 1.0);
    model.noise_sd = residual_rms_;
    for (const double signals : sum.tail(D_.cols() + 1)) model.code_sizes.push_back(static_cast<int>(signals));
    while (!model.code_sizes.empty() && model.code_sizes.back() == 0) model.code_sizes.pop_back();
    if (model.code_sizes.size() <= 1) result.warnings.push_back(nothing_learned_);
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
