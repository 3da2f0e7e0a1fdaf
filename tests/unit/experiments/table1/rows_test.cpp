// Rows of Table I: names, selection, what they are given, and that they learn.
#include <algorithm>
#include <set>

#include "sbdl/apru.hpp"
#include "sbdl/majorization.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/sgd.hpp"
#include "unit/experiments/table1/case.hpp"

namespace sbdl::test {
namespace {

using Names = std::vector<std::string>;

TEST(Table1Rows, AreSelectedByNameInFixedOrder) {
    EXPECT_EQ(select_table1_rows({}).size(), table1::own_rows().size());
    EXPECT_EQ(select_table1_rows({"vb-paper", "gibbs", "gibbs"}), (Names{"gibbs", "vb-paper"}));
}

TEST(Table1Rows, AreThoseOfOurTableThenTheOtherMethods) {
    const Names all = table1_rows(), own = select_table1_rows({});
    EXPECT_TRUE(std::equal(own.begin(), own.end(), all.begin()));
    EXPECT_EQ(Names(all.begin() + static_cast<std::ptrdiff_t>(own.size()), all.end()), (Names{"svb", "dct"}));
    EXPECT_EQ(select_table1_rows({"dct", "gibbs"}), (Names{"gibbs", "dct"}));
}

// An unknown method has the message of `learn --method`; a known one that is not in the table has another. Both are
// followed by the rows there are.
TEST(Table1Rows, AnUnknownMethodIsNamedAsEverywhere) {
    const std::string rows = "; the Table I run has gibbs, gibbs-paper, vb, ";
    EXPECT_EQ(input_error([] {
                  select_table1_rows({"gibbs", "omp"});
              }).find(input_error([] { method_named("omp"); }) + rows),
              0U);
    EXPECT_EQ(input_error([] { select_table1_rows({"apru"}); }).find("'apru' is not among the rows" + rows), 0U);
}

// The options of a row are those of its method in the list, but for what it is given.
TEST(Table1Rows, TakeTheirMethodsFromTheList) {
    const Table1Cell cell{1000, 20, 3, 6};
    for (const table1::RowFacts& row : table1::all_rows()) {
        const Preset preset = row.as_printed ? Preset::paper : Preset::standard;
        AnyOptions expected = method_options(row.method, preset, table1::atom_count);
        AnyOptions options = table1::learner_options(row.name, cell);
        EXPECT_EQ(options.method(), row.method);
        EXPECT_NO_THROW(validate(options)) << row.name;
        EXPECT_EQ(to_json(options) == to_json(expected), table1::given_to(row).what.empty()) << row.name;
    }
    EXPECT_EQ(table1::learner_options("sgd", cell).as<SgdOptions>().sparsity, 5);
    EXPECT_EQ(table1::learner_options("apru-f", cell).as<ApruOptions>().parameters, ApruParameters::f);
    EXPECT_EQ(table1::learner_options("apru-l", cell).as<ApruOptions>().parameters, ApruParameters::l);
    EXPECT_EQ(table1::learner_options("majorization", cell).as<MajorizationOptions>().lambda, 0.2);
    AnyOptions gibbs = table1::learner_options("gibbs", cell);
    EXPECT_EQ(input_error([&] { table1::option_named(gibbs, "sparsity"); }), "method gibbs has no option sparsity");
}

TEST(Table1Rows, SayWhatTheyAreGiven) {
    const auto given = [](const char* row) { return table1::name_and_given(table1::facts_of(row)); };
    EXPECT_EQ(given("gibbs"), "gibbs");
    EXPECT_EQ(given("ksvd"), "ksvd (K given)");
    EXPECT_EQ(given("apru-l"), "apru-l (weights given)");
    EXPECT_EQ(given("dct"), "dct (K given)");
    EXPECT_EQ(table1::given_to(table1::facts_of("ksvd")).values, "") << "K depends on the cell";
    const table1::Given unnamed = table1::given_to({.name = "majorization", .method = "majorization"});
    EXPECT_EQ(unnamed.what, "lambda");
    EXPECT_EQ(unnamed.values, "0.2");
}

// Every row learns, on a data set of its own cell, and the dictionary is worth something.
TEST(Table1Rows, EachLearns) {
    const Table1Cell cell{1000, 30, 3, 3};
    for (const char* row : {"ksvd", "mod", "online", "rls", "sgd"}) {
        const auto score = learn_table1_trial({row, cell, 0, table1::trial_seed(0, cell, 0)}, {});
        ASSERT_TRUE(score.has_value());
        EXPECT_GT(score->nearest_percent, 60.0) << row;
    }
}

TEST(Table1Fingerprint, DiffersByRow) {
    std::set<std::string> prints;
    for (const table1::RowFacts& row : table1::all_rows()) prints.insert(table1::fingerprint(row.name));
    EXPECT_EQ(prints.size(), table1::all_rows().size());
}

}  // namespace
}  // namespace sbdl::test
