#include <algorithm>

#include "base/linalg.hpp"
#include "denoise/pass_frame.hpp"

namespace sbdl {
namespace {

class PursuitEstimator {
public:
    PursuitEstimator(const PassSetting& setting, bool sparse_counts_more)
        : setting_(setting), sparse_counts_more_(sparse_counts_more) {}

    void operator()(const BatchOmp::Code& code, std::span<const double>, PatchEstimate& out) {
        out.weight = sparse_counts_more_ ? 1.0 / (1.0 + static_cast<double>(out.atoms)) : 1.0;
        std::fill(out.pixels.begin(), out.pixels.end(), 0.0);
        for (std::size_t k = 0; k < code.atoms.size(); ++k) {
            const std::span<const double> atom = setting_.dictionary.row(code.atoms[k]);
            for (std::size_t i = 0; i < atom.size(); ++i) out.pixels[i] += code.values[k] * atom[i];
        }
        if (setting_.with_std) add_variances(code.atoms, out);
    }

private:
    // Least squares on the chosen atoms: sigma^2 times the projection onto their span, plus sigma^2 / dim for the mean.
    void add_variances(std::span<const std::uint32_t> atoms, PatchEstimate& out) {
        const auto dim = static_cast<Eigen::Index>(setting_.omp.dim());
        const double variance = setting_.sigma * setting_.sigma;
        std::fill(out.variances.begin(), out.variances.end(), variance / static_cast<double>(dim));
        if (atoms.empty()) return;
        chosen_.resize(dim, static_cast<Eigen::Index>(atoms.size()));
        for (std::size_t k = 0; k < atoms.size(); ++k)
            chosen_.col(static_cast<Eigen::Index>(k)) =
                Eigen::Map<const Vec>(setting_.dictionary.row(atoms[k]).data(), dim);
        const Mat basis = Eigen::HouseholderQR<Mat>(chosen_).householderQ() * Mat::Identity(dim, chosen_.cols());
        for (Eigen::Index i = 0; i < dim; ++i)
            out.variances[static_cast<std::size_t>(i)] += variance * basis.row(i).squaredNorm();
    }

    const PassSetting& setting_;
    bool sparse_counts_more_;
    Mat chosen_;
};

}  // namespace

PassResult pursuit_pass(const Matrix& noisy, double tolerance, bool sparse_counts_more, const PassSetting& setting) {
    return run_pass(noisy, noisy, patch_error2(tolerance, setting), setting,
                    [&] { return PursuitEstimator(setting, sparse_counts_more); });
}

}  // namespace sbdl
