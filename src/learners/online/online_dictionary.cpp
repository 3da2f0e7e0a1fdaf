#include "learners/online/online_dictionary.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "coders/lasso.hpp"
#include "kernels/cpu/blas.hpp"
#include "random/stream.hpp"

namespace sbdl {
namespace {

constexpr std::size_t block = 64;     // signals coded by one thread at a time
constexpr double hardly_used = 1e-6;  // of the mean use: such an atom is replaced

// What the batches leave behind: A = sum x x^T and B = sum y x^T, older batches counting less.
struct Gathered {
    Mat A, B;
};

class OnlineLearner {
public:
    OnlineLearner(const SignalSource& signals, const OnlinePlan& plan, const Context& context)
        : signals_(signals),
          plan_(plan),
          seed_(context.seed),
          threads_(resolve_threads(context.threads)),
          M_(static_cast<Eigen::Index>(signals.dim())),
          N_(static_cast<Eigen::Index>(plan.atoms)),
          D_(M_, N_),
          sums_{Mat::Zero(N_, N_), Mat::Zero(M_, N_)} {
        start();
    }

    void pass(int number) {
        const std::vector<std::size_t> order = shuffled(number);
        for (std::size_t first = 0; first < order.size(); first += plan_.batch)
            learn({order.data() + first, std::min(plan_.batch, order.size() - first)});
    }

    [[nodiscard]] Matrix dictionary() const {
        Mat unit = D_;
        unit.colwise().normalize();
        return to_rows(unit);
    }

private:
    [[nodiscard]] Vec signal(std::size_t l) const {
        Vec y(M_);
        signals_.read(l, 1, y.data());
        return y;
    }

    // Atoms start as signals that stand out: the strongest of three drawn at random.
    void start() {
        DrawStream draws(seed_, {Purpose::online_order, 0, 0, 0});
        for (Eigen::Index n = 0; n < N_; ++n) D_.col(n) = strong_signal(draws);
    }

    Vec strong_signal(DrawStream& draws) {
        Vec best = Vec::Zero(M_);
        for (int attempt = 0; attempt < 3; ++attempt) {
            const Vec y = signal(draws.below(signals_.count()));
            if (y.squaredNorm() > best.squaredNorm()) best = y;
        }
        if (best.squaredNorm() == 0.0)
            for (Eigen::Index m = 0; m < M_; ++m) best[m] = draws.normal();
        return best.normalized();
    }

    [[nodiscard]] std::vector<std::size_t> shuffled(int pass) const {
        std::vector<std::size_t> order(signals_.count());
        std::iota(order.begin(), order.end(), std::size_t{0});
        DrawStream draws(seed_, {Purpose::online_order, static_cast<std::uint32_t>(pass), 0, 0});
        for (std::size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[draws.below(left)]);
        return order;
    }

    void learn(std::span<const std::size_t> batch) {
        gram_.noalias() = D_.transpose() * D_;
        Y_.resize(M_, static_cast<Eigen::Index>(batch.size()));
        codes_.assign(batch.size(), {});
        const std::size_t blocks = (batch.size() + block - 1) / block;
        parallel_for(blocks, threads_, [&](std::size_t item, int) {
            code_block(batch, item * block, std::min(batch.size(), (item + 1) * block));
        });
        const double memory = 1.0 - static_cast<double>(batch.size()) / static_cast<double>(signals_.count());
        sums_.A *= memory;
        sums_.B *= memory;
        for (std::size_t i = 0; i < batch.size(); ++i)
            for (const Lasso::Entry& e : codes_[i]) {
                sums_.B.col(e.atom) += e.value * Y_.col(static_cast<Eigen::Index>(i));
                for (const Lasso::Entry& f : codes_[i]) sums_.A(f.atom, e.atom) += f.value * e.value;
            }
        update_atoms(batch);
    }

    void code_block(std::span<const std::size_t> batch, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            signals_.read(batch[i], 1, Y_.col(static_cast<Eigen::Index>(i)).data());
        const auto start = static_cast<Eigen::Index>(first);
        const auto count = static_cast<Eigen::Index>(last - first);
        Mat correlations = D_.transpose() * Y_.middleCols(start, count);
        Lasso lasso(gram_, plan_.lambda);
        for (std::size_t i = first; i < last; ++i)
            lasso.code(correlations.col(static_cast<Eigen::Index>(i - first)), codes_[i]);
    }

    // One round of block coordinate descent: each atom to its best place in the unit ball, the others held.
    void update_atoms(std::span<const std::size_t> batch) {
        const double least = hardly_used * sums_.A.diagonal().mean();
        std::size_t offered = 0;
        for (Eigen::Index n = 0; n < N_; ++n) {
            if (sums_.A(n, n) <= least) {  // never used: try the next signal of the batch that is not zero
                while (offered < batch.size() && Y_.col(static_cast<Eigen::Index>(offered)).squaredNorm() == 0.0)
                    ++offered;
                if (offered < batch.size()) D_.col(n) = Y_.col(static_cast<Eigen::Index>(offered++)).normalized();
                continue;
            }
            D_.col(n) += (sums_.B.col(n) - D_ * sums_.A.col(n)) / sums_.A(n, n);
            const double norm = D_.col(n).norm();
            if (norm > 0.0) D_.col(n) /= norm;
        }
    }

    const SignalSource& signals_;
    const OnlinePlan& plan_;
    std::uint64_t seed_;
    int threads_;
    Eigen::Index M_, N_;
    Mat D_;
    Gathered sums_;
    Mat gram_, Y_;
    std::vector<std::vector<Lasso::Entry>> codes_;
    SerialBlas serial_;
};

}  // namespace

Matrix online_dictionary(const SignalSource& signals, const OnlinePlan& plan, const Context& context,
                         const std::function<bool(int)>& go_on) {
    OnlineLearner learner(signals, plan, context);
    for (int pass = 1; pass <= plan.passes; ++pass) {
        learner.pass(pass);
        if (go_on && !go_on(pass)) break;
    }
    return learner.dictionary();
}

}  // namespace sbdl
