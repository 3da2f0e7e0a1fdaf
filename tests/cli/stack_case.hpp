// What the tests of verbs that make a stack of a stack share.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "sbdl/image_stack.hpp"

namespace sbdl::test {

class StackCliTest : public CliTest {
protected:
    void write_stack(const std::string& name, const std::vector<Image>& pages) const {
        const auto writer = write_pages(folder_ / name, pages.front(), pages.size());
        for (const Image& page : pages) writer->add(page);
        writer->commit();
    }
    [[nodiscard]] std::vector<Image> read_stack(const std::string& name) const {
        const auto pages = open_pages(folder_ / name);
        std::vector<Image> read;
        for (std::size_t page = 0; page < pages->count(); ++page) read.push_back(pages->read(page));
        return read;
    }
    [[nodiscard]] std::string bytes(const std::string& name) const {
        std::stringstream all;
        all << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
        return all.str();
    }
    /// Exit status 2, a message with these words, and no file that was not there before.
    void expect_rejected(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
        const std::set<std::string> before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        for (const std::string& word : words)
            EXPECT_NE(outcome.err.find(word), std::string::npos) << "'" << word << "' is not in: " << outcome.err;
        EXPECT_EQ(files(), before);
    }
    /// Starts a run and sends it a signal once this page of the stack is kept beside `output`.
    [[nodiscard]] Outcome stopped_at(const std::vector<std::string>& arguments, const std::string& output,
                                     const std::string& page, int signal) const {
        Program program(folder_, arguments);
        while (!std::filesystem::exists(folder_ / (output + ".checkpoint.pages") / (page + ".tif")) &&
               !program.ends_within(std::chrono::milliseconds(1))) {
        }
        program.send(signal);
        return program.finish();
    }
};

}  // namespace sbdl::test
