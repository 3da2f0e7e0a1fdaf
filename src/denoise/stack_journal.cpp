#include "denoise/stack_journal.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/atomic_file.hpp"
#include "run/checkpoint_file.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace fs = std::filesystem;

std::uint64_t hash_page(const Image& page, std::uint64_t before) {
    std::uint64_t hash = hash_bytes(&before, sizeof before);
    for (const Matrix& plane : page.planes) hash = hash_bytes(plane.data(), plane.size() * sizeof(double), hash);
    return hash;
}

std::string stack_fingerprint(const std::string& data, const DenoiseOptions& options, const StackOptions& stack,
                              std::uint64_t seed) {
    using nlohmann::ordered_json;
    return ordered_json{{"data", data},
                        {"options", ordered_json::parse(to_json(options))},
                        {"dictionary", to_string(stack.dictionary)},
                        {"std", options.std},
                        {"model", model_fingerprint(options.model)},
                        {"seed", seed}}
        .dump();
}

StackJournal::StackJournal(const Checkpoint& checkpoint, std::string fingerprint)
    : checkpoint_(checkpoint), fingerprint_(std::move(fingerprint)) {
    checkpoint_.stage = "pages";
    prepare_checkpoint(checkpoint_);
    if (!checkpoint_.resume) return;
    const auto load = [this](StateArchive& state) { archive(state); };
    if (!read_checkpoint(checkpoint_, fingerprint_, "the stack", load, &warnings_))
        throw InputError(fmt::format("{}: is not the checkpoint of a stack", checkpoint_.path.string()));
}

fs::path StackJournal::folder() const {
    fs::path folder = checkpoint_.path;
    return folder += ".pages";
}

fs::path StackJournal::file(std::size_t page, const char* kind) const {
    return folder() / fmt::format("page-{:05}{}.tif", page + 1, kind);
}

void StackJournal::learned(const Model& model) {
    model_ = model;
    write();
}

void StackJournal::add(const Image& clean, const Image& std, const std::string& note) {
    fs::create_directory(folder());
    write_image(file(done(), ""), clean);
    if (!std.planes.empty()) write_image(file(done(), "-std"), std);
    notes_.push_back(note);
    write();
}

void StackJournal::write() {
    write_checkpoint(checkpoint_, fingerprint_, [this](StateArchive& state) { archive(state); });
}

void StackJournal::archive(StateArchive& archive) {
    bool shared = model_.has_value();
    archive("shared", shared);
    if (shared && !model_) model_.emplace();
    if (shared) archive_model(archive, *model_);
    std::uint64_t pages = notes_.size();
    archive("pages", pages);
    if (archive.loading()) notes_.resize(pages);
    for (std::string& note : notes_) archive("note", note);
}

void StackJournal::remove() {
    std::error_code ignored;
    for (std::size_t page = 0; page <= done(); ++page)  // one more: a kill may have come before it was counted
        for (const char* kind : {"", "-std"}) {
            if (fs::exists(folder(), ignored)) remove_abandoned_temporaries(file(page, kind));
            fs::remove(file(page, kind), ignored);
        }
    fs::remove(folder(), ignored);  // stays if somebody put files there
    fs::remove(checkpoint_.path, ignored);
}

}  // namespace sbdl
