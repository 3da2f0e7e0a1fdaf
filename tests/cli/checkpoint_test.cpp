// `learn --checkpoint`: a run that is killed at any moment and resumed ends with the same model, bit for bit. The
// program is killed with SIGKILL, so nothing can be tidied up on the way out.
#include <hdf5.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "base/atomic_file.hpp"
#include "cli/program.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// All datasets and attributes of an HDF5 file by their paths, as the bytes that are stored.
using StoredValues = std::map<std::string, std::string>;

struct AttributeVisit {
    StoredValues* values;
    std::string path;
};

std::string bytes_for(hid_t space, hid_t type) {
    return std::string(std::size_t(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type), '\0');
}

herr_t store_attribute(hid_t owner, const char* name, const H5A_info_t*, void* data) {
    const auto& visit = *static_cast<const AttributeVisit*>(data);
    const hid_t attribute = H5Aopen(owner, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    std::string bytes = bytes_for(space, type);
    const herr_t status = H5Aread(attribute, type, bytes.data());
    (*visit.values)[visit.path + "@" + name] = bytes;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return status;
}

herr_t store_object(hid_t file, const char* path, const H5L_info_t*, void* data) {
    auto& values = *static_cast<StoredValues*>(data);
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    herr_t status = 0;
    if (H5Iget_type(object) == H5I_DATASET) {
        const hid_t type = H5Dget_type(object);
        const hid_t space = H5Dget_space(object);
        std::string bytes = bytes_for(space, type);
        status = H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
        values[path] = bytes;
        H5Sclose(space);
        H5Tclose(type);
    }
    AttributeVisit visit{&values, path};
    if (status >= 0) status = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, store_attribute, &visit);
    H5Oclose(object);
    return status;
}

StoredValues stored_values(const fs::path& path) {
    StoredValues values;
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_GE(file, 0) << path;
    if (file < 0) return values;
    AttributeVisit visit{&values, ""};
    EXPECT_GE(H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, store_attribute, &visit), 0);
    EXPECT_GE(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, store_object, &values), 0);
    H5Fclose(file);
    // How a run was started and how long it took are the only things that resuming may change.
    std::erase_if(values, [](const auto& entry) {
        return entry.first.ends_with("@command") || entry.first.find("seconds") != std::string::npos;
    });
    return values;
}

/// The names of all values that differ; empty when the two files are identical bit for bit.
std::set<std::string> differing_values(const StoredValues& a, const StoredValues& b) {
    std::set<std::string> names;
    for (const auto& [name, bytes] : a)
        if (const auto other = b.find(name); other == b.end() || other->second != bytes) names.insert(name);
    for (const auto& [name, bytes] : b)
        if (!a.contains(name)) names.insert(name);
    return names;
}

/// No value when there is no such file.
std::optional<std::string> file_bytes(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open()) return {};
    return std::string(std::istreambuf_iterator<char>(file), {});
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SBDL_SLOW_BUILD
#endif
#endif
#if defined(SBDL_SLOW_BUILD) || defined(__SANITIZE_ADDRESS__)
constexpr int kill_count = 4;
#else
constexpr int kill_count = 20;
#endif

struct CheckpointedMethod {
    const char* name;
    std::vector<std::string> options;
};

void PrintTo(const CheckpointedMethod& method, std::ostream* out) {
    *out << method.name;
}

// Runs with two chains and the phases of vb have boundaries at which a run can be killed, too.
const CheckpointedMethod checkpointed_gibbs{"gibbs", {"--chains", "2", "--burn-in", "15", "--draws", "10"}};
const CheckpointedMethod checkpointed_methods[] = {
    checkpointed_gibbs,
    {"vb", {"--start-sweeps", "25", "--sweeps", "15", "--tolerance", "0", "--closing-sweeps", "40"}},
    {"bpfa", {"--chains", "2", "--burn-in", "15", "--draws", "10"}},
    {"ksvd", {"--sparsity", "3", "--sweeps", "40"}},
    {"online", {"--sparsity", "3", "--sweeps", "40"}},
};

class CheckpointTest : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_signals("7");
    }

    void make_signals(const std::string& seed) const {
        const Outcome outcome = run({"synth", "-o", "data", "--dim", "12", "--atoms", "20", "--signals", "1000",
                                     "--sparsity", "3", "--snr", "20", "--seed", seed, "--quiet"});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }

    /// The command that learns into model.h5, with a checkpoint after each sweep.
    static std::vector<std::string> learn(const CheckpointedMethod& method, const std::string& threads = "2") {
        std::vector<std::string> all = learn_without_checkpoint(method, "model.h5");
        for (const char* word : {"--checkpoint", "run.ckpt", "--checkpoint-every", "0s", "--threads"})
            all.emplace_back(word);
        all.push_back(threads);
        return all;
    }
    static std::vector<std::string> learn_without_checkpoint(const CheckpointedMethod& method,
                                                             const std::string& model) {
        std::vector<std::string> all{"learn",        "data/signals.npy", "-o",      model,
                                     "--method",     method.name,        "--atoms", "20",
                                     "--keep-codes", "--quiet",          "--seed",  "3"};
        all.insert(all.end(), method.options.begin(), method.options.end());
        return all;
    }
    static std::vector<std::string> resume(const std::vector<std::string>& more = {"--quiet"}) {
        std::vector<std::string> all{"learn", "--resume", "run.ckpt"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    [[nodiscard]] bool has_checkpoint() const { return fs::exists(folder_ / "run.ckpt"); }

    /// What an uninterrupted run without checkpoints learns.
    StoredValues undisturbed(const CheckpointedMethod& method) const {
        const Outcome outcome = run(learn_without_checkpoint(method, "undisturbed.h5"));
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return stored_values(folder_ / "undisturbed.h5");
    }
    void expect_model(const StoredValues& expected) const {
        EXPECT_EQ(differing_values(stored_values(folder_ / "model.h5"), expected), std::set<std::string>{});
    }

    void expect_success(const std::vector<std::string>& command) const {
        const Outcome outcome = run(command);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
    }
    /// Exit status 2, and all of these texts in the message.
    void expect_rejected(const std::vector<std::string>& command, const std::vector<std::string>& texts) const {
        const Outcome outcome = run(command);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        for (const std::string& text : texts)
            EXPECT_NE(outcome.err.find(text), std::string::npos) << "no '" << text << "' in: " << outcome.err;
    }

    /// Kills the program after this time. True when it had already ended.
    [[nodiscard]] bool finishes_before_kill(const std::vector<std::string>& command, Seconds time) const {
        Program program(folder_, command);
        if (!program.ends_within(std::chrono::duration_cast<std::chrono::nanoseconds>(time))) program.send(SIGKILL);
        const Outcome outcome = program.finish();
        EXPECT_TRUE(outcome.status == 0 || outcome.status == -SIGKILL) << outcome.status << ": " << outcome.err;
        return outcome.status == 0;
    }

    /// Starts the command and kills it once it has left a checkpoint; repeats if it ended first.
    void leave_checkpoint(const std::vector<std::string>& command) const {
        for (int attempt = 0; attempt < 20; ++attempt) {
            Program program(folder_, command);
            while (!has_checkpoint() && !program.ends_within(std::chrono::milliseconds(1))) {
            }
            program.send(SIGKILL);
            const Outcome outcome = program.finish();
            ASSERT_TRUE(outcome.status == 0 || outcome.status == -SIGKILL) << outcome.status << ": " << outcome.err;
            fs::remove(folder_ / "model.h5");
            if (has_checkpoint()) return;
        }
        FAIL() << "always ended before it could be killed";
    }
};

class KilledRun : public CheckpointTest, public testing::WithParamInterface<CheckpointedMethod> {};

TEST_P(KilledRun, LearnsTheSameOnceResumed) {
    const StoredValues expected = undisturbed(GetParam());
    const auto start = Clock::now();
    expect_success(learn(GetParam()));
    const Seconds whole_run = Clock::now() - start;
    expect_model(expected);
    ASSERT_FALSE(has_checkpoint()) << "a run that has finished leaves no checkpoint";

    std::mt19937_64 generator(2024);
    std::uniform_real_distribution<double> within(0.0, 1.0);
    int resumed = 0;
    for (int kill = 0; kill < kill_count && !HasFailure(); ++kill) {
        // One moment in each part of the run; the first is at the very start.
        const Seconds moment = kill == 0 ? Seconds(0) : whole_run * (kill + within(generator)) / kill_count;
        SCOPED_TRACE(testing::Message() << "killed after " << moment.count() << " s of " << whole_run.count());
        fs::remove(folder_ / "model.h5");
        bool finished = finishes_before_kill(learn(GetParam()), moment);
        int kills_left = kill % 3;  // of the runs that resume it
        while (!finished && !HasFailure()) {
            if (!has_checkpoint()) {
                expect_rejected(resume(), {"run.ckpt"});
                expect_success(learn(GetParam()));
                finished = true;
            } else if (kills_left-- > 0) {
                finished = finishes_before_kill(resume(), whole_run * within(generator));
                ++resumed;
            } else {
                expect_success(resume({"--quiet", "--threads", kill % 2 == 0 ? "1" : "2"}));
                finished = true;
                ++resumed;
            }
        }
        expect_model(expected);
        EXPECT_FALSE(has_checkpoint());
    }
    EXPECT_GT(resumed, 0) << "no run was killed between its first checkpoint and its end";
}

TEST_P(KilledRun, LearnsTheSameWithAnotherNumberOfThreads) {
    const StoredValues expected = undisturbed(GetParam());
    for (const auto& [first, then] : {std::pair{"1", "2"}, std::pair{"2", "1"}}) {
        ASSERT_NO_FATAL_FAILURE(leave_checkpoint(learn(GetParam(), first)));
        expect_success(resume({"--quiet", "--threads", then}));
        expect_model(expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, KilledRun, testing::ValuesIn(checkpointed_methods),
                         [](const auto& method) { return std::string(method.param.name); });

// Reading the file while a run replaces it yields one complete checkpoint or the other.
TEST_F(CheckpointTest, IsNeverSeenHalfWritten) {
    const CheckpointedMethod few_sweeps{"gibbs", {"--burn-in", "8", "--draws", "7"}};  // all of them are resumed below
    const StoredValues expected = undisturbed(few_sweeps);
    std::set<std::string> seen;
    {
        Program program(folder_, learn(few_sweeps));
        while (!program.ends_within(std::chrono::nanoseconds(0)))
            if (const auto bytes = file_bytes(folder_ / "run.ckpt")) seen.insert(*bytes);
        const Outcome outcome = program.finish();
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    EXPECT_FALSE(seen.empty());
    for (const std::string& bytes : seen) {
        write("run.ckpt", bytes);
        fs::remove(folder_ / "model.h5");
        expect_success(resume());
        expect_model(expected);
        if (HasFailure()) break;
    }
}

TEST_F(CheckpointTest, ResumedRunTellsWhatAnUndisturbedOneTells) {
    const auto expected = run_json(learn_without_checkpoint(checkpointed_gibbs, "model.h5"));
    ASSERT_NO_FATAL_FAILURE(leave_checkpoint(learn(checkpointed_gibbs)));
    const auto result = run_json(resume());
    for (const char* key : {"model", "method", "atoms", "signals", "noise_sd", "noise_sd_std", "chains", "sweeps",
                            "stop_reason", "interrupted", "seed", "options", "warnings"})
        EXPECT_EQ(result[key], expected[key]) << key;
}

TEST_F(CheckpointTest, RejectsOtherSignals) {
    ASSERT_NO_FATAL_FAILURE(leave_checkpoint(learn(checkpointed_gibbs)));
    make_signals("8");
    expect_rejected(resume(), {"data/signals.npy", "changed"});
    fs::remove(folder_ / "data/signals.npy");
    expect_rejected(resume(), {"data/signals.npy"});
    EXPECT_TRUE(has_checkpoint()) << "the signals may come back";
    make_signals("7");
    expect_success(resume());
    EXPECT_FALSE(has_checkpoint());
}

TEST_F(CheckpointTest, RejectsOtherOptions) {
    ASSERT_NO_FATAL_FAILURE(leave_checkpoint(learn(checkpointed_gibbs)));
    for (const auto& [option, value] : {std::pair{"--atoms", "21"}, std::pair{"--draws", "5"}, std::pair{"--seed", "4"},
                                        std::pair{"--method", "vb"}, std::pair{"-o", "other.h5"}})
        expect_rejected(resume({option, value}), {option == std::string("-o") ? "--output" : option, "--resume"});
    expect_rejected({"learn", "data/signals.npy", "--resume", "run.ckpt"}, {"--resume"});
    EXPECT_TRUE(has_checkpoint());
    EXPECT_FALSE(files().contains("model.h5"));
}

// Damage is detected, or it was in a byte that does not matter.
TEST_F(CheckpointTest, RejectsDamage) {
    const StoredValues expected = undisturbed(checkpointed_gibbs);
    ASSERT_NO_FATAL_FAILURE(leave_checkpoint(learn(checkpointed_gibbs)));
    const std::string whole = file_bytes(folder_ / "run.ckpt").value_or("");
    ASSERT_FALSE(whole.empty());
    for (std::size_t part = 0; part < 16 && !HasFailure(); ++part) {
        std::string flipped = whole;
        flipped[part * (whole.size() - 1) / 15] ^= 1;
        SCOPED_TRACE(part);
        write("run.ckpt", flipped);
        fs::remove(folder_ / "model.h5");
        const Outcome outcome = run(resume());
        if (outcome.status == 0) {
            expect_model(expected);
        } else {
            EXPECT_EQ(outcome.status, 2) << outcome.err;
            EXPECT_NE(outcome.err.find("run.ckpt"), std::string::npos) << outcome.err;
        }
    }
    for (const std::size_t length : {whole.size() - 1, whole.size() / 2, std::size_t(1), std::size_t(0)}) {
        write("run.ckpt", whole.substr(0, length));
        expect_rejected(resume(), {"run.ckpt"});
    }
}

TEST_F(CheckpointTest, RejectsAnotherVersionOfTheProgram) {
    ASSERT_NO_FATAL_FAILURE(leave_checkpoint(learn(checkpointed_gibbs)));
    const std::string result = run({"--version"}).out;  // such as "sbdl 0.2.0 (0123456789ab)"
    const std::size_t digit = result.find_first_of("0123456789");
    ASSERT_NE(digit, std::string::npos) << result;
    const std::string version = result.substr(digit, result.find_first_of(" \n", digit) - digit);

    std::string bytes = file_bytes(folder_ / "run.ckpt").value_or("");
    const std::size_t place = bytes.find(version);
    ASSERT_NE(place, std::string::npos) << "the checkpoint does not hold the version " << version;
    bytes[place] ^= 1;
    write("run.ckpt", bytes);
    expect_rejected(resume(), {"run.ckpt"});
    EXPECT_TRUE(has_checkpoint());
}

TEST_F(CheckpointTest, RejectsFilesOfOtherKinds) {
    expect_success(learn_without_checkpoint(checkpointed_gibbs, "model.h5"));
    write("notes.txt", "not a checkpoint\n");
    write("empty.ckpt", "");
    fs::create_directory(folder_ / "folder.ckpt");
    for (const char* name : {"model.h5", "data/signals.npy", "notes.txt", "empty.ckpt", "folder.ckpt"})
        expect_rejected({"learn", "--resume", name}, {name, "checkpoint"});
    expect_rejected({"learn", "--resume", "missing.ckpt"}, {"missing.ckpt"});
}

// What a new run would overwrite and remove at its end may be all that is left of another one.
TEST_F(CheckpointTest, IsNotWrittenOverAFileThatExists) {
    ASSERT_NO_FATAL_FAILURE(leave_checkpoint(learn(checkpointed_gibbs)));
    const auto before = file_bytes(folder_ / "run.ckpt");
    expect_rejected(learn(checkpointed_gibbs), {"run.ckpt: exists", "sbdl learn --resume run.ckpt"});
    EXPECT_EQ(file_bytes(folder_ / "run.ckpt"), before);
    expect_success(resume());
    std::vector<std::string> over_start = learn_without_checkpoint(checkpointed_gibbs, "second.h5");
    for (const char* word : {"--start", "model.h5", "--checkpoint", "model.h5"}) over_start.emplace_back(word);
    expect_rejected(over_start, {"model.h5: exists"});
    EXPECT_TRUE(files().contains("model.h5"));
}

TEST_F(CheckpointTest, IntervalWithoutACheckpointIsRejected) {
    std::vector<std::string> command = learn_without_checkpoint(checkpointed_gibbs, "model.h5");
    command.insert(command.end(), {"--checkpoint-every", "5s"});
    expect_rejected(command, {"--checkpoint-every", "without --checkpoint"});
}

TEST_F(CheckpointTest, AKilledWriterLeavesNothingBehindForLong) {
    ASSERT_NO_FATAL_FAILURE(leave_checkpoint(learn(checkpointed_gibbs)));
    const std::string own = AtomicFile(folder_ / "run.ckpt").temporary().filename().string();
    const std::string prefix = own.substr(0, own.find('-') + 1);
    // No process can have such a number; process 1 always runs.
    const std::string of_none = prefix + "2147483646-3.tmp", of_another = prefix + "1-3.tmp";
    write(of_none, "half of a checkpoint");
    write(of_another, "somebody is writing this");
    write(".run.ckpt.notes.tmp", "not ours");
    expect_success(resume());
    EXPECT_FALSE(files().contains(of_none));
    EXPECT_TRUE(files().contains(of_another));
    EXPECT_TRUE(files().contains(".run.ckpt.notes.tmp"));
}

TEST_F(CheckpointTest, ARunThatReachedItsTimeLimitHasItAnewWhenResumed) {
    const CheckpointedMethod long_gibbs{"gibbs", {"--burn-in", "40000", "--draws", "40000"}};
    std::vector<std::string> command = learn_without_checkpoint(long_gibbs, "model.h5");
    command.insert(command.end(), {"--time-limit", "0.3", "--checkpoint", "run.ckpt"});
    const auto first = run_json(command);
    ASSERT_EQ(first["stop_reason"], "time_limit");
    const auto second = run_json(resume());
    EXPECT_EQ(second["stop_reason"], "time_limit");
    EXPECT_GT(second["sweeps"].get<int>(), first["sweeps"].get<int>() + 1);
}

}  // namespace
}  // namespace sbdl::test
