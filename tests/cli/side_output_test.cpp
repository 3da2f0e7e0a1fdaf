// What a run writes beside its result may fail, for example on a full disk: the result is saved, and the exit status
// and one line tell.
#include "cli/program.hpp"
#include "sbdl/image_stack.hpp"
#include "sbdl/model.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

using SideOutput = CliTest;

std::size_t times_in(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

TEST_F(SideOutput, AFullDiskBehindTheTraceDoesNotCostTheModel) {
    make_data();
    const std::vector<std::string> words{"learn", "data/signals.npy", "--atoms", "8", "--sweeps", "16", "-o"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = words;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    ASSERT_EQ(run(with({"whole.h5"})).status, 0);
    for (const std::string quiet : {"--json", "--quiet"}) {
        const Outcome outcome = run(with({"model.h5", "--trace", "/dev/full", quiet}));
        EXPECT_EQ(outcome.status, 1) << outcome.err;
        EXPECT_EQ(times_in(outcome.err, "sbdl learn: /dev/full: writing the trace failed"), 1U) << outcome.err;
        EXPECT_EQ(times_in(outcome.err, "the model is saved"), 1U) << outcome.err;
        const Model model = load_model(folder_ / "model.h5"), whole = load_model(folder_ / "whole.h5");
        EXPECT_EQ(model.trace.sweep.size(), 16U) << "all sweeps were made";
        EXPECT_EQ(model.noise_sd, whole.noise_sd);
        if (quiet == "--json") {
            EXPECT_EQ(nlohmann::json::parse(outcome.out)["warnings"].size(), 1U);
        }
    }
    // On a disk that is full later: the limit is less than the trace has, and more than the model.
    const Outcome later = run(
        {"learn", "data/signals.npy", "--atoms", "8", "--sweeps", "2000", "-o", "model.h5", "--trace", "trace.jsonl"},
        250000);
    EXPECT_EQ(later.status, 1) << later.err;
    EXPECT_EQ(times_in(later.err, "trace.jsonl: writing the trace failed"), 1U) << later.err;
}

TEST_F(SideOutput, APageThatCannotBeWrittenDoesNotCostTheImage) {
    ASSERT_EQ(run({"synth", "-o", ".", "--image", "48x40", "--sigma", "20", "--seed", "3", "-q"}).status, 0);
    const std::vector<std::string> words{"denoise",  "noisy.tif", "-o",           "clean.tif",
                                         "--method", "dct",       "--save-model", "model.h5",
                                         "--report", "/dev/full", "--checkpoint", "run.ckpt"};
    for (const std::string quiet : {"--json", "--quiet"}) {
        std::vector<std::string> command = words;
        command.push_back(quiet);
        const Outcome outcome = run(command);
        EXPECT_EQ(outcome.status, 1) << outcome.err;
        EXPECT_EQ(times_in(outcome.err, "sbdl denoise: /dev/full: cannot be written"), 1U) << outcome.err;
        EXPECT_EQ(times_in(outcome.err, "the image is saved"), 1U) << outcome.err;
        EXPECT_EQ(files(), (std::set<std::string>{"truth.png", "noisy.tif", "synth.json", "clean.tif", "model.h5"}));
        std::filesystem::remove(folder_ / "clean.tif");
        if (quiet == "--quiet") continue;
        const auto result = nlohmann::json::parse(outcome.out);
        EXPECT_FALSE(result.contains("report"));
        EXPECT_EQ(result["warnings"].size(), 1U);
    }
}

TEST_F(SideOutput, NorTheStack) {
    const auto writer = write_pages(folder_ / "noisy.tif", make_image(32, 24, false, 3), 2);
    for (std::uint64_t page = 0; page < 2; ++page) writer->add(make_noisy(make_image(32, 24, false, 3), 20.0, page));
    writer->commit();
    const Outcome outcome =
        run({"denoise", "noisy.tif", "-o", "clean.tif", "--method", "dct", "--report", "/dev/full", "--quiet"});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_EQ(times_in(outcome.err, "/dev/full: cannot be written"), 1U) << outcome.err;
    EXPECT_EQ(times_in(outcome.err, "the stack is saved"), 1U) << outcome.err;
    EXPECT_EQ(files(), (std::set<std::string>{"noisy.tif", "clean.tif"})) << "nothing is left to resume";
}

}  // namespace
}  // namespace sbdl::test
