// The content of the sections.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "report/sections.hpp"
#include "sbdl/denoise.hpp"
#include "unit/report/report_case.hpp"

namespace sbdl::test {
namespace {

int count_of(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
    return found;
}

TEST(ReportVerdict, ShowsNoiseAtomsAndQuality) {
    ReportCase run;
    run.model.atom_usage.assign(40, 1e4);  // beside noise of 20
    run.model.atom_usage[3] = 1e-3;
    const std::string text = report::verdict(run.content());
    EXPECT_TRUE(has(text, "20.10 ± 0.34")) << text;
    EXPECT_TRUE(has(text, "39 of 40")) << text;
    EXPECT_TRUE(has(text, "class=\"good\"")) << text;
    EXPECT_TRUE(has(text, "SSIM")) << text;
    EXPECT_TRUE(has(text, "dB closer to the truth")) << text;
}

// The page says what the program and Python say: whether it settled, with the advice as code, and whose estimate it is.
TEST(ReportVerdict, SaysWhetherTheRunSettled) {
    Model model = line_model(5, 4);
    model.dictionary_std = model.dictionary;
    model.estimate = "2 of 3 chains pooled; chain 2 differs in 1 atom & is left out";
    const std::string good = report::verdict(about(model));
    EXPECT_TRUE(has(good, "class=\"good\"")) << good;
    EXPECT_TRUE(has(good, "<p>R-hat is at most 1.02 and the effective sample size at least 150 (required")) << good;
    EXPECT_TRUE(has(good, "<p>The estimate: 2 of 3 chains pooled; chain 2 differs in 1 atom &amp; is left out.</p>"));
    EXPECT_TRUE(has(good, "in the signals’ units</dd>")) << good;
    EXPECT_FALSE(has(good, "do not rely")) << good;
    model.diagnostics.atoms_ess = 60.0;
    const std::string bad = report::verdict(about(model));
    EXPECT_TRUE(has(bad, "class=\"caution\"")) << bad;
    EXPECT_TRUE(has(bad, "<p>The effective sample size is 60 for the atoms (required: at least 100).</p>")) << bad;
    EXPECT_TRUE(has(bad, "<code>--draws 200</code> (was 50)")) << bad;
    EXPECT_TRUE(has(bad, "do not rely on the uncertainties")) << bad;
    EXPECT_TRUE(has(bad, "in the signals’ units; not settled, so do not rely on the ±</dd>")) << bad;
    model.diagnostics = {};
    EXPECT_TRUE(has(report::verdict(about(model)), "it is not known whether the ± is right")) << bad;
    model.stop_reason = "time_limit";
    model.dictionary_std = {};
    model.noise_sd_std = std::numeric_limits<double>::quiet_NaN();
    model.trace.kept.assign(model.trace.kept.size(), 0);
    const std::string stopped = report::verdict(about(model));
    EXPECT_TRUE(has(stopped, "<p>Stopped in burn-in: no posterior, no standard deviations.</p>")) << stopped;
    EXPECT_TRUE(has(stopped, "its uncertainty is unknown")) << stopped;
    EXPECT_FALSE(has(stopped, "±")) << stopped;
}

// With on/off codes the chain's own noise is the estimate.
TEST(ReportTraces, SaysWhereTheNoiseIsReestimated) {
    Model model = line_model(5, 4);
    model.method = "gibbs";
    model.options_json = R"({"reestimate_noise": true})";
    EXPECT_TRUE(has(report::traces(model), "At the end it is re-estimated"));
    model.on_off.emplace();
    EXPECT_FALSE(has(report::traces(model), "At the end it is re-estimated"));
}

// The noise used to denoise an image is the one that the program prints, whatever the model contains.
TEST(ReportVerdict, ShowsTheNoiseThatWasRemoved) {
    const ReportCase run;
    ReportContent content = run.content();
    content.noise_sd = 31.25;
    const std::string text = report::verdict(content);
    EXPECT_TRUE(has(text, "<dt>Noise found</dt><dd class=\"value\">31.25</dd>")) << text;
    EXPECT_FALSE(has(text, "20.10")) << text;
    EXPECT_TRUE(has(report::maps(content), "the noise found is 31.2;")) << "beside what was removed";
}

// The sentences about the noise, and its curve where it grows with brightness. Without anything to say: no section.
TEST(ReportNoise, ShowsWhatWasFound) {
    const ReportCase run;
    ReportContent content = run.content();
    EXPECT_EQ(report::noise(content), "");
    NoiseFound found;
    content.noise = &found;
    EXPECT_EQ(report::noise(content), "");
    found.sentences = {"the noise is <odd>"};
    EXPECT_TRUE(has(report::noise(content), "<p>The noise is &lt;odd&gt;.</p>")) << report::noise(content);
    EXPECT_FALSE(has(report::noise(content), "<svg"));
    PlaneNoise& plane = found.planes.emplace_back();
    plane.grows = true;
    plane.gain = 2.0;
    plane.brightness = {10.0, 50.0, 100.0};
    plane.variance = {20.0, 100.0, 200.0};
    for (const char* part : {"<svg", "brightness", "measured in the image", "fitted to the image"})
        EXPECT_TRUE(has(report::noise(content), part)) << part;
    EXPECT_TRUE(has(report_html(content), "id=\"noise\""));
    // Where the noise of a colour is equally strong at every brightness, its curve is level.
    found.planes.assign(3, plane);
    found.planes[1].grows = false;
    found.planes[1].gain = 0.0;
    found.planes[1].read_noise = 12.0;
    for (const char* part : {"fitted to red", "measured in green", "fitted to green"})
        EXPECT_TRUE(has(report::noise(content), part)) << part;
    for (PlaneNoise& each : found.planes) each.grows = false;
    EXPECT_FALSE(has(report::noise(content), "<svg"));
}

// bpfa infers the noise again, and its name is shown.
TEST(ReportVerdict, TheLearnersOwnNoiseIsMarkedAsSuch) {
    ReportCase run;
    run.model.noise_sd_std = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < run.model.trace.noise_sd.size(); ++i)
        run.model.trace.noise_sd[i] = run.model.trace.kept[i] == 0 ? 50.0 : i % 2 == 0 ? 19.0 : 20.0;
    EXPECT_FALSE(has(report::verdict(run.content()), "the learner’s own estimate")) << "for gibbs the noise was fixed";
    run.model.method = "bpfa";
    run.model.on_off.emplace().atom_probability.assign(run.model.atom_count(), 0.5);
    const std::string text = report::verdict(run.content());
    EXPECT_TRUE(has(text, "<dt>Noise found</dt><dd class=\"value\">20.1</dd>")) << text;
    EXPECT_TRUE(has(text, "<dt>Noise by bpfa</dt><dd class=\"value\">19.50 ± 0.50</dd>")) << text;
    EXPECT_TRUE(has(text, "own estimate over its kept sweeps; the image was cleaned")) << "it has settled: " << text;
    const Diagnostics good = run.model.diagnostics;
    run.model.diagnostics.atoms_ess = 60.0;
    const std::string unsettled = report::verdict(run.content());
    EXPECT_TRUE(has(unsettled, "kept sweeps; not settled, so do not rely on the ±; the image")) << unsettled;
    run.model.diagnostics = {};
    const std::string unknown = report::verdict(run.content());
    EXPECT_TRUE(has(unknown, "kept sweeps; it is not known whether the ± is right; the image")) << unknown;
    run.model.diagnostics = good;
    EXPECT_TRUE(has(report::traces(run.model), "the noise found before learning")) << "the mark across the sweeps";
    ReportContent elsewhere = run.content();
    elsewhere.noise_sd = 31.25;
    EXPECT_FALSE(has(report::verdict(elsewhere), "Noise by bpfa")) << "the model of another image";
    run.model.trace = {};
    EXPECT_FALSE(has(report::verdict(run.content()), "Noise by bpfa"));
    Model lines = line_model(3, 4);
    lines.method = "bpfa";
    lines.on_off.emplace();
    EXPECT_FALSE(has(report::verdict(about(lines)), "Noise by bpfa")) << "there it is the noise found";
}

// `sbdl learn --method dct --patch` has patches too, and no image whose noise was found.
TEST(ReportVerdict, PatchesAloneAreNotAnImage) {
    ReportCase run;
    run.model.method = "dct";
    EXPECT_TRUE(has(report::verdict(about(run.model)), "Noise found")) << "older files contain nothing else";
    run.model.command = "sbdl learn patches.npy -o model.h5 --method dct --patch 8";
    EXPECT_TRUE(has(report::verdict(about(run.model)), "<dt>Residual</dt>"));
    run.model.denoise_json = "{}";
    EXPECT_TRUE(has(report::verdict(about(run.model)), "Noise found"));
}

TEST(ReportVerdict, SaysWhenDenoisingMadeItWorse) {
    ReportCase run;
    std::swap(run.before, run.after);
    EXPECT_TRUE(has(report::verdict(run.content()), "farther from the truth"));
}

TEST(ReportVerdict, ThePsnrSaysItsRange) {
    ReportCase run;
    EXPECT_TRUE(has(report::verdict(run.content()), "range 0 to 255"));
    run.truth.samples = Samples::u16;
    run.truth.planes[0](0, 0) = 0.0;
    run.truth.planes[0](0, 1) = 4095.0;
    EXPECT_TRUE(has(report::verdict(run.content()), "range 0 to 4095"));
    for (Matrix& plane : run.truth.planes) plane = Matrix(plane.rows(), plane.cols(), 9.0);
    EXPECT_TRUE(has(report::verdict(run.content()), "range 1, as it is constant"));
}

TEST(ReportVerdict, ImagesSmallerThanTheWindowHaveNoSsim) {
    ReportCase run;
    run.before = run.after = run.truth = run.spread = textured_image(10, 40, 1, 5.0);
    const std::string text = report::verdict(run.content());
    EXPECT_TRUE(has(text, "PSNR"));
    EXPECT_FALSE(has(text, "SSIM"));
}

TEST(ReportMosaic, TheMostUsedComesFirst) {
    Model model = line_model(3, 4);
    model.atom_usage = {0.5, 2.0, 1.0};
    const std::string text = report::mosaic(model);
    const std::size_t first = text.find("Atom 1, use 2, 1st of 3"), second = text.find("Atom 2, use 1, 2nd of 3"),
                      third = text.find("Atom 0, use 0.5, 3rd of 3");
    EXPECT_LT(first, second);
    EXPECT_LT(second, third);
    EXPECT_NE(third, std::string::npos);
    EXPECT_FALSE(has(text, "of the signals"));
    model.on_off = OnOffPrior{.atom_probability = {0.1, 0.25, 0.2}};
    EXPECT_TRUE(has(report::mosaic(model), "Atom 1, use 2, 1st of 3, in 25 % of the signals"));
}

TEST(ReportMosaic, ALimitedNumberOfAtomsIsDrawnAndThePageSaysSo) {
    EXPECT_EQ(count_of(report::mosaic(line_model(1024, 2)), "<button"), 1024);
    EXPECT_FALSE(has(report::mosaic(line_model(1024, 2)), "most used are drawn"));
    const std::string text = report::mosaic(line_model(1025, 2));
    EXPECT_EQ(count_of(text, "<button"), 1024);
    EXPECT_TRUE(has(text, "Only the 1024 most used are drawn")) << text.substr(0, 600);
}

TEST(ReportMosaic, PatchesAreImagesAndOtherSignalsLines) {
    const ReportCase run;
    const std::string images = report::mosaic(run.model);
    EXPECT_EQ(count_of(images, "data:image/png"), 1) << "one image for all atoms";
    EXPECT_FALSE(has(images, "<svg"));
    const std::string lines = report::mosaic(line_model(7, 500));
    EXPECT_EQ(count_of(lines, "<svg"), 7);
    EXPECT_LT(lines.size(), 20000U) << "long atoms are thinned";
    Model two_planes = line_model(7, 8);
    two_planes.patch = {.height = 2, .width = 2, .planes = 2};
    EXPECT_EQ(count_of(report::mosaic(two_planes), "<svg"), 7) << "two planes are not an image";
}

TEST(ReportTraces, ALineForEachChainAndALegend) {
    Model model = line_model(3, 4);
    model.trace = made_trace(3, 50);
    const std::string text = report::traces(model);
    EXPECT_EQ(count_of(text, "<figure"), 2);
    EXPECT_EQ(count_of(text, "class=\"line hue-"), 6);
    EXPECT_TRUE(has(text, "chain 3"));
    EXPECT_EQ(count_of(text, "class=\"band\""), 2);
    EXPECT_TRUE(has(text, "(× 10³)") || has(text, "in nats")) << "the units are shown";
}

TEST(ReportTraces, ManyChainsAndSweepsAreThinned) {
    Model model = line_model(3, 4);
    model.trace = made_trace(20, 20000);
    const std::string text = report::traces(model);
    EXPECT_EQ(count_of(text, "class=\"line hue-"), 16);
    EXPECT_TRUE(has(text, "The first 8 of 20 chains are drawn"));
    EXPECT_LT(text.size(), 16U * 2002 * 16);
}

TEST(ReportTraces, TheBoundOfVbStartsWhereItIsKnown) {
    Model model = line_model(3, 4);
    model.method = "vb";
    model.trace = made_trace(1, 100);
    for (std::size_t i = 0; i < 60; ++i) model.trace.objective[i] = std::numeric_limits<double>::quiet_NaN();
    const std::string text = report::traces(model);
    EXPECT_TRUE(has(text, "Bound on the log evidence over sweeps 61 to 100")) << text;
}

TEST(ReportTraces, FarAwayFirstSweepsAreLeftOutsideTheFrame) {
    Model model = line_model(3, 4);
    model.trace = made_trace(1, 200);
    EXPECT_TRUE(has(report::traces(model), "The first sweeps lie outside the frame"));
    std::fill(model.trace.objective.begin(), model.trace.objective.end(), -5.0);
    std::fill(model.trace.noise_sd.begin(), model.trace.noise_sd.end(), 20.0);
    EXPECT_FALSE(has(report::traces(model), "outside the frame"));
}

TEST(ReportCodeSizes, AreCountedAndSummarised) {
    ReportCase run;  // 3, 10, 20, 5, 0, 1 patches with 0 ... 5 atoms
    const std::string text = report::code_sizes(run.model);
    EXPECT_EQ(count_of(text, "class=\"bar hue-blue\""), 6) << "the empty end is left out";
    EXPECT_TRUE(has(text, "39 patches were coded, half of them with 2 atoms or fewer; 1.79 on average")) << text;
    EXPECT_TRUE(has(text, "<title>1 atom: 10 patches</title>"));
    run.model.code_sizes.assign(41, 0);
    EXPECT_EQ(report::code_sizes(run.model), "");
}

TEST(ReportCodeSizes, ManySizesShareBars) {
    Model model = line_model(2000, 2);
    model.code_sizes.assign(1500, std::numeric_limits<int>::max());
    const std::string text = report::code_sizes(model);
    EXPECT_EQ(count_of(text, "class=\"bar hue-blue\""), 100);
    EXPECT_TRUE(has(text, "0 to 14 atoms"));
}

TEST(ReportRepeat, HasEveryOption) {
    const ReportCase run;
    const std::string text = report::repeat(run.content());
    for (const char* part : {"sbdl denoise noisy.png -o clean.png", "<code>burn_in</code></th><td>60<",
                             "<code>code_rate</code></th><td>auto<", "<th scope=\"row\">Seed</th><td>7<", "sbdl 0.1.0",
                             "gibbs, preset standard", "64 × 96 pixels", "200 in 2 chains"})
        EXPECT_TRUE(has(text, part)) << part << " is not in\n" << text;
}

TEST(ReportRepeat, TheModelsCommandAndDenoisingAreShown) {
    ReportCase run;
    run.model.command = "sbdl denoise other.png -o o.png --save-model m.h5";
    run.model.denoise_json = R"({"recipe":"paper","stride":3,"sigma":"auto"})";
    const std::string alone = report::repeat(about(run.model));
    for (const char* part :
         {"sbdl denoise other.png", "Command, seed, version and every option", "Options of denoising",
          "<code>recipe</code></th><td>paper<", "<code>stride</code></th><td>3<", "Options of the learner"})
        EXPECT_TRUE(has(alone, part)) << part << " is not in\n" << alone;
    EXPECT_EQ(count_of(alone, "<h3>Command"), 1);
    const std::string both = report::repeat(run.content());  // an image cleaned with an existing model
    EXPECT_TRUE(has(both, "<h3>Command</h3>\n<pre tabindex=\"0\"><code>sbdl denoise noisy.png")) << both;
    EXPECT_TRUE(has(both, "<h3>Command that made the model</h3>\n<pre tabindex=\"0\"><code>sbdl denoise other.png"))
        << both;
    run.model.command = run.content().command;
    EXPECT_EQ(count_of(report::repeat(run.content()), "<h3>Command"), 1) << "one run, one command";
}

// Older files contain neither.
TEST(ReportRepeat, TheHeadingNamesWhatFollows) {
    const ReportCase run;
    const std::string image = report::repeat(about(run.model));
    EXPECT_TRUE(has(image, "<summary>Seed, version and the options of the learner</summary>")) << image;
    const Model lines = line_model(3, 4);
    EXPECT_TRUE(has(report::repeat(about(lines)), "<summary>Seed, version and every option</summary>"));
    Model bare = lines;
    bare.options_json.clear();
    EXPECT_TRUE(has(report::repeat(about(bare)), "<summary>Seed and version</summary>"));
}

TEST(ReportRepeat, OptionsThatAreNotAPlainObjectAreShownAsTheyAre) {
    ReportCase run;
    for (const char* options : {"not <JSON>", "[1,2]", R"({"a":{"b":1}})"}) {
        run.model.options_json = options;
        EXPECT_TRUE(has(report::repeat(run.content()), "<pre>")) << options;
    }
}

}  // namespace
}  // namespace sbdl::test
