// Runs the built program as a user would: arguments in; exit status, both outputs and files out.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace sbdl::test {

using Names = std::set<std::string>;  // of files

struct Outcome {
    int status = -1;  ///< exit status; minus the signal's number when a signal ended it
    std::string out;
    std::string err;
};

/// A running program whose working folder is `folder`. The destructor ends it if it is still running.
class Program {
public:
    /// `file_limit` is the largest size of a file in bytes (0: no limit); writing beyond it fails like a full disk.
    Program(const std::filesystem::path& folder, const std::vector<std::string>& arguments, std::size_t file_limit = 0);
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program();

    /// Reads standard error until `text` has appeared. False when it ended without it.
    bool wait_for_error_text(const std::string& text);
    /// Waits for the program to end, but no longer than this. True when it has ended.
    bool ends_within(std::chrono::nanoseconds time);
    void send(int signal) const;
    Outcome finish();

private:
    bool read_some_errors();

    std::filesystem::path out_file_;
    std::string err_;
    int err_pipe_ = -1;
    pid_t process_ = -1;
};

/// The words of a text, which help spreads over lines.
std::string in_one_line(const std::string& text);

/// Each test has its own empty folder, in which the program runs.
class CliTest : public testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

    Outcome run(const std::vector<std::string>& arguments, std::size_t file_limit = 0) const;
    /// Runs with --json added and expects success.
    nlohmann::json run_json(std::vector<std::string> arguments) const;
    void write(const std::string& name, const std::string& text) const;
    /// Makes data/ with a small synthetic set.
    void make_data(const std::string& snr = "30") const;
    /// All files and folders in the test's folder, including hidden ones.
    Names files() const;

    std::filesystem::path folder_;
};

}  // namespace sbdl::test
