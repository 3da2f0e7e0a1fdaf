#include "cli/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace sbdl::test {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// The child's side of a fork: only calls that are safe there.
[[noreturn]] void become_program(const char* folder, char** arguments, int out, int err, std::size_t file_limit) {
    if (file_limit > 0) {
        std::signal(SIGXFSZ, SIG_IGN);  // the write then fails instead
        const rlimit limit{file_limit, file_limit};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (chdir(folder) == 0) execv(SBDL_PROGRAM, arguments);
    _exit(127);
}

}  // namespace

Program::Program(const fs::path& folder, const std::vector<std::string>& arguments, std::size_t file_limit)
    : out_file_(folder.string() + ".stdout") {
    std::vector<std::string> words{"sbdl"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    err_pipe_ = pipe_ends[0];
    const int out = open(out_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    process_ = fork();
    if (process_ == 0) become_program(folder.c_str(), pointers.data(), out, pipe_ends[1], file_limit);
    close(out);
    close(pipe_ends[1]);
    if (process_ < 0) throw std::runtime_error("no process");
}

Program::~Program() {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    close(err_pipe_);
    fs::remove(out_file_);
}

bool Program::read_some_errors() {
    std::array<char, 4096> buffer{};
    const ssize_t got = read(err_pipe_, buffer.data(), buffer.size());
    if (got > 0) err_.append(buffer.data(), std::size_t(got));
    return got > 0;
}

bool Program::wait_for_error_text(const std::string& text) {
    while (err_.find(text) == std::string::npos) {
        if (!read_some_errors()) return false;
    }
    return true;
}

bool Program::ends_within(std::chrono::nanoseconds time) {
    const auto deadline = std::chrono::steady_clock::now() + time;
    while (true) {
        const auto left = std::max(deadline - std::chrono::steady_clock::now(), std::chrono::nanoseconds(0));
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
        const timespec timeout{seconds.count(), (left - seconds).count()};
        pollfd errors{err_pipe_, POLLIN, 0};
        if (ppoll(&errors, 1, &timeout, nullptr) == 0) return false;
        if (!read_some_errors()) return true;  // it is closed when the program ends
    }
}

void Program::send(int signal) const {
    kill(process_, signal);
}

Outcome Program::finish() {
    while (read_some_errors()) {
    }
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of(out_file_), err_};
}

std::string in_one_line(const std::string& text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) line += word + ' ';
    return line;
}

void CliTest::SetUp() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "_" + test->name();
    for (char& letter : name) {
        if (letter == '/') letter = '_';
    }
    folder_ = fs::temp_directory_path() / ("sbdl_cli_" + std::to_string(getpid()) + "_" + name);
    fs::create_directories(folder_);
}

void CliTest::TearDown() {
    fs::remove_all(folder_);
}

Outcome CliTest::run(const std::vector<std::string>& arguments, std::size_t file_limit) const {
    return Program(folder_, arguments, file_limit).finish();
}

nlohmann::json CliTest::run_json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto parsed = nlohmann::json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(parsed.is_object()) << "not one JSON object: " << outcome.out;
    return parsed;
}

void CliTest::write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
}

void CliTest::make_data(const std::string& snr) const {
    const Outcome outcome = run({"synth", "-o", "data", "--dim", "6", "--atoms", "8", "--signals", "120", "--sparsity",
                                 "2", "--snr", snr, "--seed", "7", "--quiet"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
}

std::set<std::string> CliTest::files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
        names.insert(fs::relative(entry.path(), folder_).string());
    }
    return names;
}

}  // namespace sbdl::test
