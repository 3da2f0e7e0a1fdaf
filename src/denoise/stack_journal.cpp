#include "denoise/stack_journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/atomic_file.hpp"
#include "run/checkpoint_file.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace fs = std::filesystem;

std::uint64_t hash_page(const Image& page, std::uint64_t before) {
    const std::array<std::uint64_t, 7> kind{before,
                                            page.height(),
                                            page.width(),
                                            page.planes.size(),
                                            page.alpha.size(),
                                            static_cast<std::uint64_t>(page.samples),
                                            static_cast<std::uint64_t>(page.metadata.orientation)};
    std::uint64_t hash = hash_bytes(kind.data(), sizeof kind);
    for (const Matrix& plane : page.planes) hash = hash_bytes(plane.data(), plane.size() * sizeof(double), hash);
    return hash_bytes(page.alpha.data(), page.alpha.size() * sizeof(double), hash);
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

std::string stack_fingerprint(const std::string& data, const InpaintOptions& options) {
    using nlohmann::ordered_json;
    return ordered_json{{"data", data},
                        {"options", ordered_json::parse(to_json(options))},
                        {"std", options.std},
                        {"model", model_fingerprint(options.model)}}
        .dump();
}

StackJournal::StackJournal(const Checkpoint& checkpoint, std::string fingerprint, bool with_std)
    : checkpoint_(checkpoint), fingerprint_(std::move(fingerprint)) {
    checkpoint_.stage = "pages";
    prepare_checkpoint(checkpoint_);
    if (!checkpoint_.resume) return;
    const auto load = [this](StateArchive& state) { archive(state); };
    if (!read_checkpoint(checkpoint_, fingerprint_, "the stack", load, &warnings_))
        throw InputError(fmt::format("{}: is not the checkpoint of a stack", checkpoint_.path.string()));
    files_ = done();
    forget_lost_pages(with_std);
}

void StackJournal::forget_lost_pages(bool with_std) {
    for (std::size_t page = 0; page < done(); ++page) {
        try {
            read_image(file(page, ""));
            if (with_std) read_image(file(page, "-std"));
        } catch (const Error& error) {
            warnings_.push_back(fmt::format("{}; pages from {} on are made again", error.what(), page + 1));
            notes_.resize(page);
        }
    }
}

void StackJournal::check_folder(const fs::path& checkpoint) {
    const fs::path folder = folder_of(checkpoint);
    const bool made = make_folder(folder);
    std::error_code ignored;
    if (made) fs::remove(folder, ignored);  // until there is a page
}

bool StackJournal::make_folder(const fs::path& folder) {
    std::error_code error, ignored;
    const bool made = fs::create_directory(folder, error);
    if (!made && !fs::is_directory(folder, ignored))
        throw FileError(fmt::format("{}: this folder, for the pages that are done, cannot be made: {}", folder.string(),
                                    error ? error.message() : "it is a file"));
    return made;
}

fs::path StackJournal::folder_of(fs::path checkpoint) {
    return checkpoint += ".pages";
}

fs::path StackJournal::folder() const {
    return folder_of(checkpoint_.path);
}

fs::path StackJournal::file(std::size_t page, const char* kind) const {
    return folder() / fmt::format("page-{:05}{}.tif", page + 1, kind);
}

void StackJournal::learned(const Model& model) {
    model_ = model;
    try {
        write();
    } catch (...) {
        model_.reset();  // as on disk
        throw;
    }
}

void StackJournal::add(const Image& clean, const Image& std, const std::string& note) {
    make_folder(folder());
    write_image(file(done(), ""), clean);
    if (!std.planes.empty()) write_image(file(done(), "-std"), std);
    notes_.push_back(note);
    try {
        write();
    } catch (...) {
        notes_.pop_back();  // as on disk
        throw;
    }
}

void StackJournal::write() {
    write_checkpoint(checkpoint_, fingerprint_, [this](StateArchive& state) { archive(state); });
}

void StackJournal::archive(StateArchive& archive) {
    bool shared = model_.has_value();
    archive("shared", shared);
    if (shared && !model_) model_.emplace();
    if (shared) archive_model(archive, *model_);
    const std::uint64_t pages = archive.count("pages", std::uint64_t{notes_.size()});
    if (archive.loading()) notes_.resize(pages);
    for (std::string& note : notes_) archive("note", note);
}

void StackJournal::remove() {
    std::error_code ignored;
    for (std::size_t page = 0; page <= std::max(done(), files_);
         ++page)  // one more: a kill may have come before it was counted
        for (const char* kind : {"", "-std"}) {
            if (fs::exists(folder(), ignored)) remove_abandoned_temporaries(file(page, kind));
            fs::remove(file(page, kind), ignored);
        }
    fs::remove(folder(), ignored);  // stays if somebody put files there
    fs::remove(checkpoint_.path, ignored);
}

}  // namespace sbdl
