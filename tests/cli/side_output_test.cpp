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

class FullDisk : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        for (const char* name : {"full.tif", "full.h5", "full.npy"})
            std::filesystem::create_symlink("/dev/full", folder_ / name);
        ASSERT_EQ(run({"synth", "-o", "data", "--image", "48x40", "--sigma", "20", "--seed", "3", "-q"}).status, 0);
        before_ = files();
    }
    /// Runs the command. It has to end with 1, with these files, and with one line about each of the failed ones.
    nlohmann::json expect(const std::vector<std::string>& command, Names written, const Names& failed,
                          const std::string& saved) const {
        const Outcome outcome = run(command);
        EXPECT_EQ(outcome.status, 1) << outcome.err;
        for (const std::string& name : failed) EXPECT_EQ(times_in(outcome.err, ": " + name), 1U) << outcome.err;
        EXPECT_EQ(times_in(outcome.err, saved), failed.size()) << outcome.err;
        written.insert(before_.begin(), before_.end());
        EXPECT_EQ(files(), written);
        for (const std::string& name : written)
            if (!before_.contains(name)) std::filesystem::remove_all(folder_ / name);
        return outcome.out.empty() ? nlohmann::json() : nlohmann::json::parse(outcome.out);
    }
    Names before_;
};

TEST_F(FullDisk, BehindOneOutputOfDenoiseDoesNotCostTheOthers) {
    const std::vector<std::string> denoise{"denoise", "data/noisy.tif", "--method", "dct", "--quality", "fast"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = denoise;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    const auto object =
        expect(with({"-o", "c.tif", "--std", "full.tif", "--save-model", "m.h5", "--report", "r.html", "--json"}),
               {"c.tif", "m.h5", "r.html"}, {"full.tif"}, "; the image is saved");
    EXPECT_FALSE(object.contains("std"));
    EXPECT_EQ(object["image"], "c.tif");
    EXPECT_EQ(object["warnings"].size(), 1U);
    EXPECT_FALSE(expect(with({"-o", "full.tif", "--save-model", "m.h5", "--std", "s.tif", "--json"}), {"m.h5", "s.tif"},
                        {"full.tif"}, "; only s.tif, m.h5 are saved")
                     .contains("image"));
    expect(with({"-o", "c.tif", "--save-model", "full.h5", "--report", "r.html", "-q"}), {"c.tif", "r.html"},
           {"full.h5"}, "; the image is saved");
    expect(with({"-o", "c.tif", "--std", "full.tif", "--save-model", "full.h5", "-q"}), {"c.tif"},
           {"full.tif", "full.h5"}, "; the image is saved");
    const Outcome alone = run(with({"-o", "full.tif"}));
    EXPECT_EQ(alone.status, 2) << "nothing is saved: " << alone.err;
}

TEST_F(FullDisk, BehindOneOutputOfInpaintDoesNotCostTheOthers) {
    const Image page = make_image(40, 32, false, 3);
    Image mask;
    mask.planes.emplace_back(page.height(), page.width());
    for (std::size_t i = 0; i < mask.planes[0].size(); ++i)
        mask.planes[0].data()[i] = (i * i / 7 + i) % 3 == 0 ? 255.0 : 0.0;
    write_image(folder_ / "mask.png", mask);
    write_image(folder_ / "one.tif", page);
    const auto writer = write_pages(folder_ / "two.tif", page, 2);
    for (int i = 0; i < 2; ++i) writer->add(page);
    writer->commit();
    before_ = files();
    const auto inpaint = [](const std::string& input, const std::vector<std::string>& more) {
        std::vector<std::string> all{"inpaint", input, "--mask", "mask.png", "--rounds", "1", "--group", "20"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    expect(inpaint("one.tif", {"-o", "c.tif", "--std", "full.tif", "--report", "r.html", "-q"}), {"c.tif", "r.html"},
           {"full.tif"}, "; the image is saved");
    expect(inpaint("one.tif", {"-o", "full.tif", "--std", "s.tif", "--json"}), {"s.tif"}, {"full.tif"},
           "; only s.tif is saved");
    // The pages of a stack are kept, so that the missing file can be written later.
    const auto with_pages = [](const std::string& written, const std::string& target) {
        Names names{written, target + ".checkpoint", target + ".checkpoint.pages"};
        for (const char* number : {"/page-00001", "/page-00002"})
            for (const char* kind : {".tif", "-std.tif"}) names.insert(target + ".checkpoint.pages" + number + kind);
        return names;
    };
    expect(inpaint("two.tif", {"-o", "c.tif", "--std", "full.tif", "--json"}), with_pages("c.tif", "c.tif"),
           {"full.tif"}, "; the stack is saved");
    expect(inpaint("two.tif", {"-o", "full.tif", "--std", "s.tif", "-q"}), with_pages("s.tif", "full.tif"),
           {"full.tif"}, "; only s.tif is saved");
    EXPECT_EQ(run(inpaint("two.tif", {"-o", "full.tif"})).status, 2);
}

TEST_F(FullDisk, BehindOneOutputOfAStackDoesNotCostTheOthers) {
    const auto writer = write_pages(folder_ / "noisy.tif", make_image(32, 24, false, 3), 2);
    for (std::uint64_t page = 0; page < 2; ++page) writer->add(make_noisy(make_image(32, 24, false, 3), 20.0, page));
    writer->commit();
    before_ = files();
    const Outcome outcome = run({"denoise", "noisy.tif", "-o", "s.tif", "--std", "full.tif", "--save-model", "m.h5",
                                 "--report", "r.html", "--method", "dct"});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_EQ(times_in(outcome.err, "full.tif: cannot be written"), 1U) << outcome.err;
    EXPECT_NE(outcome.out.find("to resume: sbdl denoise --resume s.tif.checkpoint"), std::string::npos) << outcome.out;
    for (const char* name : {"s.tif", "m.h5", "r.html"}) EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
    std::filesystem::remove(folder_ / "full.tif");  // and there is room
    EXPECT_EQ(run({"denoise", "--resume", "s.tif.checkpoint", "-q"}).status, 0);
    EXPECT_EQ(open_pages(folder_ / "full.tif")->count(), 2U);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "s.tif.checkpoint"));
}

TEST_F(FullDisk, BehindTheModelDoesNotCostTheReconstruction) {
    make_data();
    before_ = files();
    const std::vector<std::string> learn{"learn", "data/signals.npy", "--atoms", "8", "--sweeps", "16", "--json"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = learn;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    EXPECT_FALSE(
        expect(with({"-o", "full.h5", "--reconstruct", "r.npy"}), {"r.npy"}, {"full.h5"}, "; only r.npy is saved")
            .contains("model"));
    EXPECT_EQ(expect(with({"-o", "m.h5", "--reconstruct", "full.npy"}), {"m.h5"}, {"full.npy"},
                     "; the model is saved")["model"],
              "m.h5");
}

TEST_F(FullDisk, BehindCheckpointsDoesNotCostTheModelOrTheImage) {
    ASSERT_EQ(run({"synth", "-o", "many", "--dim", "6", "--atoms", "8", "--signals", "4000", "-q"}).status, 0);
    before_ = files();
    constexpr std::size_t limit = 100000;  // more than a model has, and less than a checkpoint
    const Outcome learned = run({"learn", "many/signals.npy", "-o", "model.h5", "--atoms", "8", "--sweeps", "6",
                                 "--quiet", "--checkpoint", "run.ckpt", "--checkpoint-every", "0s"},
                                limit);
    EXPECT_EQ(learned.status, 1) << learned.err;
    EXPECT_EQ(times_in(learned.err, "run.ckpt"), 1U) << learned.err;
    EXPECT_EQ(times_in(learned.err, "; the run went on without checkpoints, and the model is saved"), 1U)
        << learned.err;
    EXPECT_EQ(load_model(folder_ / "model.h5").trace.sweep.size(), 6U);
    for (const std::string method : {"online", "dct"}) {  // in the learning, and in the passes over the patches
        const Outcome cleaned = run({"denoise", "data/noisy.tif", "-o", "clean.tif", "--method", method, "--json",
                                     "--quality", "fast", "--checkpoint", "run.ckpt", "--checkpoint-every", "0s"},
                                    20000);
        EXPECT_EQ(cleaned.status, 1) << cleaned.err;
        EXPECT_EQ(times_in(cleaned.err, "; the run went on without checkpoints"), 1U) << cleaned.err;
        EXPECT_EQ(nlohmann::json::parse(cleaned.out)["warnings"].size(), 1U) << cleaned.out;
        EXPECT_TRUE(std::filesystem::remove(folder_ / "clean.tif"));
    }
    Names left = before_;
    left.insert("model.h5");
    EXPECT_EQ(files(), left);
}

}  // namespace
}  // namespace sbdl::test
