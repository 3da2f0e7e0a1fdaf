#include "outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sbdl/error.hpp"

namespace sbdl::app {

void Outputs::write(std::string key, const std::filesystem::path& path, const std::function<void()>& write) {
    std::string why;
    try {
        write();
    } catch (const Error& error) {
        why = error.what();
    }
    files_.push_back({std::move(key), path.string(), std::move(why)});
}

void Outputs::require_any() const {
    const auto written = [](const File& file) { return file.why.empty(); };
    if (!files_.empty() && std::ranges::none_of(files_, written)) throw FileError(files_.front().why);
}

bool Outputs::has_failed(std::string_view key) const {
    return std::ranges::any_of(files_, [key](const File& file) { return file.key == key && !file.why.empty(); });
}

bool Outputs::miss_data() const {
    return std::ranges::any_of(files_, [](const File& file) { return file.key != "report" && !file.why.empty(); });
}

std::vector<std::string> Outputs::sentences() const {
    std::vector<std::string> written, all;
    for (const File& file : files_)
        if (file.why.empty()) written.push_back(file.path);
    const bool result_saved = !files_.empty() && files_.front().why.empty();
    const std::string saved =
        result_saved ? result_ + " is saved"
                     : fmt::format("only {} {} saved", fmt::join(written, ", "), written.size() == 1 ? "is" : "are");
    for (const File& file : files_)
        if (!file.why.empty()) all.push_back(fmt::format("{}; {}", file.why, saved));
    return all;
}

void Outputs::remove_missing(nlohmann::ordered_json& object) const {
    for (const File& file : files_)
        if (!file.why.empty()) object.erase(file.key);
    for (const std::string& sentence : sentences()) object["warnings"].push_back(sentence);
}

}  // namespace sbdl::app
