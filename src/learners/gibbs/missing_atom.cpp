#include "learners/gibbs/missing_atom.hpp"

#include <Eigen/Eigenvalues>

namespace sbdl {

std::optional<MissingAtom> find_missing_atom(const Mat& unexplained, const Vec& code_energy, const Mat& D) {
    // Chosen on synthetic sets (docs/results/how-recipes-were-chosen.md).
    constexpr double above_noise = 1.5;  // noise alone leaves about the same in every direction
    if (D.cols() < 2) return std::nullopt;
    const Eigen::SelfAdjointEigenSolver<Mat> directions(unexplained);
    if (directions.info() != Eigen::Success) return std::nullopt;
    const Vec& energy = directions.eigenvalues();  // ascending
    const Eigen::Index last = energy.size() - 1;
    if (!(energy[last] > above_noise * energy[last / 2])) return std::nullopt;

    // Without the atom its closest neighbour would explain the part along itself.
    Mat cosine = (D.transpose() * D).cwiseAbs();
    cosine.diagonal().setZero();
    const Vec own = (1.0 - cosine.rowwise().maxCoeff().array().min(1.0).square()) * code_energy.array();
    Eigen::Index least = 0;
    if (!(energy[last] > own.minCoeff(&least))) return std::nullopt;
    return MissingAtom{least, directions.eigenvectors().rowwise().reverse()};
}

}  // namespace sbdl
