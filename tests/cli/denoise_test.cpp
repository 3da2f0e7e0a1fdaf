// `sbdl denoise`: what it writes and prints, and what it rejects without leaving files behind.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "sbdl/image.hpp"
#include "sbdl/model.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

class DenoiseVerb : public CliTest {
protected:
    // truth.png and noisy.tif, small
    void SetUp() override {
        CliTest::SetUp();
        ASSERT_EQ(run({"synth", "-o", ".", "--image", "48x40", "--sigma", "20", "--seed", "3"}).status, 0);
    }

    static std::vector<std::string> command(const std::vector<std::string>& more = {},
                                            const std::string& input = "noisy.tif",
                                            const std::string& output = "clean.tif") {
        std::vector<std::string> arguments{"denoise", input, "-o", output, "--atoms", "32", "--max-patches", "300"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    std::string read(const std::string& name) const {
        std::ifstream file(folder_ / name);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    void expect_rejected(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
        const std::set<std::string> before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        for (const std::string& word : words)
            EXPECT_NE(outcome.err.find(word), std::string::npos) << "'" << word << "' is not in: " << outcome.err;
        EXPECT_EQ(files(), before);
    }
};

TEST_F(DenoiseVerb, WritesTheCleanImageAndAllRequestedFiles) {
    const nlohmann::json result = run_json(
        command({"--clean", "truth.png", "--std", "std.npy", "--report", "page.html", "--save-model", "m.h5"}));
    EXPECT_NEAR(result.at("noise_sd").get<double>(), 20.0, 5.0);  // an image this small has no flat region
    EXPECT_GT(result.at("psnr_after").get<double>(), result.at("psnr_before").get<double>() + 1.5);
    EXPECT_GT(result.at("ssim_after").get<double>(), result.at("ssim_before").get<double>());
    const Image clean = read_image(folder_ / "clean.tif");
    EXPECT_EQ(clean.width(), 48U);
    EXPECT_EQ(clean.height(), 40U);
    EXPECT_EQ(clean.samples, Samples::f32);
    EXPECT_GT(read_image(folder_ / "std.npy").planes[0](20, 20), 0.0);
    EXPECT_EQ(load_model(folder_ / "m.h5").patch.height, 8U);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "page.html"));
    EXPECT_GT(result.at("within_1_std").get<double>(), 0.3);
    EXPECT_GT(result.at("within_2_std").get<double>(), result.at("within_1_std").get<double>());
    const Image truth = read_image(folder_ / "truth.png");
    EXPECT_NEAR(psnr(truth, clean, 255.0), result.at("psnr_after").get<double>(), 1e-3);
    EXPECT_EQ(result.at("data_range"), 255.0);
}

// 12 bits in files of 16, as cameras write them: the peak is not 65535, and the program says what it is.
TEST_F(DenoiseVerb, ThePsnrOf16BitsHasTheRangeOfTheTruth) {
    Image truth = read_image(folder_ / "truth.png"), noisy = read_image(folder_ / "noisy.tif");
    for (Image* image : {&truth, &noisy}) {
        image->samples = Samples::u16;
        for (std::size_t i = 0; i < image->planes[0].size(); ++i) image->planes[0].data()[i] += 100.0;
    }
    truth.planes[0](0, 0) = 50.0;
    truth.planes[0](0, 1) = 4095.0;
    write_image(folder_ / "truth16.png", truth);
    write_image(folder_ / "noisy16.png", noisy);
    const auto words = command({"--clean", "truth16.png"}, "noisy16.png", "clean16.png");
    const nlohmann::json result = run_json(words);
    EXPECT_EQ(result.at("data_range"), 4045.0);
    const Image stored = read_image(folder_ / "noisy16.png");
    EXPECT_NEAR(result.at("psnr_before").get<double>(), psnr(truth, stored, 4045.0), 1e-9);
    EXPECT_NEAR(result.at("ssim_before").get<double>(), ssim(truth, stored, 4045.0), 1e-9);
    const Outcome outcome = run(words);
    EXPECT_NE(outcome.out.find("(range 50 to 4095)\n"), std::string::npos) << outcome.out;

    truth.planes[0] = Matrix(truth.height(), truth.width(), 200.0);
    write_image(folder_ / "flat16.png", truth);
    const Outcome flat = run(command({"--clean", "flat16.png"}, "noisy16.png", "clean16.png"));
    EXPECT_NE(flat.out.find("(range 1, because the truth is constant)\n"), std::string::npos) << flat.out;
}

TEST_F(DenoiseVerb, TheQualityBestIsTheDefaultAndTakesAnotherStage) {
    const nlohmann::json best = run_json(command({"--clean", "truth.png"}));
    const nlohmann::json fast = run_json(command({"--clean", "truth.png", "--quality", "fast"}));
    EXPECT_EQ(best.at("options").at("quality"), "best");
    EXPECT_EQ(fast.at("options").at("quality"), "fast");
    EXPECT_TRUE(best.at("stage_seconds").contains("groups"));
    EXPECT_FALSE(fast.at("stage_seconds").contains("groups"));
    EXPECT_NE(best.at("psnr_after"), fast.at("psnr_after"));
    EXPECT_EQ(run_json(command({"--clean", "truth.png", "--quality", "best"})).at("psnr_after"), best.at("psnr_after"));
}

TEST_F(DenoiseVerb, MemoryIsCheckedBeforeItIsTaken) {
    expect_rejected(command({"--memory", "10M"}), {"noisy.tif", "48 x 40 pixels", "of memory; --memory allows 10 MiB"});
    expect_rejected(command({"--memory", "much"}),
                    {"--memory", "'much' is not an amount of memory such as 8G or 500M"});
    expect_rejected(command({"--memory", "-1G"}), {"--memory"});
    expect_rejected({"learn", "noisy.tif", "-o", "m.h5", "--atoms", "4", "--memory", "0"}, {"--memory"});
    EXPECT_EQ(run(command({"--memory", "1g", "--sweeps", "2", "--quality", "fast", "-q"})).status, 0);
    std::filesystem::remove(folder_ / "clean.tif");
    // The header is enough: such files have no pixels, and would need 5 and 15 GiB for them.
    write("huge.pgm", "P5 16000 16000 255\n");
    write("huge.ppm", "P6 16000 16000 255\n");
    expect_rejected(command({"--memory", "4G"}, "huge.pgm"),
                    {"huge.pgm", "a grey image of 16000 x 16000 pixels", "--memory allows 4 GiB"});
    expect_rejected(command({"--memory", "10G"}, "huge.pgm"), {"huge.pgm", "cut off"});
    expect_rejected(command({"--memory", "10G"}, "huge.ppm"),
                    {"huge.ppm", "a colour image of 16000 x 16000 pixels", "--memory allows 10 GiB"});
    expect_rejected(command({"--memory", "100G"}, "huge.ppm"), {"huge.ppm", "cut off"});
}

// The report made with the image and the one made later from the model describe the same run.
TEST_F(DenoiseVerb, TheReportOfTheModelAgreesWithThatOfTheRun) {
    const std::string version = run({"--version"}).out;
    const std::string program = version.substr(0, version.size() - 1);
    for (const char* method : {"online", "bpfa"}) {
        const nlohmann::json result = run_json(command(
            {"--method", method, "--stride", "3", "--report", "run.html", "--save-model", "m.h5", "--sweeps", "6"}));
        ASSERT_EQ(run({"report", "m.h5", "-o", "model.html"}).status, 0);
        const Model model = load_model(folder_ / "m.h5");
        EXPECT_EQ(model.noise_sd, result.at("noise_sd").get<double>()) << method;
        EXPECT_EQ("sbdl " + model.program_version, program);
        const std::string noise = fmt::format("<dt>Noise found</dt><dd class=\"value\">{:.4g}<", model.noise_sd);
        for (const char* page : {"run.html", "model.html"}) {
            const std::string text = read(page);
            for (const std::string& part :
                 {"sbdl denoise noisy.tif -o clean.tif --atoms 32 --max-patches 300 --method " + std::string(method),
                  std::string("Command, seed, version and every option"), "<td>" + program + "</td>",
                  "Made by " + program + ".", std::string("<code>recipe</code></th><td>standard<"),
                  std::string("<code>quality</code></th><td>best<"), std::string("<code>stride</code></th><td>3<"),
                  std::string("<code>max_patches</code></th><td>300<"), noise})
                EXPECT_NE(text.find(part), std::string::npos) << method << ": '" << part << "' is not in " << page;
        }
    }
}

// A given model keeps the command that made it; the noise is that of the current image.
TEST_F(DenoiseVerb, AReportWithAGivenModelHasTheNoiseOfTheImage) {
    run_json(command({"--save-model", "m.h5"}));
    run_json({"denoise", "noisy.tif", "-o", "again.tif", "--model", "m.h5", "--sigma", "31.25", "--report", "page.html",
              "--save-model", "again.h5"});
    EXPECT_EQ(load_model(folder_ / "again.h5").command, load_model(folder_ / "m.h5").command);
    const std::string text = read("page.html");
    for (const char* part : {"<dd class=\"value\">31.25<", "sbdl denoise noisy.tif -o again.tif",
                             "Command that made the model", "sbdl denoise noisy.tif -o clean.tif"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST_F(DenoiseVerb, KeepsDepthAndFormat) {
    const nlohmann::json result = run_json(command({}, "truth.png", "clean.png"));  // almost no noise
    EXPECT_EQ(read_image(folder_ / "clean.png").samples, Samples::u8);
    EXPECT_GE(result.at("noise_sd").get<double>(), 0.0);
}

TEST_F(DenoiseVerb, AModelCanBeUsedAgain) {
    run_json(command({"--save-model", "m.h5"}));
    run_json({"denoise", "noisy.tif", "-o", "again.tif", "--model", "m.h5"});
    const Image first = read_image(folder_ / "clean.tif");
    const Image second = read_image(folder_ / "again.tif");
    for (std::size_t i = 0; i < first.planes[0].size(); ++i)
        ASSERT_EQ(first.planes[0].data()[i], second.planes[0].data()[i]);
    const std::vector<std::string> with_model{"denoise", "noisy.tif", "-o", "other.tif", "--model", "m.h5"};
    const auto and_also = [&](const std::string& option, const std::string& value) {
        std::vector<std::string> arguments = with_model;
        arguments.insert(arguments.end(), {option, value});
        return arguments;
    };
    expect_rejected(and_also("--patch", "6"), {"64 entries", "6 x 6"});
    expect_rejected(and_also("--method", "ksvd"), {"--method", "--model"});
    for (const char* option : {"--atoms", "--stride", "--max-patches", "--sweeps"})
        expect_rejected(and_also(option, "5"), {option, "--model"});
}

// What was found or said about the noise is in the JSON and on the terminal.
TEST_F(DenoiseVerb, SaysWhatTheNoiseIs) {
    const nlohmann::json white = run_json(command()).at("noise");
    EXPECT_EQ(white.at("kind"), "gaussian");
    EXPECT_EQ(white.at("planes").size(), 1U);
    EXPECT_EQ(white.at("correlation"), nlohmann::json::array({0.0}));
    const std::vector<std::string> known{"--gain", "2", "--read-noise", "15", "--offset", "-3"};
    const nlohmann::json said = run_json(command(known));
    EXPECT_EQ(said.at("noise").at("kind"), "poisson-gaussian");
    EXPECT_EQ(said.at("noise").at("planes").at(0).at("gain"), 2.0);
    EXPECT_EQ(said.at("noise").at("planes").at(0).at("offset"), -3.0);
    EXPECT_TRUE(said.at("noise_given").get<bool>());
    EXPECT_NE(run(command(known)).out.find("the noise grows with brightness: gain 2, read noise 15, offset -3"),
              std::string::npos);
    expect_rejected(command({"--noise", "gaussian", "--gain", "2"}, "noisy.tif", "other.tif"),
                    {"--gain", "brightness"});
    expect_rejected(command({"--sigma", "20", "--read-noise", "2"}, "noisy.tif", "other.tif"), {"--read-noise"});
    expect_rejected(command({"--noise", "pink"}, "noisy.tif", "other.tif"), {"pink", "poisson-gaussian"});
    expect_rejected(command({"--gain", "0"}, "noisy.tif", "other.tif"), {"gain", "0"});
}

// An 8 x 8 image: its only patch has weight 1, and the noisy image has the given weight.
TEST_F(DenoiseVerb, KeepsSomeOfTheNoisyImageWhenAsked) {
    run_json({"synth", "-o", ".", "--image", "8x8", "--sigma", "20", "--seed", "3"});
    const auto cleaned = [&](const std::string& weight) {
        run_json({"denoise", "noisy.tif", "-o", "clean.tif", "--recipe", "paper", "--method", "dct", "--sigma", "10",
                  "--keep-noisy", weight});
        return read_image(folder_ / "clean.tif").planes[0];
    };
    const Matrix noisy = read_image(folder_ / "noisy.tif").planes[0];
    const Matrix none = cleaned("0");
    const Matrix thrice = cleaned("3");
    for (std::size_t i = 0; i < noisy.size(); ++i)
        ASSERT_NEAR(thrice.data()[i], 0.25 * none.data()[i] + 0.75 * noisy.data()[i], 1e-4);
}

// The larger the tolerance, the more of the noisy image is removed.
TEST_F(DenoiseVerb, ThePapersPursuitStopsAtTheGivenTolerance) {
    const Matrix noisy = read_image(folder_ / "noisy.tif").planes[0];
    const auto removed = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"denoise", "noisy.tif", "-o",  "clean.tif", "--recipe",
                                           "paper",   "--method",  "dct", "--sigma",   "10"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        run_json(arguments);
        const Matrix clean = read_image(folder_ / "clean.tif").planes[0];
        double sum = 0.0;
        for (std::size_t i = 0; i < noisy.size(); ++i) sum += std::abs(clean.data()[i] - noisy.data()[i]);
        return sum;
    };
    const double usual = removed({});
    EXPECT_EQ(usual, removed({"--tolerance", "1.1"}));
    EXPECT_LT(removed({"--tolerance", "0.5"}), usual);
    EXPECT_GT(removed({"--tolerance", "1.15"}), usual);
}

TEST_F(DenoiseVerb, ReportsAnImageOfOnlyNoise) {
    Image flat;
    flat.planes.assign(1, Matrix(96, 96, 120.0));
    write_image(folder_ / "noise.tif", make_noisy(flat, 20.0, 4));
    const Outcome outcome = run({"denoise", "noise.tif", "-o", "none.tif", "--threads", "1"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("found       almost nothing but noise"), std::string::npos) << outcome.out;
}

TEST_F(DenoiseVerb, TheTruthMustHaveTheSameScale) {
    const Image eight = read_image(folder_ / "truth.png");
    Image sixteen = eight;
    sixteen.samples = Samples::u16;
    write_image(folder_ / "sixteen.png", sixteen);
    expect_rejected({"denoise", "sixteen.png", "-o", "x.png", "--clean", "truth.png"}, {"truth.png", "255", "65535"});
}

TEST_F(DenoiseVerb, AModelSetsTheSizeOfThePatches) {
    run_json(command({"--patch", "6", "--save-model", "six.h5"}));
    run_json({"denoise", "noisy.tif", "-o", "again.TIF", "--model", "six.h5"});
    EXPECT_EQ(run({"denoise", "noisy.tif", "-o", "again.tif", "--model", "six.h5", "--patch", "8"}).status, 2);
}

TEST_F(DenoiseVerb, ReportsAnImageWithoutNoise) {
    write("flat.pgm", "P5\n16 12\n255\n" + std::string(16 * 12, 'x'));
    const Outcome outcome = run({"denoise", "flat.pgm", "-o", "same.pgm", "--report", "page.html"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("found       no noise;"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("no report"), std::string::npos) << outcome.out;
    EXPECT_EQ(read_image(folder_ / "same.pgm").planes[0](3, 3), 'x');
    EXPECT_FALSE(std::filesystem::exists(folder_ / "page.html"));
}

TEST_F(DenoiseVerb, AFormatWithoutFloatsNamesTheOptionThatHelps) {
    expect_rejected(command({}, "noisy.tif", "clean.png"),
                    {"clean.png", "cannot hold float32 samples; .tif and .npy can, or --depth 8 rounds the values"});
    EXPECT_EQ(run(command({"--depth", "float"}, "noisy.tif", "clean.png")).err.find("or --depth 8"), std::string::npos);
    EXPECT_EQ(run(command({"--depth", "8", "-q"}, "noisy.tif", "clean.png")).status, 0);
}

TEST_F(DenoiseVerb, RejectsBadInput) {
    write("text.png", "this is not an image\n");
    write("tiny.pgm", "P5\n7 7\n255\n" + std::string(49, 'x'));
    expect_rejected(command({}, "text.png"), {"text.png"});
    expect_rejected(command({}, "missing.png"), {"missing.png"});
    expect_rejected(command({}, "tiny.pgm", "out.pgm"), {"7 x 7", "8 x 8"});
    expect_rejected(command({}, "noisy.tif", "clean.png"), {"clean.png"});  // float does not fit in a PNG
    expect_rejected(command({}, "noisy.tif", "clean.bmp"), {"clean.bmp"});
    expect_rejected(command({}, "noisy.tif", "nowhere/clean.tif"), {"nowhere"});
    expect_rejected(command({}, "noisy.tif", "noisy.tif"), {"noisy.tif"});
    expect_rejected(command({"--method", "magic"}), {"magic", "gibbs"});
    expect_rejected(command({"--sigma", "-3"}), {"sigma"});
    expect_rejected(command({"--patch", "0"}), {"patch"});
    expect_rejected(command({"--stride", "20"}), {"stride"});
    expect_rejected(command({"--recipe", "cake"}), {"--recipe is 'cake', must be standard or paper"});
    expect_rejected(command({"--quality", "good"}), {"--quality is 'good', must be fast or best"});
    expect_rejected(command({"--quality", "best", "--recipe", "paper"}), {"--quality", "recipe paper"});
    expect_rejected(command({"--clean", "tiny.pgm"}), {"tiny.pgm", "7 x 7"});
    expect_rejected({"denoise", "noisy.tif", "-o", "clean.tif", "--model", "truth.png"}, {"truth.png"});
    expect_rejected(command({"--method", "dct", "--sweeps", "5"}), {"--sweeps", "dct"});
    expect_rejected(command({"--tolerance", "1.15"}), {"--tolerance", "recipe paper"});
    expect_rejected(command({"--recipe", "paper", "--tolerance", "0"}), {"tolerance is 0"});
    expect_rejected(command({"--keep-noisy", "1"}), {"--keep-noisy", "recipe paper"});
    expect_rejected(command({"--recipe", "paper", "--keep-noisy", "some"}),
                    {"--keep-noisy is 'some', must be a number or auto"});
    expect_rejected(command({"--recipe", "paper", "--keep-noisy", "-1"}), {"--keep-noisy is -1"});
    expect_rejected(command({"--method", "online", "--lambda-s", "1"}),
                    {"--lambda-s does not apply to the method online"});
    expect_rejected(command({"--std", "std.png"}), {"std.png"});
    expect_rejected(command({"--std", "/dev/null"}), {"/dev/null", "is not the extension of an image format"});
    expect_rejected(command({"--std", "nowhere/std.npy"}), {"nowhere"});
    expect_rejected(command({"--report", "nowhere/page.html"}), {"nowhere"});
    expect_rejected(command({"--save-model", "nowhere/model.h5"}), {"nowhere"});
    expect_rejected(command({"--std", "./clean.tif"}), {"clean.tif: two outputs need two files"});
}

}  // namespace
}  // namespace sbdl::test
