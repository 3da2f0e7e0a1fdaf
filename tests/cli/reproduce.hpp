// `sbdl reproduce` from outside: what its tests share.
#pragma once

#include "cli/program.hpp"

namespace sbdl::test {

class ReproduceTest : public CliTest {
protected:
    /// Exit status 2 and one line that has these words; no file is written.
    void expect_rejected(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
        const Names before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err.find("sbdl reproduce: "), 0U) << outcome.err;
        EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "more than one line: " << outcome.err;
        for (const std::string& word : words) EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
        EXPECT_EQ(files(), before);
    }
};

}  // namespace sbdl::test
