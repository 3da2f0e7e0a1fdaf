// K-SVD, one round at a time: codes of all signals with the atoms fixed, then the atoms in turn with the supports
// fixed.
#include "learners/ksvd/ksvd_method.hpp"

#include "learners/rounds/rounds_run.hpp"
#include "pass/rank_sums.hpp"

namespace sbdl {
namespace {

constexpr std::size_t columns_at_once = 256;

Eigen::Index column(const AtomUsers::Use& use) {
    return static_cast<Eigen::Index>(use.signal);
}

class KsvdRun final : public PursuitRun {
public:
    KsvdRun(const SignalShare& signals, const KsvdOptions& options, const Context& context)
        : PursuitRun(signals, options, context), fit_(options.update, parts_, threads_) {}

private:
    void update_atoms() override {
        const AtomUsers users(pass_.codes, parts_.own());
        for (Eigen::Index n = 0; n < D_.cols(); ++n) fit_.refit(n, users, D_, pass_);
    }

    AtomFit fit_;
};

}  // namespace

void AtomFit::each_part(const Refitted& refitted, double cost,
                        const std::function<void(std::size_t, Users)>& work) const {
    const std::size_t all = refitted.users.of(refitted.atom).size();
    const int team = cost * static_cast<double>(all) < worth_threads_ ? 1 : threads_;
    parallel_for(parts_.own().number(), team,
                 [&](std::size_t part, int) { work(part, refitted.users.of(refitted.atom, part)); });
}

void AtomFit::refit(Eigen::Index n, const AtomUsers& users, Mat& D, SparsePass& pass) {
    const Refitted refitted{static_cast<std::size_t>(n), users, D.col(n)};
    const bool unused = users.of(refitted.atom).empty();
    if (unused && parts_.ranks().alone()) return;  // other ranks may have users
    const Vec atom = update_ == KsvdUpdate::exact ? exact_atom(refitted, pass) : approximate_atom(refitted, pass);
    each_part(refitted, 2.0 * static_cast<double>(D.rows()), [&](std::size_t, Users mine) {
        for (const AtomUsers::Use& use : mine) {
            auto e = pass.residual.col(column(use));
            const double x = atom.dot(e);
            e -= x * atom;
            pass.codes.value[use.entry] = x;
        }
    });
    D.col(n) = atom;
}

Vec AtomFit::approximate_atom(const Refitted& refitted, SparsePass& pass) {
    const Vec& old = refitted.old;
    sums_.resize(parts_.own().number());
    each_part(refitted, 2.0 * static_cast<double>(old.size()), [&](std::size_t part, Users mine) {
        Vec& sum = sums_[part];
        sum.setZero(old.size());
        for (const AtomUsers::Use& use : mine) {
            auto e = pass.residual.col(column(use));
            const double x = pass.codes.value[use.entry];
            e += x * old;
            sum += x * e;
        }
    });
    Vec sum = Vec::Zero(old.size());
    RankGroup ranks = parts_.ranks();
    add_terms(ranks, sums_, sum);
    const double norm = sum.norm();
    if (!(norm > 0.0)) return old;  // codes that are all zero say nothing about the atom
    return sum / norm;
}

Vec AtomFit::exact_atom(const Refitted& refitted, SparsePass& pass) {
    const Vec& old = refitted.old;
    const Eigen::Index dim = old.size();
    grams_.resize(parts_.own().number());
    each_part(refitted, static_cast<double>(dim * dim), [&](std::size_t part, Users mine) {
        Mat& gram = grams_[part];
        gram.setZero(dim, dim);
        Mat columns(dim, static_cast<Eigen::Index>(std::min(columns_at_once, mine.size())));
        for (std::size_t first = 0; first < mine.size(); first += columns_at_once) {
            const Users some = mine.subspan(first, std::min(columns_at_once, mine.size() - first));
            for (std::size_t i = 0; i < some.size(); ++i) {
                auto e = pass.residual.col(column(some[i]));
                e += pass.codes.value[some[i].entry] * old;
                columns.col(static_cast<Eigen::Index>(i)) = e;
            }
            gram.selfadjointView<Eigen::Lower>().rankUpdate(columns.leftCols(static_cast<Eigen::Index>(some.size())));
        }
    });
    Mat gram = Mat::Zero(dim, dim);
    RankGroup ranks = parts_.ranks();
    add_terms(ranks, grams_, gram);
    const Eigen::SelfAdjointEigenSolver<Mat> solver(gram);  // reads the lower triangle
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
    "K-SVD", "needs --atoms and either --sparsity or --max-error; infers neither noise nor sparsity; quick",
    /*ranks=*/true);

}  // namespace sbdl
