// Online l1 learning: finds an easy dictionary, same answer for any number of threads, stops when told.
#include "learners/online/online_dictionary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sbdl/score.hpp"
#include "support/easy_set.hpp"

namespace sbdl {
namespace {

TEST(OnlineDictionary, FindsAnEasyDictionary) {
    const SynthSet set = test::easy_set(2000, 30.0);
    const MemorySource signals{set.signals};
    OnlinePlan plan;
    plan.atoms = 12;
    plan.lambda = 0.1;
    plan.passes = 30;
    plan.batch = 100;
    const Matrix found = online_dictionary(signals, plan, {});
    std::size_t close = 0;
    for (std::size_t i = 0; i < 12; ++i) {
        double norm2 = 0.0, best = 0.0;
        for (const double entry : found.row(i)) norm2 += entry * entry;
        EXPECT_NEAR(norm2, 1.0, 1e-9);
        for (std::size_t j = 0; j < 12; ++j) {
            double product = 0.0;
            for (std::size_t m = 0; m < 10; ++m) product += found(i, m) * set.dictionary(j, m);
            best = std::max(best, std::abs(product));
        }
        close += best > 0.97 ? 1 : 0;
    }
    EXPECT_GE(close, 9U);
}

TEST(OnlineDictionary, DoesNotDependOnThreads) {
    const SynthSet set = test::easy_set(500);
    const MemorySource signals{set.signals};
    OnlinePlan plan;
    plan.atoms = 20;
    plan.lambda = 0.3;
    plan.passes = 3;
    Context one, four;
    one.threads = 1;
    four.threads = 4;
    const Matrix a = online_dictionary(signals, plan, one);
    const Matrix b = online_dictionary(signals, plan, four);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]);
}

TEST(OnlineDictionary, StopsWhenTold) {
    const SynthSet set = test::easy_set(100);
    const MemorySource signals{set.signals};
    OnlinePlan plan;
    plan.atoms = 5;
    plan.passes = 50;
    int asked = 0;
    online_dictionary(signals, plan, {}, [&](int passes) {
        ++asked;
        return passes < 4;
    });
    EXPECT_EQ(asked, 4);
}

TEST(OnlineDictionary, MoreAtomsThanSignalsAndEmptySignalsWork) {
    const Matrix zeros(3, 6);
    const MemorySource nothing{zeros};
    OnlinePlan plan;
    plan.atoms = 9;
    plan.passes = 2;
    const Matrix atoms = online_dictionary(nothing, plan, {});
    for (std::size_t i = 0; i < atoms.size(); ++i) EXPECT_TRUE(std::isfinite(atoms.data()[i]));
}

}  // namespace
}  // namespace sbdl
