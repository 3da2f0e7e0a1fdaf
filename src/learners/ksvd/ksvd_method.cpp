// K-SVD, one round at a time: codes of all signals with the atoms fixed, then the atoms in turn with the supports
// fixed.
#include "learners/ksvd/ksvd_method.hpp"

#include "learners/rounds/rounds_run.hpp"

namespace sbdl {
namespace {

constexpr std::size_t users_in_part = 128;   // at least
constexpr std::size_t most_atom_parts = 16;  // each has its own sums
constexpr std::size_t columns_at_once = 256;

std::size_t atom_parts(std::size_t users) {
    return std::clamp(users / users_in_part, std::size_t{1}, most_atom_parts);
}

Eigen::Index column(const AtomUsers::Use& use) {
    return static_cast<Eigen::Index>(use.signal);
}

class KsvdRun final : public PursuitRun {
public:
    KsvdRun(const SignalShare& signals, const KsvdOptions& options, const Context& context)
        : PursuitRun(signals, options, context), fit_(options.update, threads_) {}

private:
    void update_atoms() override {
        const AtomUsers users(pass_.codes);
        for (Eigen::Index n = 0; n < D_.cols(); ++n) fit_.refit(n, users.of(static_cast<std::size_t>(n)), D_, pass_);
    }

    AtomFit fit_;
};

}  // namespace

void AtomFit::each_part(Users users, double cost, const std::function<void(std::size_t, Users)>& work) const {
    const int team = cost * static_cast<double>(users.size()) < worth_threads_ ? 1 : threads_;
    parallel_for(Parts(users.size(), atom_parts(users.size())), team,
                 [&](const IndexRange& part, int) { work(part.number, users.subspan(part.first, part.size)); });
}

void AtomFit::refit(Eigen::Index n, Users users, Mat& D, SparsePass& pass) const {
    if (users.empty()) return;
    const Vec old = D.col(n);
    const Vec atom = update_ == KsvdUpdate::exact ? exact_atom(users, old, pass) : approximate_atom(users, old, pass);
    each_part(users, 2.0 * static_cast<double>(D.rows()), [&](std::size_t, Users mine) {
        for (const AtomUsers::Use& use : mine) {
            auto e = pass.residual.col(column(use));
            const double x = atom.dot(e);
            e -= x * atom;
            pass.codes.value[use.entry] = x;
        }
    });
    D.col(n) = atom;
}

Vec AtomFit::approximate_atom(Users users, const Vec& old, SparsePass& pass) const {
    std::vector<Vec> sums(atom_parts(users.size()), Vec::Zero(old.size()));  // E x of each part
    each_part(users, 2.0 * static_cast<double>(old.size()), [&](std::size_t part, Users mine) {
        for (const AtomUsers::Use& use : mine) {
            auto e = pass.residual.col(column(use));
            const double x = pass.codes.value[use.entry];
            e += x * old;
            sums[part] += x * e;
        }
    });
    for (std::size_t part = 1; part < sums.size(); ++part) sums[0] += sums[part];
    const double norm = sums[0].norm();
    if (!(norm > 0.0)) return old;  // codes that are all zero say nothing about the atom
    return sums[0] / norm;
}

Vec AtomFit::exact_atom(Users users, const Vec& old, SparsePass& pass) const {
    const Eigen::Index dim = old.size();
    std::vector<Mat> grams(atom_parts(users.size()), Mat::Zero(dim, dim));  // E E^T of each, the lower triangle
    each_part(users, static_cast<double>(dim * dim), [&](std::size_t part, Users mine) {
        Mat columns(dim, static_cast<Eigen::Index>(std::min(columns_at_once, mine.size())));
        for (std::size_t first = 0; first < mine.size(); first += columns_at_once) {
            const Users some = mine.subspan(first, std::min(columns_at_once, mine.size() - first));
            for (std::size_t i = 0; i < some.size(); ++i) {
                auto e = pass.residual.col(column(some[i]));
                e += pass.codes.value[some[i].entry] * old;
                columns.col(static_cast<Eigen::Index>(i)) = e;
            }
            grams[part].selfadjointView<Eigen::Lower>().rankUpdate(
                columns.leftCols(static_cast<Eigen::Index>(some.size())));
        }
    });
    for (std::size_t part = 1; part < grams.size(); ++part) grams[0] += grams[part];
    const Eigen::SelfAdjointEigenSolver<Mat> solver(grams[0]);  // reads the lower triangle
    if (solver.info() != Eigen::Success || !(solver.eigenvalues()[dim - 1] > 0.0)) return old;
    const Vec atom = solver.eigenvectors().col(dim - 1).normalized();
    return atom.dot(old) < 0.0 ? Vec(-atom) : atom;  // its sign stays the same from round to round
}

KsvdOptions KsvdOptions::preset(Preset which, int atoms) {
    auto options = with_atoms<KsvdOptions>(atoms);
    if (which == Preset::paper) {
        options.update = KsvdUpdate::exact;
        options.duplicate_correlation = 0.99;
        options.least_share = 0.0;
    }
    return options;
}

void KsvdOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

extern const MethodInfo ksvd_method = rounds_method<KsvdRun, KsvdOptions>(
    "K-SVD", "needs --atoms and either --sparsity or --max-error; infers neither noise nor sparsity; quick");

}  // namespace sbdl
