// The pass that codes all signals: as encode() does, with the residuals and the users of each atom.
#include "pass/sparse_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sbdl/encode.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

struct PassProblem {
    Mat D, Y;
    Matrix rows;
};

PassProblem pass_problem() {  // three blocks, the last not full
    PassProblem problem{Numbers(31).normals(7, 15), Numbers(32).normals(7, 300), {}};
    problem.D.colwise().normalize();
    problem.Y.col(11).setZero();
    problem.rows = to_rows(problem.Y);
    return problem;
}

TEST(SparsePass, CodesAsEncodeOmpDoesAndLeavesTheResiduals) {
    const PassProblem problem = pass_problem();
    const MemorySource source{problem.rows};
    for (const OmpOptions& options : {OmpOptions{.max_nonzeros = 3}, OmpOptions{.max_error = 1.1}}) {
        SparsePass pass;
        for (int again = 0; again < 2; ++again) {  // the second time on top of the first result
            code_signals({source, 1.0}, problem.D, options, 1, pass);
            const SparseCodes want = encode(to_rows(problem.D), problem.rows, options).sparse;
            EXPECT_EQ(pass.codes.atoms, 15U);
            EXPECT_EQ(pass.codes.start, want.start);
            EXPECT_EQ(pass.codes.atom, want.atom);
            Mat residual = problem.Y;
            for (std::size_t l = 0; l < want.count(); ++l)
                for (std::size_t k = want.start[l]; k < want.start[l + 1]; ++k) {
                    EXPECT_NEAR(pass.codes.value[k], want.value[k], 1e-12);
                    residual.col(static_cast<Eigen::Index>(l)) -= want.value[k] * problem.D.col(want.atom[k]);
                }
            EXPECT_LE((pass.residual - residual).norm(), 1e-11);
            for (std::size_t l = 0; l < want.count(); ++l)
                EXPECT_NEAR(pass.codes.residual_norm[l], pass.residual.col(static_cast<Eigen::Index>(l)).norm(), 1e-14);
        }
    }
}

TEST(SparsePass, WorksInTheUnitItIsGiven) {
    const PassProblem problem = pass_problem();
    const MemorySource source{problem.rows};
    SparsePass plain, halved;
    code_signals({source, 1.0}, problem.D, {.max_error = 1.5}, 1, plain);
    code_signals({source, 2.0}, problem.D, {.max_error = 0.75}, 1, halved);
    EXPECT_EQ(plain.codes.atom, halved.codes.atom);
    EXPECT_EQ(plain.residual, 2.0 * halved.residual);
}

TEST(SparsePass, ThreadsChangeNothing) {
    const PassProblem problem = pass_problem();
    const MemorySource source{problem.rows};
    SparsePass one, three;
    code_signals({source, 1.0}, problem.D, {.max_nonzeros = 4}, 1, one);
    code_signals({source, 1.0}, problem.D, {.max_nonzeros = 4}, 3, three);
    EXPECT_EQ(one.codes.start, three.codes.start);
    EXPECT_EQ(one.codes.atom, three.codes.atom);
    EXPECT_EQ(one.codes.value, three.codes.value);
    EXPECT_EQ(one.residual, three.residual);
}

TEST(SparsePass, SomeSignalsAreCodedAsAmongAll) {
    const PassProblem problem = pass_problem();
    const MemorySource source{problem.rows};
    SparsePass all, some;
    code_signals({source, 1.0}, problem.D, {.max_nonzeros = 3}, 1, all);
    for (const IndexRange& range : {IndexRange{0, 100, 60}, IndexRange{0, 255, 2}, IndexRange{0, 7, 0}}) {
        code_signals({source, 1.0}, range, problem.D, {.max_nonzeros = 3}, 2, some);
        ASSERT_EQ(some.codes.count(), range.size);
        for (std::size_t l = 0; l < range.size; ++l) {
            const std::size_t from = all.codes.start[range.first + l],
                              size = some.codes.start[l + 1] - some.codes.start[l];
            ASSERT_EQ(size, all.codes.start[range.first + l + 1] - from);
            for (std::size_t k = 0; k < size; ++k) {
                EXPECT_EQ(some.codes.atom[some.codes.start[l] + k], all.codes.atom[from + k]);
                EXPECT_EQ(some.codes.value[some.codes.start[l] + k], all.codes.value[from + k]);
            }
        }
        EXPECT_EQ(some.residual, all.residual.middleCols(static_cast<Eigen::Index>(range.first),
                                                         static_cast<Eigen::Index>(range.size)));
    }
    const IndexRange read = whole_pursuit_blocks({0, 255, 2}, 300);
    EXPECT_EQ(read.first, 128U);
    EXPECT_EQ(read.end(), 300U);
}

TEST(AtomUsers, AreTheEntriesOfEachAtomInTheOrderOfSignals) {
    SparseCodes codes;
    codes.atoms = 4;
    codes.start = {0, 2, 2, 3, 5};
    codes.atom = {2, 0, 2, 0, 3};
    const AtomUsers users(codes);
    const auto list = [&](std::size_t atom) {
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (const AtomUsers::Use& use : users.of(atom)) pairs.emplace_back(use.signal, use.entry);
        return pairs;
    };
    using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
    EXPECT_EQ(list(0), (Pairs{{0, 1}, {3, 3}}));
    EXPECT_EQ(list(1), Pairs{});
    EXPECT_EQ(list(2), (Pairs{{0, 0}, {2, 2}}));
    EXPECT_EQ(list(3), (Pairs{{3, 4}}));

    const AtomUsers in_parts(codes, Parts(4, 3));  // the first part has one signal, the last two
    EXPECT_EQ(in_parts.of(0).size(), 2U);
    EXPECT_EQ(in_parts.of(0, 0).size(), 1U);
    EXPECT_TRUE(in_parts.of(0, 1).empty());
    ASSERT_EQ(in_parts.of(2, 2).size(), 1U);
    EXPECT_EQ(in_parts.of(2, 2).front().signal, 2U);
}

}  // namespace
}  // namespace sbdl::test
