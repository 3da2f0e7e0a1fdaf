// What each method learns from a fixed set, as numbers that were stored. A change of a method's results is noticed
// here; the tolerance leaves room for the rounding of other processors, which differs in about the tenth digit.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <map>

#include "sbdl/train.hpp"
#include "support/easy_set.hpp"
#include "support/every_method.hpp"

namespace sbdl {
namespace {

using namespace test;

struct Stored {
    double noise_sd;
    double dictionary;  // a weighted sum of its entries
    double codes;       // the same of the codes
};

const std::map<std::string, Stored> stored_values{
    {"apru", {0.094671308472, -0.246176056843, -9.26302021679}},
    {"bpfa", {0.120711988636, -2.86436203486, -10.9679004281}},
    {"dct", {0.279372145649, 0.835540116765, -17.153974702}},
    {"gibbs", {0.133644481918, -3.12014372591, -3.52061593023}},
    {"ksvd", {0.0689750459375, 0.544060286223, -8.14395193536}},
    {"majorization", {0.0962886247446, -0.0308969391163, -12.0910333286}},
    {"mod", {0.0696749455184, -2.05363853661, 2.82002406758}},
    {"online", {0.0717553091068, 2.03673532056, -1.66703014246}},
    {"rls", {0.0843209812014, 1.65550565348, -3.81303094699}},
    {"sgd", {0.0711516023406, 2.74313371217, 21.6668118325}},
    {"simco", {0.0459400159217, 0.89188827955, -0.180234122798}},
    {"svb", {0.0380695678775, -3.02972338279, 2.45133091615}},
    {"vb", {0.0319771455093, -4.50958995426, 11.3675086707}},
};

double weighted_sum(const Matrix& matrix) {
    double sum = 0.0;
    for (std::size_t i = 0; i < matrix.size(); ++i) sum += std::sin(static_cast<double>(i + 1)) * matrix.data()[i];
    return sum;
}

void expect_close(double value, double stored, const char* what) {
    EXPECT_NEAR(value, stored, 1e-6 * (1.0 + std::abs(stored))) << what;
}

class StoredValues : public ::testing::TestWithParam<std::string> {};

TEST_P(StoredValues, AreLearnedAgain) {
    const SynthSet set = easy_set(200);
    const MemorySource source{set.signals};
    const Model model = train(source, quick_options(GetParam()), {.seed = 5}).model;
    const Stored learned{model.noise_sd, weighted_sum(model.dictionary), weighted_sum(model.codes)};
    SCOPED_TRACE(::testing::Message() << std::setprecision(12) << "{\"" << GetParam() << "\", {" << learned.noise_sd
                                      << ", " << learned.dictionary << ", " << learned.codes << "}},");
    ASSERT_TRUE(stored_values.contains(GetParam())) << "a new method needs its values here";
    const Stored& stored = stored_values.at(GetParam());
    expect_close(learned.noise_sd, stored.noise_sd, "noise");
    expect_close(learned.dictionary, stored.dictionary, "dictionary");
    expect_close(learned.codes, stored.codes, "codes");
}

INSTANTIATE_TEST_SUITE_P(Methods, StoredValues, ::testing::ValuesIn(method_names()), name_of_parameter);

}  // namespace
}  // namespace sbdl
