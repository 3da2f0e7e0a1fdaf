// The page about a stack: what it shows of the pages, what it keeps in memory, what it rejects.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/report/report_case.hpp"

namespace sbdl::test {
namespace {

std::size_t rows_in(const std::string& page) {
    std::size_t rows = 0;
    for (std::size_t at = 0; (at = page.find("<tr><th scope=\"row\">", at)) != std::string::npos; ++at) ++rows;
    return rows;
}

/// The table of the pages.
std::string table_in(const std::string& page) {
    const std::size_t start = page.find("class=\"pages\"");
    return page.substr(start, page.find("</table>", start) - start);
}

TEST(StackReport, SectionsStandInOrder) {
    StackReportCase run;
    const std::string page = stack_report_html(run.content(5));
    std::size_t last = 0;
    for (const char* part :
         {"<title>A stack</title>", "5 pages. One dictionary: 40 atoms of 8 × 8 pixels, learned by Gibbs sampling",
          "id=\"verdict\" class=\"good\"", "id=\"examples\"", "<h3>Page 1</h3>", "<h3>Page 3</h3>", "<h3>Page 5</h3>",
          "id=\"pages\"", "id=\"dictionary\"", "id=\"traces\"", "id=\"code-sizes\"", "id=\"repeat\"", "noisy.tif",
          "</html>"}) {
        const std::size_t at = page.find(part, last);
        ASSERT_NE(at, std::string::npos) << part;
        last = at;
    }
    EXPECT_TRUE(has(page, "20.00 → 32.00 dB")) << "the mean over the pages";
    EXPECT_FALSE(has(page, "against the truth; range")) << "it is not known";
    EXPECT_TRUE(has(page, "20 to 24")) << "the noise";
    EXPECT_TRUE(has(page, "12.5 s"));
    EXPECT_TRUE(has(page, "2.5 s a page"));
    EXPECT_EQ(run.shown, (std::vector<std::size_t>{0, 2, 4})) << "no other page is read";
}

TEST(StackReport, SaysTheRangeOfThePsnr) {
    StackReportCase run;
    StackReportContent content = run.content(3);
    content.range = {20.0, 1000.5};
    EXPECT_TRUE(has(stack_report_html(content), "mean of the pages, against the truth; range 20 to 1000.5<"));
}

TEST(StackReport, OnePageAndTwoAreStacksToo) {
    StackReportCase one, two;
    EXPECT_FALSE(has(words_of(stack_report_html(one.content(1))), "<h3>Page 2</h3>"));
    EXPECT_EQ(one.shown, (std::vector<std::size_t>{0}));
    EXPECT_EQ(rows_in(table_in(stack_report_html(two.content(2)))), 2U);
    EXPECT_EQ(two.shown, (std::vector<std::size_t>{0, 1}));
}

TEST(StackReport, TableHasOnlyColumnsWithSomethingInThem) {
    StackReportCase run;
    StackReportContent content = run.content(3);
    std::string table = table_in(stack_report_html(content));
    EXPECT_EQ(rows_in(table), 3U);
    EXPECT_TRUE(has(table, "PSNR (dB)"));
    EXPECT_TRUE(has(table, "20.00 → 31.00"));
    for (const char* column : {"Gain", "Read noise", "Offset", "Correlation", "Clipped", "Remarks"})
        EXPECT_FALSE(has(table, column)) << column;

    content.pages[1].noise.planes[0] = growing_noise(0.5, 3.25, 100.0);
    content.pages[1].noise.planes[0].clipped = 0.126;
    content.pages[1].noise.correlation = {0.61};
    content.pages[2].noise.row_stripes = 2.0;
    content.pages[2].noise.impulses = 0.05;
    content.pages[0].unchanged = true;
    content.pages[2].only_noise = true;
    content.pages[2].warnings = {"a <b> warning"};
    content.warnings = {"the pages differ"};
    const std::string page = stack_report_html(content);
    table = table_in(page);
    for (const char* part : {"<th scope=\"col\">Gain</th>", "<td>0.5</td>", "<td>3.25</td>", "<td>100</td>",
                             "<td>0.61</td>", "<td>13 %</td>", "no noise found; left as it is",
                             "almost nothing but noise; stripes; salt and pepper; a &lt;b&gt; warning"})
        EXPECT_TRUE(has(table, part)) << part << " is not in\n" << table;
    EXPECT_TRUE(has(page, "no noise found in 1; almost nothing but noise in 1"));
    EXPECT_TRUE(has(page, "<li>the pages differ</li>"));
}

TEST(StackReport, PlotsCoverAllPagesAndTheTableTheFirstThousand) {
    StackReportCase run;
    const std::string page = stack_report_html(run.content(1200));
    EXPECT_EQ(rows_in(table_in(page)), 1000U);
    EXPECT_TRUE(has(page, "The first 1000 of 1200 pages are listed."));
    EXPECT_TRUE(has(page, "over pages 1 to 1200"));
    EXPECT_EQ(run.shown.size(), 3U);
}

TEST(StackReport, NeedsNeitherModelNorTruthNorImages) {
    StackReportCase run;
    StackReportContent content{.pages = run.content(4).pages};
    for (StackPageFacts& facts : content.pages)
        facts.psnr_before = facts.psnr_after = std::numeric_limits<double>::quiet_NaN();
    const std::string page = words_of(stack_report_html(content));
    EXPECT_TRUE(has(page, "4 pages, each with a dictionary of its own."));
    EXPECT_TRUE(has(page, "Each page has its own dictionary"));
    for (const char* part : {"PSNR", "<img", "id=\"dictionary\"", "id=\"repeat\"", "Time"})
        EXPECT_FALSE(has(page, part)) << part;
    content.command = "sbdl denoise <in>";
    EXPECT_TRUE(has(stack_report_html(content), "sbdl denoise &lt;in&gt;"));
}

TEST(StackReport, AnInpaintedStackHasGapsAndNoDictionary) {
    StackReportCase run;
    StackReportContent content = run.content(3);
    content.model = nullptr;
    content.title = "";
    for (StackPageFacts& facts : content.pages) {
        facts.psnr_before = std::numeric_limits<double>::quiet_NaN();
        facts.missing = 0.125;
    }
    content.pages[2].missing = 0.0;
    content.pages[2].unchanged = true;
    content.pages[2].noise_sd = content.pages[2].psnr_after = std::numeric_limits<double>::quiet_NaN();
    content.images = [&](std::size_t) {
        StackPageImages images{run.page.before, run.page.after};
        images.before.planes[0](3, 4) = std::numeric_limits<double>::quiet_NaN();
        return images;
    };
    const std::string page = words_of(stack_report_html(content)), table = table_in(page);
    for (const char* part : {"<h1>sbdl: an inpainted stack</h1>", "3 pages, of which pixels were missing.",
                             "Missing pixels were filled in", "30.50 dB", "0 % to 12.5 %", "nothing missing in 1",
                             "; 12.5 % missing; 30.00 dB", "20 to 21", "The completed image", "Nothing missing"})
        EXPECT_TRUE(has(page, part)) << part << " is not in\n" << page;
    for (const char* part :
         {"<th scope=\"col\">Missing</th>", "<td>12.5 %</td>", "<td>30.00</td>", "nothing missing; left as it is"})
        EXPECT_TRUE(has(table, part)) << part << " is not in\n" << table;
    for (const char* part : {"dictionary", "→", "no noise", "The noisy image", "Noise unknown"})
        EXPECT_FALSE(has(page, part)) << part;
    for (const char* word : {"nan", "inf"}) EXPECT_FALSE(has_word(page, word)) << word;
}

TEST(StackReport, NoiseThatNobodyLookedForIsNotShown) {
    StackReportCase run;
    StackReportContent content{.pages = run.content(3).pages};
    for (StackPageFacts& facts : content.pages) {
        facts.missing = 0.0;
        facts.unchanged = true;
        facts.noise_sd = std::numeric_limits<double>::quiet_NaN();
    }
    const std::string page = words_of(stack_report_html(content));
    EXPECT_FALSE(has(page, "Noise found"));
    EXPECT_FALSE(has(page, "its standard deviation on each page")) << "the plot";
    EXPECT_FALSE(has(table_in(page), "<th scope=\"col\">Noise</th>"));
}

TEST(StackReport, PagesThatEqualTheTruthAreNotInTheMean) {
    StackReportCase run;
    StackReportContent content = run.content(3);
    content.pages[0].psnr_after = std::numeric_limits<double>::infinity();
    std::string page = words_of(stack_report_html(content));
    EXPECT_TRUE(has(page, "20.00 → 31.50 dB")) << page;
    EXPECT_TRUE(has(page, "without those that equal the truth"));
    EXPECT_TRUE(has(page, "20.00 → ∞"));
    for (StackPageFacts& facts : content.pages) facts.psnr_before = facts.psnr_after = content.pages[0].psnr_after;
    page = words_of(stack_report_html(content));
    EXPECT_TRUE(has(page, "∞ → ∞ dB"));
    for (const char* word : {"nan", "inf"}) EXPECT_FALSE(has_word(page, word)) << word;
}

TEST(StackReport, TimeIsThatSinceTheRunWasResumed) {
    StackReportCase run;
    StackReportContent content = run.content(5);
    content.seconds = 12.0;
    content.resumed_at = 2;
    EXPECT_TRUE(has(stack_report_html(content), "4 s a page; since the run was resumed at page 3"));
    content.resumed_at = 5;
    EXPECT_FALSE(has(stack_report_html(content), "a page;")) << "all pages were done before";
}

TEST(StackReport, PreviewsOfLargePagesAreSmall) {
    StackReportCase run;
    StackReportContent content = run.content(1);
    content.images = [](std::size_t) {
        return StackPageImages{textured_image(100, 2000, 1, 30.0), textured_image(100, 2000, 1, 0.0)};
    };
    EXPECT_TRUE(has(stack_report_html(content), "width=\"500\" height=\"25\""));
}

TEST(StackReport, WhatDoesNotFitIsRejected) {
    StackReportCase run;
    expect_error<InputError>([] { stack_report_html({}); }, {"no pages"});
    StackReportContent content = run.content(2);
    content.images = [&](std::size_t) { return StackPageImages{run.page.before, textured_image(3, 3, 1, 0.0)}; };
    expect_error<InputError>([&] { stack_report_html(content); }, {"'after' has 3 x 3", "'before' has 64 x 96"});
    Model broken = run.page.model;
    broken.atom_usage.pop_back();
    content = run.content(2);
    content.model = &broken;
    const TempFolder folder;
    expect_error<InputError>([&] { write_stack_report(folder / "page.html", content); }, {"atom_usage"});
    EXPECT_FALSE(std::filesystem::exists(folder / "page.html"));
}

TEST(StackReport, FactsLeaveOutTheCurve) {
    DenoiseResult result;
    result.noise_sd = 3.0;
    result.only_noise = true;
    result.noise.planes = {growing_noise(2.0, 0.0, 0.0)};
    result.noise.planes[0].brightness = result.noise.planes[0].variance = {1.0, 2.0};
    result.warnings = {"one"};
    const StackPageFacts facts = facts_of(result);
    EXPECT_EQ(facts.noise_sd, 3.0);
    EXPECT_TRUE(facts.only_noise);
    EXPECT_EQ(facts.noise.planes.at(0).gain, 2.0);
    EXPECT_TRUE(facts.noise.planes.at(0).brightness.empty());
    EXPECT_EQ(facts.warnings, result.warnings);
    EXPECT_TRUE(std::isnan(facts.psnr_after));
}

}  // namespace
}  // namespace sbdl::test
