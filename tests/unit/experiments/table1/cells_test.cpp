// Cells, rows and seeds of Table I: names, selection, and that every row learns.
#include <fmt/format.h>

#include <set>

#include "sbdl/apru.hpp"
#include "sbdl/majorization.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/sgd.hpp"
#include "unit/experiments/table1/case.hpp"

namespace sbdl::test {
namespace {

TEST(Table1Cells, ThereAreThirtyTwoInTheOrderOfThePaper) {
    ASSERT_EQ(table1_cells().size(), 32U);
    EXPECT_EQ(to_string(table1_cells().front()), "1000/10/3");
    EXPECT_EQ(to_string(table1_cells()[7]), "1000/20/3:6");
    EXPECT_EQ(to_string(table1_cells().back()), "2000/100/3:6");
}

TEST(Table1Cells, SelectorsPickWhatTheySay) {
    EXPECT_EQ(select_table1_cells({}).size(), 32U);
    EXPECT_EQ(select_table1_cells({"*/20/*"}).size(), 8U);
    EXPECT_EQ(select_table1_cells({"snr=20"}), select_table1_cells({"*/20/*"}));
    EXPECT_EQ(select_table1_cells({"1000/10/3"}), (std::vector<Table1Cell>{{1000, 10, 3, 3}}));
    EXPECT_EQ(select_table1_cells({"L=1000,snr=10,K=3"}), (std::vector<Table1Cell>{{1000, 10, 3, 3}}));
    EXPECT_EQ(select_table1_cells({"2000/100/3-6"}), (std::vector<Table1Cell>{{2000, 100, 3, 6}}));
    EXPECT_EQ(select_table1_cells({"2000/100/3:6"}), select_table1_cells({"K=3:6,L=2000,snr=100"}));
}

TEST(Table1Cells, OverlappingSelectorsGiveEachCellOnceInOrder) {
    EXPECT_EQ(select_table1_cells({"2000/10/4", "*/10/4", "1000/10/*"}),
              (std::vector<Table1Cell>{
                  {1000, 10, 3, 3}, {1000, 10, 4, 4}, {1000, 10, 5, 5}, {1000, 10, 3, 6}, {2000, 10, 4, 4}}));
}

TEST(Table1Cells, WrongSelectorsAreNamed) {
    for (const char* wrong : {"", "1000", "1000/10", "1000/10/3/4", "1500/10/3", "1000/15/3", "1000/10/6", "//", "*/*/",
                              "L=1000,snr", "M=20", "L=1000,L=2000", "K=", "1000/10/3 "}) {
        const std::string said = input_error([&] { select_table1_cells({"1000/10/3", wrong}); });
        EXPECT_NE(said.find(fmt::format("'{}'", wrong)), std::string::npos) << wrong << " -> " << said;
    }
}

TEST(Table1Rows, AreSelectedByNameInFixedOrder) {
    EXPECT_EQ(select_table1_rows({}).size(), table1::row_facts.size());
    EXPECT_EQ(select_table1_rows({"vb-paper", "gibbs", "gibbs"}), (std::vector{Table1Row::gibbs, Table1Row::vb_paper}));
}

// An unknown method has the message of `learn --method`; a known one that is not in the table has another. Both are
// followed by the rows there are.
TEST(Table1Rows, AnUnknownMethodIsNamedAsEverywhere) {
    const std::string rows = "; the Table I run has gibbs, gibbs-paper, vb, ";
    EXPECT_EQ(input_error([] {
                  select_table1_rows({"gibbs", "omp"});
              }).find(input_error([] { method_named("omp"); }) + rows),
              0U);
    EXPECT_EQ(input_error([] { select_table1_rows({"dct"}); }).find("'dct' is not among the rows" + rows), 0U);
}

// The options of a row are those of its method in the list, but for what it is given.
TEST(Table1Rows, TakeTheirMethodsFromTheList) {
    const Table1Cell cell{1000, 20, 3, 6};
    for (const table1::RowFacts& row : table1::row_facts) {
        const Preset preset = row.as_printed ? Preset::paper : Preset::standard;
        AnyOptions expected = method_options(row.method, preset, table1::atom_count);
        AnyOptions options = table1::learner_options(row.row, cell);
        EXPECT_EQ(options.method(), row.method);
        EXPECT_NO_THROW(validate(options)) << row.name;
        EXPECT_EQ(to_json(options) == to_json(expected), row.given.empty()) << row.name;
    }
    EXPECT_EQ(table1::learner_options(Table1Row::sgd, cell).as<SgdOptions>().sparsity, 5);
    EXPECT_EQ(table1::learner_options(Table1Row::apru_f, cell).as<ApruOptions>().parameters, ApruParameters::f);
    EXPECT_EQ(table1::learner_options(Table1Row::apru_l, cell).as<ApruOptions>().parameters, ApruParameters::l);
    EXPECT_EQ(table1::learner_options(Table1Row::majorization, cell).as<MajorizationOptions>().lambda, 0.2);
    AnyOptions gibbs = table1::learner_options(Table1Row::gibbs, cell);
    EXPECT_EQ(input_error([&] { table1::option_named(gibbs, "sparsity"); }), "method gibbs has no option sparsity");
}

TEST(Table1Rows, EachHasItsFactsInItsPlace) {
    for (std::size_t i = 0; i < table1::row_facts.size(); ++i) {
        EXPECT_EQ(table1::index_of(table1::row_facts[i].row), i);
        EXPECT_EQ(to_string(table1::row_facts[i].row), table1::row_facts[i].name);
    }
}

// Every row learns, on a data set of its own cell, and the dictionary is worth something.
TEST(Table1Rows, EachLearns) {
    const Table1Cell cell{1000, 30, 3, 3};
    for (const Table1Row row : {Table1Row::ksvd, Table1Row::mod, Table1Row::online, Table1Row::rls, Table1Row::sgd}) {
        const auto score = learn_table1_trial({row, cell, 0, table1::trial_seed(0, cell, 0)}, {});
        ASSERT_TRUE(score.has_value());
        EXPECT_GT(score->nearest_percent, 60.0) << to_string(row);
    }
}

TEST(Table1Seeds, DifferByCellTrialAndSeed) {
    std::set<std::uint64_t> seeds;
    for (const std::uint64_t seed : {0U, 1U})
        for (const Table1Cell& cell : table1_cells())
            for (int trial = 0; trial < 50; ++trial) seeds.insert(table1::trial_seed(seed, cell, trial));
    EXPECT_EQ(seeds.size(), 2U * 32U * 50U);
}

TEST(Table1Fingerprint, DiffersByRow) {
    std::set<std::string> prints;
    for (const table1::RowFacts& row : table1::row_facts) prints.insert(table1::fingerprint(row.row));
    EXPECT_EQ(prints.size(), table1::row_facts.size());
}

}  // namespace
}  // namespace sbdl::test
