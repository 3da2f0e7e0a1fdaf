// sbdl report from outside: the page, the output, and what is rejected.
#include <fstream>
#include <iterator>

#include "cli/program.hpp"
#include "sbdl/model.hpp"

namespace sbdl::test {
namespace {

class Report : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        Model model;
        model.method = "gibbs";
        model.dictionary = Matrix(2, 4, 0.5);
        model.atom_usage = {1.0, 2.0};
        model.atom_norm = {1.0, 1.0};
        model.patch = {.height = 2, .width = 2, .planes = 1};
        save_model(model, folder_ / "model.h5");
        write("before.pgm", grey(12, 12, 'a'));
        write("after.pgm", grey(12, 12, 'b'));
        write("small.pgm", grey(3, 2, 'b'));
    }
    static std::string grey(int width, int height, char value) {
        return "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" +
               std::string(static_cast<std::size_t>(width * height), value);
    }
    std::string page() const {
        std::ifstream file(folder_ / "page.html");
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    void expect_rejected(const std::vector<std::string>& arguments, const std::string& reason) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(files().count("page.html"), 0U);
    }
};

TEST_F(Report, OfAModelAlone) {
    const Outcome outcome = run({"report", "model.h5", "-o", "page.html"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "report      page.html\n");
    EXPECT_NE(page().find("<title>model.h5</title>"), std::string::npos);
    EXPECT_EQ(page().find("id=\"compare\""), std::string::npos);
}

TEST_F(Report, WithImagesAndATitle) {
    const auto summary =
        run_json({"report", "model.h5", "-o", "page.html", "--before", "before.pgm", "--after", "after.pgm", "--std",
                  "after.pgm", "--truth", "after.pgm", "--title", "Tea & <b>cake</b>"});
    EXPECT_EQ(summary["report"], "page.html");
    EXPECT_EQ(summary["atoms"], 2);
    const std::string text = page();
    EXPECT_NE(text.find("<h1>Tea &amp; &lt;b&gt;cake&lt;/b&gt;</h1>"), std::string::npos);
    for (const char* part : {"id=\"compare\"", "Truth", "Uncertainty", "PSNR"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST_F(Report, QuietIsSilent) {
    const Outcome outcome = run({"report", "model.h5", "-o", "page.html", "--quiet"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST_F(Report, WhatCannotBeReportedIsRejected) {
    expect_rejected({"report", "model.h5"}, "--output is required");
    expect_rejected({"report", "none.h5", "-o", "page.html"}, "none.h5");
    expect_rejected({"report", "model.h5", "-o", "page.txt"}, "must end in .html or .htm");
    expect_rejected({"report", "model.h5", "-o", "nowhere/page.html"}, "nowhere");
    expect_rejected({"report", "model.h5", "-o", "page.html", "--before", "none.png"}, "none.png");
    expect_rejected({"report", "model.h5", "-o", "page.html", "--before", "model.h5"}, "model.h5");
    expect_rejected({"report", "model.h5", "-o", "page.html", "--before", "before.pgm", "--after", "small.pgm"},
                    "image 'after' has 2 x 3 pixels in 1 planes, 'before' has 12 x 12 pixels in 1 planes");
}

}  // namespace
}  // namespace sbdl::test
