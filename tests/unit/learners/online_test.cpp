// Online dictionary learning: its statistics, its atoms, its three ways of coding.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "learners/online/online_learner.hpp"
#include "learners/rounds/rounds_run.hpp"
#include "sbdl/online.hpp"
#include "sbdl/score.hpp"
#include "support/easy_set.hpp"
#include "support/random_problem.hpp"

namespace sbdl {
namespace {

Mat sparse_random_codes(Eigen::Index atoms, Eigen::Index signals, test::Numbers& numbers) {
    return Mat::NullaryExpr(atoms, signals, [&] { return numbers.uniform() < 0.4 ? numbers.normal() : 0.0; });
}

TEST(Online, StatisticsAfterOnePassAreThoseOfAllSignals) {
    test::Numbers numbers(4);
    const Mat D = numbers.normals(5, 7).colwise().normalized();
    const Mat Y = numbers.normals(5, 60), X = sparse_random_codes(7, 60, numbers);
    OnlineLearner learner(D, Mat::Zero(7, 7), Mat::Zero(5, 7), 0.0, 60.0);
    for (Eigen::Index first = 0; first < 60; first += 20)
        learner.learn(Y.middleCols(first, 20), sparse_codes(X.middleCols(first, 20)));
    EXPECT_LT((learner.code_products() - X * X.transpose()).norm(), 1e-12);
    EXPECT_LT((learner.signal_products() - Y * X.transpose()).norm(), 1e-12);
}

TEST(Online, OldBatchesFade) {
    test::Numbers numbers(4);
    const Mat D = numbers.normals(5, 7).colwise().normalized();
    const Mat Y = numbers.normals(5, 40), X = sparse_random_codes(7, 40, numbers);
    OnlineLearner learner(D, Mat::Zero(7, 7), Mat::Zero(5, 7), 1.0, 80.0);
    learner.learn(Y.leftCols(20), sparse_codes(X.leftCols(20)));
    learner.learn(Y.rightCols(20), sparse_codes(X.rightCols(20)));
    const Mat first = X.leftCols(20) * X.leftCols(20).transpose(),
              second = X.rightCols(20) * X.rightCols(20).transpose();
    EXPECT_LT((learner.code_products() - 0.75 * first - second).norm(), 1e-12);
}

TEST(Online, AnUpdateNeverRaisesTheError) {
    // 0.5 tr(D A D^T) - tr(D B^T) is what the atoms minimise on the unit spheres. With all codes fixed it is the error.
    test::Numbers numbers(9);
    const Mat Y = numbers.normals(6, 50), X = sparse_random_codes(8, 50, numbers);
    const Mat A = X * X.transpose(), B = Y * X.transpose();
    const auto error = [&](const Mat& D) { return 0.5 * (D * A).cwiseProduct(D).sum() - D.cwiseProduct(B).sum(); };
    const Mat D = numbers.normals(6, 8).colwise().normalized();
    OnlineLearner learner(D, A, B, 0.0, 1.0);
    double before = error(D);
    for (int round = 0; round < 20; ++round) {
        learner.learn(Mat(6, 0), {});
        const double after = error(learner.dictionary());
        EXPECT_LE(after, before + 1e-12);
        before = after;
    }
}

/// The definition, one atom after the other.
Mat atoms_in_turn(Mat D, const Mat& A, const Mat& B) {
    for (Eigen::Index n = 0; n < D.cols(); ++n)
        D.col(n) = Vec(D.col(n) + (B.col(n) - D * A.col(n)) / A(n, n)).normalized();
    return D;
}

// More than one group of atoms, the last not full; entries that do and do not fill whole vectors.
TEST(Online, GroupsOfAtomsMoveAsOneAfterTheOther) {
    for (const Eigen::Index dim : {1, 10, 32, 37})
        for (const Eigen::Index atoms : {1, 16, 17, 50}) {
            test::Numbers numbers(21);
            const Mat Y = numbers.normals(dim, 90), X = sparse_random_codes(atoms, 90, numbers);
            const Mat A = X * X.transpose(), B = Y * X.transpose();
            const Mat D = numbers.normals(dim, atoms).colwise().normalized();
            OnlineLearner learner(D, A, B, 0.0, 1.0);
            Mat want = D;
            for (int round = 0; round < 3; ++round) {
                learner.learn(Mat(dim, 0), {});
                want = atoms_in_turn(want, A, B);
                EXPECT_LT((learner.dictionary() - want).cwiseAbs().maxCoeff(), 1e-11) << dim << " x " << atoms;
            }
        }
}

TEST(Online, ThreadsChangeNoBitOfTheAtomsParallel) {
    test::Numbers numbers(22);
    const Mat D = numbers.normals(10, 70).colwise().normalized();
    const Mat Y = numbers.normals(10, 60), X = sparse_random_codes(70, 60, numbers);
    const auto learned = [&](int threads) {
        auto learner = std::make_unique<OnlineLearner>(D, Mat::Zero(70, 70), Mat::Zero(10, 70), 1.0, 90.0, threads);
        for (Eigen::Index first = 0; first < 60; first += 20)
            learner->learn(Y.middleCols(first, 20), sparse_codes(X.middleCols(first, 20)));
        return learner;
    };
    const auto one = learned(1);
    for (const int threads : {2, 3, 16}) {
        const auto several = learned(threads);
        EXPECT_EQ(several->dictionary(), one->dictionary()) << threads;
        EXPECT_EQ(several->code_products(), one->code_products()) << threads;
        EXPECT_EQ(several->signal_products(), one->signal_products()) << threads;
    }
}

TEST(Online, ThreadsChangeNoBitOfARunParallel) {
    const SynthSet truth = test::easy_set(300);
    OnlineOptions options;
    options.atoms = 40;  // more than a group
    options.sweeps = 2;
    options.batch = 70;
    options.lambda = 0.1;
    options.keep_codes = true;
    const MemorySource source{truth.signals};
    const Model one = train(source, options, {.execution = {.threads = 1}, .seed = 4}).model;
    for (const int threads : {2, 5}) {
        const Model several = train(source, options, {.execution = {.threads = threads}, .seed = 4}).model;
        EXPECT_EQ(test::values_of(several.dictionary), test::values_of(one.dictionary)) << threads;
        EXPECT_EQ(test::values_of(several.codes), test::values_of(one.codes)) << threads;
        EXPECT_EQ(several.noise_sd, one.noise_sd) << threads;
    }
}

TEST(Online, AtomsThatNobodyUsesBecomeSignals) {
    test::Numbers numbers(5);
    Mat Y = numbers.normals(4, 3);
    Y.col(0).setZero();
    Mat X = Mat::Zero(5, 3);
    X(0, 1) = 2.0;
    X(1, 2) = -1.0;
    const Mat D = numbers.normals(4, 5).colwise().normalized();
    OnlineLearner learner(D, Mat::Zero(5, 5), Mat::Zero(4, 5), 0.0, 3.0);
    EXPECT_EQ(learner.learn(Y, sparse_codes(X)), 2);
    EXPECT_EQ(learner.dictionary().col(2), Y.col(1).normalized());
    EXPECT_EQ(learner.dictionary().col(3), Y.col(2).normalized());
    EXPECT_EQ(learner.dictionary().col(4), D.col(4)) << "no signal was left for it";
}

TEST(Online, LassoAndPursuitFindTheDictionary) {
    const SynthSet truth = test::easy_set(1000);
    const MemorySource source{truth.signals};
    OnlineOptions lasso;
    lasso.atoms = 12;
    lasso.sweeps = 40;
    OnlineOptions pursuit = lasso;
    lasso.lambda = 0.1;
    pursuit.sparsity = 2;
    for (const OnlineOptions& options : {lasso, pursuit}) {
        const Model model = train(source, options, {.execution = {.threads = 1}, .seed = 3}).model;
        EXPECT_GE(score_dictionary(truth.dictionary, model.dictionary, 0.02).nearest_rate(), 0.8);
    }
}

TEST(Online, MaxErrorHoldsForEveryCode) {
    const SynthSet truth = test::easy_set(300);
    OnlineOptions options;
    options.atoms = 12;
    options.sweeps = 3;
    options.max_error = 0.2;
    options.keep_codes = true;
    const Model model = train(MemorySource{truth.signals}, options, {.execution = {.threads = 1}}).model;
    for (std::size_t l = 0; l < 300; ++l) {
        double left = 0.0;
        for (std::size_t m = 0; m < 10; ++m) {
            double fit = 0.0;
            for (std::size_t n = 0; n < 12; ++n) fit += model.codes(l, n) * model.dictionary(n, m);
            left += std::pow(truth.signals(l, m) - fit, 2);
        }
        EXPECT_LE(std::sqrt(left), 0.2 * (1.0 + 1e-9)) << l;
    }
}

TEST(Online, LambdaIsInTheSignalsUnits) {
    const SynthSet truth = test::easy_set(200);
    Matrix scaled = truth.signals;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= 8.0;
    OnlineOptions options;
    options.atoms = 12;
    options.sweeps = 2;
    options.lambda = 0.1;
    const Model own = train(MemorySource{truth.signals}, options).model;
    options.lambda = 0.8;
    const Model large = train(MemorySource{scaled}, options).model;
    EXPECT_EQ(test::values_of(own.dictionary), test::values_of(large.dictionary));
    options.lambda = 0.1;
    const Model denser = train(MemorySource{scaled}, options).model;
    EXPECT_NE(test::values_of(own.dictionary), test::values_of(denser.dictionary)) << "lambda was not used";
}

class StopAfter final : public Observer {
public:
    explicit StopAfter(int sweeps) : sweeps_(sweeps) {}
    Flow on_sweep(const SweepReport& report) override { return report.sweep < sweeps_ ? Flow::go_on : Flow::stop; }

private:
    int sweeps_;
};

TEST(Online, StopsWhenTold) {
    const SynthSet truth = test::easy_set(100);
    OnlineOptions options;
    options.atoms = 5;
    options.sweeps = 50;
    options.lambda = 0.2;
    StopAfter observer(4);
    Observer* const observers[] = {&observer};
    const TrainResult result = train(MemorySource{truth.signals}, options, {}, observers);
    EXPECT_EQ(result.sweeps, 4);
    EXPECT_EQ(result.reason, StopReason::observer);
}

}  // namespace
}  // namespace sbdl
