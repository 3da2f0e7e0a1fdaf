// The advice of a report can be followed: every option it names belongs to the command that made the run.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <regex>
#include <set>

#include "cli/program.hpp"
#include "sbdl/model.hpp"
#include "sbdl/report.hpp"

namespace sbdl::test {
namespace {

class ReportAdvice : public CliTest {
protected:
    std::string verdict_of(const std::string& page) const {
        std::ifstream file(folder_ / page);
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        const std::size_t begin = text.find("id=\"verdict\"");
        return text.substr(begin, text.find("</section>", begin) - begin);
    }

    // The content of <code>: "--sweeps 64" or "--seed".
    std::vector<std::string> advised(const std::string& page) const {
        const std::string verdict = verdict_of(page);
        static const std::regex code("<code>(--[^<]*)</code>");
        std::vector<std::string> found;
        for (std::sregex_iterator at(verdict.begin(), verdict.end(), code), end; at != end; ++at)
            found.push_back((*at)[1]);
        return found;
    }

    std::set<std::string> options_of(const std::string& verb) const {
        const std::string help = run({verb, "--help-all"}).out;
        static const std::regex option("--[a-z][a-z-]*");
        return {std::sregex_token_iterator(help.begin(), help.end(), option), std::sregex_token_iterator()};
    }

    // Runs that ended in every possible way, on an image or on other signals.
    std::vector<Model> runs(const std::string& method, bool of_image) const {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        Model model;
        model.method = method;
        model.options_json = R"({"burn_in":6,"draws":4,"chains":1,"sweeps":10})";
        model.dictionary = Matrix(2, 4, 0.5);
        model.atom_usage = model.atom_norm = {1.0, 1.0};
        if (of_image) model.patch = {.height = 2, .width = 2, .planes = 1};
        for (int sweep = 1; sweep <= 10; ++sweep) {
            model.trace.chain.push_back(0);
            model.trace.sweep.push_back(sweep);
            model.trace.kept.push_back(1);
            model.trace.objective.push_back(-100.0 * sweep);
            model.trace.noise_sd.push_back(1.0);
        }
        std::vector<Model> all;
        for (const char* reason : {"sweeps_done", "interrupted", "time_limit", "converged"})
            for (const double rhat : {1.01, 1.1, 3.0, nan}) {
                model.stop_reason = reason;
                model.diagnostics = {.noise_rhat = rhat, .noise_ess = 30.0, .objective_rhat = 1.0, .objective_ess = 30};
                all.push_back(model);
                if (of_image) continue;  // denoising has one chain
                std::fill(model.trace.chain.begin() + 5, model.trace.chain.end(), 1);
                all.push_back(model);
                std::fill(model.trace.chain.begin(), model.trace.chain.end(), 0);
            }
        return all;
    }
};

TEST_F(ReportAdvice, NamesOptionsOfTheCommandThatMadeTheRun) {
    for (const bool of_image : {true, false}) {
        const std::set<std::string> known = options_of(of_image ? "denoise" : "learn");
        ASSERT_TRUE(known.count("--sweeps") == 1 && known.count("--no-such") == 0);
        std::set<std::string> named;
        for (const char* method : {"gibbs", "vb", "bpfa", "online"})
            for (const Model& model : runs(method, of_image)) {
                write_report(folder_ / "page.html", {.model = &model, .title = "a run", .command = {}});
                for (const std::string& advice : advised("page.html")) {
                    const std::string option = advice.substr(0, advice.find(' '));
                    named.insert(option);
                    EXPECT_EQ(known.count(option), 1U)
                        << method << (of_image ? " denoise " : " learn ") << advice << verdict_of("page.html");
                }
            }
        EXPECT_GE(named.size(), of_image ? 2U : 7U) << "the page was not parsed";
    }
}

// The same for real runs: the advice is added to the command, which must accept it.
TEST_F(ReportAdvice, CanBeFollowed) {
    ASSERT_EQ(run({"synth", "-o", ".", "--image", "32x32", "--sigma", "20", "--seed", "3"}).status, 0);
    int followed = 0;
    for (const char* method : {"gibbs", "bpfa", "vb"}) {
        const std::vector<std::string> command{"denoise",  "noisy.tif", "-o",      "clean.tif",     "--atoms", "8",
                                               "--method", method,      "--quiet", "--max-patches", "50"};
        std::vector<std::string> first = command;
        first.insert(first.end(), {"--report", "page.html"});
        ASSERT_EQ(run(first).status, 0);
        for (const std::string& advice : advised("page.html")) {
            const std::size_t blank = advice.find(' ');
            if (blank == std::string::npos) continue;  // has no value
            std::vector<std::string> next = command;
            next.insert(next.end(), {advice.substr(0, blank), advice.substr(blank + 1)});
            const Outcome outcome = run(next);
            EXPECT_EQ(outcome.status, 0) << method << ", " << advice << ": " << outcome.err;
            ++followed;
        }
    }
    EXPECT_GT(followed, 0) << "nothing was advised with a value";
}

// What a run of learn advises, added to its command: with "in place of", that option goes.
TEST_F(ReportAdvice, OfLearnCanBeFollowed) {
    make_data();
    const std::vector<std::string> command{"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8"};
    std::vector<std::string> first = command;
    first.insert(first.end(), {"--sweeps", "16"});
    const auto advice = run_json(first)["settling_advice"].get<std::vector<std::string>>();
    static const std::regex option("(--[a-z-]+) ([0-9]+) \\(was [0-9]+\\) in place of --sweeps");
    std::vector<std::string> next = command;
    for (const std::string& text : advice)
        if (std::smatch found; std::regex_search(text, found, option)) next.insert(next.end(), {found[1], found[2]});
    ASSERT_GT(next.size(), command.size()) << advice.back();
    const Outcome outcome = run(next);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    next.insert(next.end(), {"--sweeps", "16"});
    EXPECT_NE(run(next).err.find("; leave out --sweeps"), std::string::npos);
}

}  // namespace
}  // namespace sbdl::test
