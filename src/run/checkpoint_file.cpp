#include "run/checkpoint_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/atomic_file.hpp"
#include "base/compute_scope.hpp"
#include "model/model_check.hpp"
#include "model/model_parts.hpp"
#include "sbdl/error.hpp"
#include "sbdl/train.hpp"
#include "sbdl/version.hpp"

namespace sbdl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t checkpoint_version = 5;

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

bool is_checkpoint(const std::filesystem::path& path) {
    try {
        StateArchive archive(path);
        std::string magic;
        archive("magic", magic);
        return magic == Head().magic;
    } catch (const FileError&) {
        return false;
    }
}

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

/// A fingerprint as a file has it; no object for what is none, or is nested deeper than ours are.
Json parsed_fingerprint(const std::string& text) {
    bool deep = false;
    const auto watch = [&deep](int depth, Json::parse_event_t, const Json&) {
        deep = deep || depth > 8;
        return !deep;
    };
    Json parsed = Json::parse(text, watch, /*allow_exceptions=*/false);
    return deep || !parsed.is_object() ? Json() : parsed;
}

/// The first thing that differs, in words.
std::string difference(const std::string& before, const std::string& now, const std::string& signals) {
    const Json old = parsed_fingerprint(before), fresh = Json::parse(now);
    if (!old.is_object()) return "its fingerprint cannot be read";
    for (const auto& [key, value] : fresh.items()) {
        const Json was = old.value(key, Json());
        if (was == value) continue;
        if (key == "data") return fmt::format("{} has changed since", signals);
        if (key != "options" || !was.is_object())
            return fmt::format("{} was {}, is now {}", key, was.dump(), value.dump());
        for (const auto& [name, option] : value.items())
            if (was.value(name, Json()) != option)
                return fmt::format("option {} was {}, is now {}", name, was.value(name, Json()).dump(), option.dump());
    }
    return "it differs";
}

/// Writes a checkpoint. Returns what rank 0 finds wrong with the file, and throws what `state` throws.
std::string failure_to_write(const Checkpoint& checkpoint, const std::string& fingerprint,
                             const std::function<void(StateArchive&)>& state, const RankGroup& ranks) {
    std::optional<AtomicFile> file;
    std::string failure;  // other ranks have begun to archive: they are heard to the end
    const auto note_failure = [&failure](const auto& write) {
        try {
            write();
        } catch (const FileError& error) {
            failure = error.what();
        }
    };
    if (ranks.first()) note_failure([&] { file.emplace(checkpoint.path); });
    StateArchive archive(file ? &*file : nullptr, ranks);
    Head head;
    head.note = checkpoint.note;
    head.stage = checkpoint.stage;
    head.fingerprint = fingerprint;
    head.instructions = wanted_instruction_set();
    head.archive(archive);
    state(archive);
    if (file)
        note_failure([&] {
            archive.finish();
            file->commit();
        });
    return failure;
}

}  // namespace

void prepare_checkpoint(const Checkpoint& checkpoint) {
    if (checkpoint.path.empty()) return;
    std::error_code ignored;  // a bad name is found when the checkpoint is written
    if (!checkpoint.resume && std::filesystem::exists(checkpoint.path, ignored) && !is_checkpoint(checkpoint.path))
        throw InputError(
            fmt::format("{}: exists and is not a checkpoint, so it is not overwritten", checkpoint.path.string()));
    remove_abandoned_temporaries(checkpoint.path);
}

std::string model_fingerprint(const Model* model) {
    if (model == nullptr) return "none";
    std::uint64_t hash = hash_bytes(model->dictionary.data(), model->dictionary.size() * sizeof(double));
    hash = hash_bytes(model->atom_norm.data(), model->atom_norm.size() * sizeof(double), hash);
    hash = hash_bytes(&model->noise_sd, sizeof model->noise_sd, hash);
    return fmt::format("{:016x}", hash);
}

void write_checkpoint(const Checkpoint& checkpoint, const std::string& fingerprint,
                      const std::function<void(StateArchive&)>& state) {
    const std::string failure = failure_to_write(checkpoint, fingerprint, state, RankGroup());
    if (!failure.empty()) throw FileError(failure);
}

std::string try_checkpoint(const Checkpoint& checkpoint, const std::string& fingerprint,
                           const std::function<void(StateArchive&)>& state, const RankGroup& ranks) {
    const std::string failure = RankGroup(ranks).of_first(failure_to_write(checkpoint, fingerprint, state, ranks));
    return failure.empty() ? "" : fmt::format("{}; the run went on without checkpoints", failure);
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

void archive_model(StateArchive& archive, Model& model) {
    const auto one = [&archive](const char* name, auto& value, const auto&...) { archive(name, value); };
    const auto count = [&archive](const auto& field, std::uint64_t& value) { archive(field.name, value); };
    for_each_text(model, one);
    for_each_optional_text(model, one);
    archive("seed", model.seed);
    archive("signal_count", model.signal_count);
    for_each_number(model, one);
    for_each_part_number(model.diagnostics, one);
    for_each_method_part(model, [&](const char* group, auto& part) {
        bool there = part.has_value();
        archive(group, there);
        if (there && !part) part.emplace();
        if (there) for_each_part_number(*part, one);
    });
    for_each_field(model.patch, count);
    for_each_field(model.stream, count);
    for_each_array(model, [&archive](const std::string&, const std::string& name, auto& values, const auto&...) {
        archive(name, values);
    });
    if (archive.loading()) check_model(model, archive.path().string());
}

std::string read_checkpoint_note(const std::filesystem::path& path) {
    StateArchive archive(path);
    return read_head(path, archive).note;
}

}  // namespace sbdl
