#include "run/checkpoint_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"
#include "base/compute_scope.hpp"
#include "sbdl/error.hpp"
#include "sbdl/version.hpp"

namespace sbdl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t checkpoint_version = 1;

/// What stands before the state of the run.
struct Head {
    std::string magic = "sbdl checkpoint";
    std::uint32_t version = checkpoint_version;
    std::string program = sbdl::version();
    std::string note, stage, fingerprint, instructions;

    void archive(StateArchive& archive) {
        archive("magic", magic);
        archive("version", version);
        archive("program", program);
        archive("note", note);
        archive("stage", stage);
        archive("fingerprint", fingerprint);
        archive("instructions", instructions);
    }
};

Head read_head(const std::filesystem::path& path, StateArchive& archive) {
    Head head;
    try {
        head.archive(archive);
    } catch (const FileError&) {
        throw FileError(fmt::format("{}: is not an sbdl checkpoint, or is damaged", path.string()));
    }
    if (head.magic != Head().magic) throw FileError(fmt::format("{}: is not an sbdl checkpoint", path.string()));
    if (head.version != checkpoint_version)
        throw FileError(fmt::format("{}: has checkpoint version {}, sbdl {} reads version {}", path.string(),
                                    head.version, SBDL_VERSION, checkpoint_version));
    archive.verify();
    if (head.program != Head().program)
        throw FileError(fmt::format("{}: this checkpoint was written by sbdl {}, and this is sbdl {}", path.string(),
                                    head.program, Head().program));
    return head;
}

Json start_json(const Model* start) {
    if (start == nullptr) return nullptr;
    std::uint64_t hash = hash_bytes(start->dictionary.data(), start->dictionary.size() * sizeof(double));
    hash = hash_bytes(start->atom_norm.data(), start->atom_norm.size() * sizeof(double), hash);
    hash = hash_bytes(&start->noise_sd, sizeof start->noise_sd, hash);
    return fmt::format("{:016x}", hash);
}

/// The first thing that differs, in words.
std::string difference(const std::string& before, const std::string& now, const std::string& signals) {
    const Json old = Json::parse(before, nullptr, /*allow_exceptions=*/false), fresh = Json::parse(now);
    if (!old.is_object()) return "its fingerprint cannot be read";
    for (const auto& [key, value] : fresh.items()) {
        const Json was = old.value(key, Json());
        if (was == value) continue;
        if (key == "data") return fmt::format("{} has changed since", signals);
        if (key != "options") return fmt::format("{} was {}, and is {} now", key, was.dump(), value.dump());
        for (const auto& [name, option] : value.items())
            if (was.value(name, Json()) != option)
                return fmt::format("option {} was {}, and is {} now", name, was.value(name, Json()).dump(),
                                   option.dump());
    }
    return "it differs";
}

}  // namespace

void write_checkpoint(const Checkpoint& checkpoint, const std::string& fingerprint,
                      const std::function<void(StateArchive&)>& state) {
    AtomicFile file(checkpoint.path);
    StateArchive archive(file);
    Head head;
    head.note = checkpoint.note;
    head.stage = checkpoint.stage;
    head.fingerprint = fingerprint;
    head.instructions = wanted_instruction_set();
    head.archive(archive);
    state(archive);
    archive.finish();
    file.commit();
}

bool read_checkpoint(const Checkpoint& checkpoint, const std::string& fingerprint, const std::string& data_name,
                     const std::function<void(StateArchive&)>& state, std::vector<std::string>* warnings) {
    StateArchive archive(checkpoint.path);
    const Head head = read_head(checkpoint.path, archive);
    if (head.stage != checkpoint.stage) return false;
    if (head.fingerprint != fingerprint)
        throw InputError(fmt::format("{}: this checkpoint belongs to another run: {}", checkpoint.path.string(),
                                     difference(head.fingerprint, fingerprint, data_name)));
    if (warnings != nullptr && head.instructions != wanted_instruction_set())
        warnings->push_back(fmt::format(
            "the run was begun with {} instructions and goes on with {}: the result will differ in its last "
            "digits from that of an undisturbed run",
            head.instructions, wanted_instruction_set()));
    state(archive);
    archive.finish();
    return true;
}

CheckpointFile::CheckpointFile(const Context& context, const Model& model, const SignalSource& source,
                               const std::optional<SignalFacts>& facts)
    : context_(context), signals_(source.name()) {
    if (context.checkpoint.path.empty()) {
        if (context.checkpoint.resume) throw InputError("resume: no checkpoint is named");
        return;
    }
    const std::uint64_t data = facts ? facts->hash : hash_signals(source);
    fingerprint_ = Json{{"method", model.method},
                        {"options", Json::parse(model.options_json)},
                        {"seed", model.seed},
                        {"kernels", context.execution.kernels},
                        {"data", fmt::format("{:016x} {} x {}", data, source.count(), source.dim())},
                        {"model to start from", start_json(context.start)},
                        {"reconstruct", context.reconstruct}}
                       .dump();
}

void CheckpointFile::after_sweep(Run& run, RunMonitor& monitor) {
    if (context_.checkpoint.path.empty() || run.done()) return;
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - last_).count() < context_.checkpoint.every_s) return;
    write(run, monitor);
    last_ = std::chrono::steady_clock::now();  // what writing took does not count
}

void CheckpointFile::on_stop(Run& run, RunMonitor& monitor) const {
    if (!context_.checkpoint.path.empty() && !run.done()) write(run, monitor);
}

void CheckpointFile::write(Run& run, RunMonitor& monitor) const {
    if (passed_over_) return;
    write_checkpoint(context_.checkpoint, fingerprint_, [&](StateArchive& archive) {
        monitor.archive(archive);
        run.archive(archive);
    });
}

void CheckpointFile::load(Run& run, RunMonitor& monitor, std::vector<std::string>& warnings) {
    const auto state = [&](StateArchive& archive) {
        monitor.archive(archive);
        run.archive(archive);
    };
    passed_over_ = !read_checkpoint(context_.checkpoint, fingerprint_, signals_, state, &warnings);
}

std::string read_checkpoint_note(const std::filesystem::path& path) {
    StateArchive archive(path);
    return read_head(path, archive).note;
}

}  // namespace sbdl
