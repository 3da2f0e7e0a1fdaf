// The report as a reader sees it: on a desktop, on a phone, in dark mode. The checks themselves are in checks.js; here
// the page is made and opened, and their results are read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "browser/chromium.hpp"
#include "sbdl/report.hpp"
#include "sbdl/stack_report.hpp"
#include "support/temp_folder.hpp"
#include "unit/report/report_case.hpp"

namespace sbdl::test {
namespace {

constexpr const char* error_collector = R"(<script>
window.reportErrors = [];
addEventListener('error', (event) => reportErrors.push(event.message));
addEventListener('unhandledrejection', (event) => reportErrors.push(String(event.reason)));
addEventListener('securitypolicyviolation', (event) => reportErrors.push('policy: ' + event.blockedURI));
console.error = (...words) => reportErrors.push(words.join(' '));
</script>)";

class ReportInBrowser : public testing::Test {
protected:
    void SetUp() override {
        if (find_chromium().empty())
            GTEST_SKIP() << "neither chromium nor chromium-browser is installed: the report is not tried in a browser";
    }

    // The results of the checks, one line each. Without "DONE" at the end they did not finish.
    std::vector<std::string> checks_of(std::string page, const Window& window) {
        page.insert(page.rfind("</body>"),
                    fmt::format("<script>{}</script>", read_bytes(SBDL_SOURCE_DIR "/tests/browser/checks.js")));
        page.insert(page.find("<head>") + 6, error_collector);
        write_bytes(folder_ / "page.html", page);
        const std::string document = dump_document(folder_ / "page.html", window, folder_.path());
        const std::string opening = "<pre id=\"checks\">";
        const std::size_t start = document.find(opening);
        if (start == std::string::npos) return {"FAIL the browser showed nothing; it gave " + document.substr(0, 300)};
        const std::size_t first = start + opening.size();
        std::istringstream text(document.substr(first, document.find("</pre>", first) - first));
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);) lines.push_back(line);
        return lines;
    }

    /// `sign` is a line which shows that the window was of the requested kind.
    void expect_all_pass(const std::string& page, const Window& window, int at_least, const std::string& sign) {
        int passed = 0;
        const std::vector<std::string> lines = checks_of(page, window);
        for (const std::string& line : lines) {
            EXPECT_NE(line.rfind("FAIL", 0), 0U) << line;
            if (line.rfind("PASS", 0) == 0) ++passed;
        }
        EXPECT_GE(passed, at_least);
        EXPECT_NE(std::find(lines.begin(), lines.end(), "PASS " + sign), lines.end()) << testing::PrintToString(lines);
        EXPECT_EQ(lines.back(), "DONE");
    }

    TempFolder folder_;
};

TEST_F(ReportInBrowser, OnADesktop) {
    const ReportCase run;
    expect_all_pass(report_html(run.content()), {.width = 1280, .height = 900}, 28, "maps stand side by side");
}

TEST_F(ReportInBrowser, OnAPhone) {
    const ReportCase run;
    expect_all_pass(report_html(run.content()), {.width = 390, .height = 844}, 28, "maps stand below each other");
}

TEST_F(ReportInBrowser, InDarkMode) {
    const ReportCase run;
    expect_all_pass(report_html(run.content()), {.dark = true}, 28, "the page is dark");
}

TEST_F(ReportInBrowser, SignalsOfAnyKindAndMoreAtomsThanAreDrawn) {
    const Model model = line_model(/*atoms=*/3000, /*dim=*/20);
    ReportContent content = about(model);
    content.title = std::string(200, 'x');  // one long word must not widen the page either
    for (const int width : {390, 1280})
        expect_all_pass(report_html(content), {.width = width}, 15, "1024 atoms are drawn");
}

TEST_F(ReportInBrowser, AStack) {
    StackReportCase run;
    StackReportContent content = run.content(200);
    content.pages[7].warnings = {std::string(300, 'w')};
    content.pages[8].noise.planes[0] = growing_noise(0.5, 3.0, 100.0);
    for (const int width : {390, 1280})
        expect_all_pass(stack_report_html(content), {.width = width}, 26, "200 pages are listed");
}

// Proof that the checks can fail: a page without its script, and one that is too wide.
TEST_F(ReportInBrowser, ChecksNoticeABrokenPage) {
    const auto failures = [](const std::vector<std::string>& lines) {
        return std::count_if(lines.begin(), lines.end(),
                             [](const std::string& line) { return line.rfind("FAIL", 0) == 0; });
    };
    const ReportCase run;
    std::string page = report_html(run.content());
    page.insert(page.rfind("</main>"), "<div style=\"width:3000px\">wide</div><script>nonsense();</script>");
    const std::vector<std::string> lines = checks_of(page, {});
    EXPECT_EQ(failures(lines), 2) << testing::PrintToString(lines);
    page.erase(page.rfind("<script>"), std::string::npos);
    EXPECT_GT(failures(checks_of(page + "</body>", {})), 3);
}

}  // namespace
}  // namespace sbdl::test
