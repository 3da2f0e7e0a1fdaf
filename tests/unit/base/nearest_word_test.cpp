#include "base/nearest_word.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace sbdl {
namespace {

constexpr std::array<std::string_view, 8> words{"learn",       "denoise", "info",          "--sigma",
                                                "--max-error", "gibbs",   "--max-patches", "vb"};

TEST(NearestWord, ForgivesOneSlipAndTwoInLongerWords) {
    for (const auto& [typed, meant] : {std::pair{"denois", "denoise"},
                                       {"denosie", "denoise"},
                                       {"dneosie", "denoise"},
                                       {"inf", "info"},
                                       {"lern", "learn"},
                                       {"leanr", "learn"},
                                       {"--sgima", "--sigma"},
                                       {"--sigma-", "--sigma"},
                                       {"gibs", "gibbs"},
                                       {"gibbss", "gibbs"},
                                       {"--max-eror", "--max-error"},
                                       {"--max_error", "--max-error"},
                                       {"vbb", "vb"}})
        EXPECT_EQ(nearest_word(typed, words), meant) << typed;
}

TEST(NearestWord, ABeginningIsEnoughIfOnlyOneWordHasIt) {
    EXPECT_EQ(nearest_word("den", words), "denoise");
    EXPECT_EQ(nearest_word("--max-p", words), "--max-patches");
    EXPECT_EQ(nearest_word("--max-", words), "");
}

TEST(NearestWord, OtherWordsAreNotGuessed) {
    for (const std::string typed : {"", "-", "x", "paint", "convolve", "--no-such-option", "zz", "nofi"})
        EXPECT_EQ(nearest_word(typed, words), "") << typed;
    EXPECT_EQ(nearest_word(std::string(100000, 'a'), words), "");
    EXPECT_EQ(nearest_word("learn", {}), "");
}

TEST(NearestWord, IsAQuestionInAMessage) {
    EXPECT_EQ(did_you_mean("denois", words), "; did you mean 'denoise'?");
    EXPECT_EQ(did_you_mean("--sgima", words, ""), "; did you mean --sigma?");
    EXPECT_EQ(did_you_mean("paint", words), "");
}

}  // namespace
}  // namespace sbdl
