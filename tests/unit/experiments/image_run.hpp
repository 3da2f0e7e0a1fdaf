// A small run of an experiment on images, for tests: a folder of images and one for the results.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "sbdl/error.hpp"
#include "sbdl/synth.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {

inline bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

template <class Options>
class ImageRun : public testing::Test {
protected:
    void SetUp() override {
        options_.images = folder_ / "images";
        options_.out_dir = folder_ / "run";
        options_.trials = 2;
        options_.sigmas = {50, 25};
        options_.threads = 1;
        std::filesystem::create_directory(options_.images);
    }

    void put(const std::string& name, const Image& image) const { write_image(options_.images / name, image); }

    [[nodiscard]] std::filesystem::path file(const std::string& name) const { return options_.out_dir / name; }

    /// The message of an error; empty when there was none.
    template <class Action>
    static std::string error_of(Action action) {
        try {
            action();
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }

    TempFolder folder_;
    Options options_;
};

}  // namespace sbdl::test
