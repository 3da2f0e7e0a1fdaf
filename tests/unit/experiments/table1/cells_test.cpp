// Cells and seeds of Table I: names and selection.
#include <fmt/format.h>

#include <set>

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

TEST(Table1Seeds, DifferByCellTrialAndSeed) {
    std::set<std::uint64_t> seeds;
    for (const std::uint64_t seed : {0U, 1U})
        for (const Table1Cell& cell : table1_cells())
            for (int trial = 0; trial < 50; ++trial) seeds.insert(table1::trial_seed(seed, cell, trial));
    EXPECT_EQ(seeds.size(), 2U * 32U * 50U);
}

}  // namespace
}  // namespace sbdl::test
