#include "denoise/pass_journal.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "denoise/recipe.hpp"
#include "run/checkpoint_file.hpp"

namespace sbdl {
namespace {

constexpr const char* passes_stage = "passes";

std::string fingerprint_of(const Context& context, const Image& noisy, const DenoiseOptions& options) {
    std::uint64_t hash = hash_bytes(nullptr, 0);
    for (const Matrix& plane : noisy.planes) hash = hash_bytes(plane.data(), plane.size() * sizeof(double), hash);
    return nlohmann::ordered_json{{"recipe_version", denoise_recipe_version},
                                  {"data", fmt::format("{:016x} {} x {}", hash, noisy.height(), noisy.width())},
                                  {"options", nlohmann::ordered_json::parse(to_json(options))},
                                  {"std", options.std},
                                  {"model", model_fingerprint(options.model)},
                                  {"seed", context.seed}}
        .dump();
}

}  // namespace

PassJournal::PassJournal(const Context& context, const Image& noisy, const DenoiseOptions& options)
    : checkpoint_(context.checkpoint) {
    if (checkpoint_.path.empty()) return;
    prepare_checkpoint(checkpoint_);
    checkpoint_.stage = passes_stage;
    fingerprint_ = fingerprint_of(context, noisy, options);
}

bool PassJournal::resume(Model& model, std::vector<std::string>& warnings) {
    if (!checkpoint_.resume) return false;
    const auto load = [this](StateArchive& state) { archive(state); };
    if (!read_checkpoint(checkpoint_, fingerprint_, "the image", load, &warnings)) return false;
    model = model_;
    return true;
}

void PassJournal::begin(const Model& model) {
    if (!checkpoint_.path.empty()) model_ = model;
}

std::optional<PassResult> PassJournal::next() {
    if (checkpoint_.path.empty() || used_ == finished_.size()) return std::nullopt;
    return finished_[used_++];
}

void PassJournal::add(std::span<const PassResult> results) {
    if (checkpoint_.path.empty()) return;
    finished_.insert(finished_.end(), results.begin(), results.end());
    used_ = finished_.size();
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - last_).count() < checkpoint_.every_s) return;
    failure_ = try_checkpoint(checkpoint_, fingerprint_, [this](StateArchive& state) { archive(state); });
    last_ = std::chrono::steady_clock::now();
    if (failure_.empty()) return;
    close();
    finished_.clear();
}

void PassJournal::archive(StateArchive& archive) {
    archive_model(archive, model_);
    const std::uint64_t count = archive.count("passes", std::uint64_t{finished_.size()});
    if (archive.loading()) finished_.resize(count);
    for (PassResult& pass : finished_) {
        archive("plane", pass.plane);
        archive("std", pass.std);
        archive("code_sizes", pass.code_sizes);
    }
}

}  // namespace sbdl
