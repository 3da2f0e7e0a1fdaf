// The inputs from which a fuzzer starts.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/inputs.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::fuzz {

/// Writes seeds to a folder, and their names to FOLDER.list in the format of -seed_inputs.
class Seeds {
public:
    /// `check` throws for a seed that the reader rejects, which would be useless.
    Seeds(std::filesystem::path folder, std::function<void(Bytes)> check)
        : folder_(std::move(folder)), check_(std::move(check)) {
        std::filesystem::create_directories(folder_);
    }
    void add(const std::string& bytes) {
        check_(std::as_bytes(std::span(bytes)));
        const std::filesystem::path path = folder_ / ("seed-" + std::to_string(++count_));
        test::write_bytes(path, bytes);
        list_ += (count_ == 1 ? "" : ",") + path.string();
        test::write_bytes(folder_.string() + ".list", list_);
    }
    void add(const std::vector<std::byte>& bytes) {
        add(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }

private:
    std::filesystem::path folder_;
    std::function<void(Bytes)> check_;
    int count_ = 0;
    std::string list_;
};

void write_image_seeds(const std::filesystem::path& folder);
void write_signal_seeds(const std::filesystem::path& folder);

}  // namespace sbdl::fuzz
