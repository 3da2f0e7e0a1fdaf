// The pages of a stack that are done, on disk: a run that was stopped or killed goes on after them. A checkpoint holds
// the command, the shared dictionary and how many pages there are; the pages themselves are TIFF files in a folder
// beside it, "CHECKPOINT.pages", where people can look at them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sbdl/context.hpp"
#include "sbdl/denoise_stack.hpp"
#include "sbdl/inpaint.hpp"

namespace sbdl {

/// A hash of a page, its pixels, size and type, and of those before it, whose hash is `before`; 0 for the first.
std::uint64_t hash_page(const Image& page, std::uint64_t before);

/// What decides the pages of a stack that is denoised or inpainted, as JSON. `data` stands for the pixels of all pages.
std::string stack_fingerprint(const std::string& data, const DenoiseOptions& options, const StackOptions& stack,
                              std::uint64_t seed);
std::string stack_fingerprint(const std::string& data, const InpaintOptions& options);

class StackJournal {
public:
    /// Reads the checkpoint when the run is resumed. Pages from the first that is missing or cannot be read, also its
    /// standard deviations if there should be any, are not done; a warning says so. Throws like read_checkpoint().
    StackJournal(const Checkpoint& checkpoint, std::string fingerprint, bool with_std);

    /// Throws FileError unless the folder for the pages is there or can be made.
    static void check_folder(const std::filesystem::path& checkpoint);

    [[nodiscard]] std::size_t done() const { return notes_.size(); }
    /// Neither a page nor the shared dictionary is kept.
    [[nodiscard]] bool empty() const { return notes_.empty() && !model_; }
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
    /// The shared dictionary; null where there is none yet.
    [[nodiscard]] const Model* model() const { return model_ ? &*model_ : nullptr; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
    [[nodiscard]] std::filesystem::path folder() const;

    void learned(const Model& model);
    /// The next page is done. Its standard deviations are kept if it has any; `note` is the caller's text.
    void add(const Image& clean, const Image& std, const std::string& note);

    [[nodiscard]] Image clean(std::size_t page) const { return read_image(file(page, "")); }
    [[nodiscard]] Image std(std::size_t page) const { return read_image(file(page, "-std")); }

    /// Removes the checkpoint and the pages.
    void remove();

private:
    [[nodiscard]] std::filesystem::path file(std::size_t page, const char* kind) const;
    static std::filesystem::path folder_of(std::filesystem::path checkpoint);
    static bool make_folder(const std::filesystem::path& folder);
    void forget_lost_pages(bool with_std);
    void archive(class StateArchive& archive);
    void write();

    Checkpoint checkpoint_;
    std::string fingerprint_;
    std::optional<Model> model_;
    std::vector<std::string> notes_;
    std::size_t files_ = 0;  // pages of the run that is resumed
    std::vector<std::string> warnings_;
};

}  // namespace sbdl
