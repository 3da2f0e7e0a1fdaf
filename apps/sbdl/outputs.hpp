// The files that a run writes at its end. One that cannot be written, for example on a full disk, does not cost the
// others.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sbdl::app {

class Outputs {
public:
    /// The first of the files is `result`, in words such as "the image".
    explicit Outputs(std::string result) : result_(std::move(result)) {}

    /// Calls write(), which writes `path`. `key` is the name of this output in JSON.
    void write(std::string key, const std::filesystem::path& path, const std::function<void()>& write);

    /// Throws FileError, as if it had been the only file, when there are failures and nothing was written.
    void require_any() const;
    [[nodiscard]] bool has_failed(std::string_view key) const;
    /// Whether files other than the page about the run are missing: then a checkpoint is worth keeping.
    [[nodiscard]] bool miss_data() const;
    /// What could not be written and why, and what is saved; for people, one sentence each.
    [[nodiscard]] std::vector<std::string> sentences() const;
    /// Removes what is missing from the description of the run, and adds the sentences to its warnings.
    void remove_missing(nlohmann::ordered_json& object) const;

private:
    struct File {
        std::string key, path, why;
    };
    std::string result_;
    std::vector<File> files_;
};

}  // namespace sbdl::app
