#include "learners/chains/determined_atoms.hpp"

#include <utility>

#include "sbdl/atoms_in_use.hpp"

namespace sbdl {
namespace {

/// What the rule looks at, so that chains and models are judged by the same one.
Model model_of(Matrix dictionary, const Vec& usage, double noise_sd, double signals) {
    Model model;
    model.dictionary = std::move(dictionary);
    model.atom_usage = to_vector(usage);
    model.noise_sd = noise_sd;
    model.signal_count = static_cast<std::uint64_t>(signals);
    return model;
}

}  // namespace

std::vector<bool> determined_atoms(const PosteriorAverage& average, const ChainScale& scale) {
    Model model =
        model_of(to_rows(average.mean_atoms()), scale.unit * average.usage(), average.noise_sd(), scale.signals);
    model.dictionary_std = to_rows(average.atom_std());
    return atoms_in_use(model);
}

std::vector<bool> determined_atoms(Eigen::Index dim, const Vec& usage, double noise_sd, double signals) {
    const auto atoms = static_cast<std::size_t>(usage.size());
    return atoms_in_use(model_of(Matrix(atoms, static_cast<std::size_t>(dim)), usage, noise_sd, signals));
}

std::vector<bool> telling_atoms(const PosteriorAverage& average, const ChainScale& scale) {
    std::vector<bool> telling = determined_atoms(average, scale);
    const Vec usage = scale.unit * average.usage();
    const std::vector<bool> coded =
        determined_atoms(average.mean_atoms().rows(), usage, average.noise_sd(), scale.signals);
    for (std::size_t n = 0; n < telling.size(); ++n)
        if (coded[n] && usage[static_cast<Eigen::Index>(n)] >= much_used * usage.maxCoeff()) telling[n] = true;
    return telling;
}

}  // namespace sbdl
