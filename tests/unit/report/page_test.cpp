// The page as a whole: its order, what it rejects, what never appears in it.
#include <gtest/gtest.h>

#include <limits>

#include "sbdl/error.hpp"
#include "sbdl/report.hpp"
#include "sbdl/version.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/report/report_case.hpp"

namespace sbdl::test {
namespace {

TEST(ReportPage, SectionsStandInOrder) {
    const ReportCase run;
    const std::string page = report_html(run.content());
    std::size_t last = 0;
    for (const char* part : {"<!DOCTYPE html>", "name=\"viewport\"", "<title>A run</title>", "<h1>A run</h1>",
                             "id=\"verdict\"", "id=\"compare\"", "id=\"maps\"", "id=\"dictionary\"", "id=\"traces\"",
                             "id=\"code-sizes\"", "id=\"repeat\"", "<details>", "<footer>", "</html>"}) {
        const std::size_t at = page.find(part);
        ASSERT_NE(at, std::string::npos) << part;
        EXPECT_GT(at + 1, last) << part;
        last = at;
    }
}

TEST(ReportPage, NothingComesFromElsewhere) {
    const ReportCase run;
    const std::string page = report_html(run.content());
    EXPECT_FALSE(has(page, "http://"));
    EXPECT_FALSE(has(page, "https://"));
    EXPECT_FALSE(has(page, "@import"));
    EXPECT_FALSE(has(page, "<link"));
    EXPECT_TRUE(has(page, "default-src 'none'"));
    const std::string words = words_of(page);
    int addresses = 0;
    for (const std::string attribute : {"src=\"", "href=\""})
        for (std::size_t at = 0; (at = words.find(attribute, at)) != std::string::npos; ++addresses) {
            at += attribute.size();
            EXPECT_EQ(words.substr(at, 15), "data:image/png;");
        }
    EXPECT_EQ(addresses, 5) << "before, after, truth, difference, uncertainty";
}

TEST(ReportPage, AModelAloneIsEnough) {
    const Model model = line_model(3, 4);
    const std::string page = report_html(about(model));
    for (const char* part : {"id=\"compare\"", "id=\"maps\"", "id=\"code-sizes\"", "<img", "PSNR"})
        EXPECT_FALSE(has(words_of(page), part)) << part;
    for (const char* part : {"id=\"verdict\"", "id=\"dictionary\"", "id=\"traces\"", "id=\"repeat\""})
        EXPECT_TRUE(has(page, part)) << part;
}

TEST(ReportPage, NamesTheProgramThatWroteIt) {
    const Model model = line_model(3, 4);
    ReportContent content = about(model);
    EXPECT_TRUE(has(report_html(content), std::string("Made by sbdl ") + version() + "."));
    content.program = "1.2.3 (abcdef)";
    EXPECT_TRUE(has(report_html(content), "Made by sbdl 1.2.3 (abcdef)."));
}

TEST(ReportPage, EveryImageIsOptional) {
    const ReportCase run;
    for (unsigned given = 0; given < 16; ++given) {
        ReportContent content = run.content();
        if ((given & 1U) == 0) content.before = nullptr;
        if ((given & 2U) == 0) content.after = nullptr;
        if ((given & 4U) == 0) content.truth = nullptr;
        if ((given & 8U) == 0) content.std = nullptr;
        const std::string page = words_of(report_html(content));
        EXPECT_EQ(has(page, "id=\"compare\""), (given & 7U) != 0) << given;
        EXPECT_EQ(has(page, "type=\"range\""), (given & 7U) == 3 || (given & 7U) >= 5) << given;
        EXPECT_EQ(has(page, "class=\"pairs\""), (given & 7U) == 7) << given;
        EXPECT_EQ(has(page, "Before − after"), (given & 3U) == 3) << given;
        EXPECT_EQ(has(page, "Uncertainty"), (given & 8U) != 0) << given;
        EXPECT_EQ(has(page, "PSNR"), (given & 4U) != 0 && (given & 3U) != 0) << given;
    }
}

TEST(ReportPage, TextFromOutsideIsEscaped) {
    Model model = line_model(3, 4);
    const std::string evil = "<script>alert(\"1\")</script>&";
    const std::string safe = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;";
    model.method = model.preset = model.program_version = model.stop_reason = model.command = evil;
    model.options_json = model.denoise_json = R"({"<script>alert(":"<script>alert("})";
    ReportContent content = about(model);
    content.title = content.command = content.program = evil;
    const std::string page = words_of(report_html(content));
    EXPECT_FALSE(has(page, "<script>alert"));
    EXPECT_TRUE(has(page, "<h1>" + safe + "</h1>"));
    EXPECT_TRUE(has(page, "<code>" + safe + "</code>"));
}

TEST(ReportPage, NonFiniteNumbersAreNeverShown) {
    ReportCase run;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    run.model.diagnostics = {.noise_rhat = std::numeric_limits<double>::infinity(), .objective_ess = 3.0};
    run.model.noise_sd_std = nan;
    for (std::size_t i = 0; i < run.model.trace.objective.size(); i += 3) run.model.trace.objective[i] = nan;
    run.model.trace.objective[1] = -std::numeric_limits<double>::infinity();
    run.after = run.truth;  // its PSNR is infinite
    const std::string page = words_of(report_html(run.content()));
    for (const char* word : {"nan", "NaN", "inf", "Inf"}) EXPECT_FALSE(has_word(page, word)) << word;
    EXPECT_TRUE(has(page, "→ ∞ dB")) << "an equal image";
    run.model.trace.objective.assign(run.model.trace.objective.size(), nan);
    EXPECT_FALSE(has_word(words_of(report_html(run.content())), "nan"));
}

TEST(ReportPage, DegenerateModelsHaveAPage) {
    Model model = line_model(1, 1);
    model.dictionary(0, 0) = 0.0;
    model.atom_usage = {0.0};
    model.noise_sd = 0.0;
    model.trace = made_trace(1, 1);
    EXPECT_TRUE(has(report_html(about(model)), "0 of 1"));
    model.trace = {};
    EXPECT_FALSE(has(words_of(report_html(about(model))), "id=\"traces\""));
}

TEST(ReportPage, WhatDoesNotFitIsRejected) {
    const ReportCase run;
    const auto reject = [&](const ReportContent& content, std::initializer_list<std::string_view> words) {
        expect_error<InputError>([&] { report_html(content); }, words);
    };
    reject({}, {"no model"});

    Model broken = run.model;
    broken.atom_usage.pop_back();
    ReportContent content = run.content();
    content.model = &broken;
    reject(content, {"atom_usage has 39 entries, must have 40"});

    Image small = textured_image(64, 95, 1, 0.0), colour = textured_image(64, 96, 3, 0.0), empty;
    content = run.content();
    content.after = &small;
    reject(content, {"'after' has 64 x 95 pixels in 1 planes", "'before' has 64 x 96 pixels in 1 planes"});
    content.after = &colour;
    reject(content, {"'after'", "3 planes"});
    content = run.content();
    content.truth = &empty;
    reject(content, {"'truth' has 0 planes"});
    content = run.content();
    content.std = &colour;
    reject(content, {"'std'", "3 planes"});

    Image holed = run.after;
    holed.planes[0](3, 9) = std::numeric_limits<double>::quiet_NaN();
    content = run.content();
    content.after = &holed;
    reject(content, {"'after' is nan in row 3, column 9"});
    holed.planes[0](3, 9) = -1e200;
    reject(content, {"'after' is -1e+200 in row 3, column 9, must be within ±1e+100"});
}

TEST(ReportPage, ColourImagesMayShareOneStandardDeviation) {
    ReportCase run;
    run.before = textured_image(20, 30, 3, 30.0);
    run.after = run.truth = textured_image(20, 30, 3, 0.0);
    run.spread = textured_image(20, 30, 1, 3.0);
    EXPECT_TRUE(has(report_html(run.content()), "Uncertainty"));
    run.spread = textured_image(20, 30, 3, 3.0);
    EXPECT_TRUE(has(report_html(run.content()), "over its colours"));
}

// Noise does not compress: this is the largest possible page for this size.
TEST(ReportPage, APageOf512By512ColourPixelsIsBelow10Megabytes) {
    ReportCase run;
    run.before = textured_image(512, 512, 3, 100.0);
    run.after = textured_image(512, 512, 3, 60.0);
    run.truth = textured_image(512, 512, 3, 50.0);
    run.spread = textured_image(512, 512, 3, 40.0);
    EXPECT_LT(report_html(run.content()).size(), 10U * 1000 * 1000);
}

TEST(ReportPage, TheFileAppearsWholeOrNotAtAll) {
    const TempFolder folder;
    const ReportCase run;
    write_report(folder / "page.html", run.content());
    EXPECT_EQ(read_bytes(folder / "page.html"), report_html(run.content()));
    EXPECT_THROW(write_report(folder / "none/page.html", run.content()), FileError);
    ReportContent bad = run.content();
    bad.model = nullptr;
    EXPECT_THROW(write_report(folder / "page.html", bad), InputError);
    EXPECT_EQ(read_bytes(folder / "page.html"), report_html(run.content()));
    EXPECT_EQ(folder.entries(), 1);
}

}  // namespace
}  // namespace sbdl::test
