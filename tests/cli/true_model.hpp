// A model that was not learned: the synthetic set's own dictionary, with the noise and the paper's prior given.
#pragma once

#include <filesystem>

#include "sbdl/model.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::test {

inline Model true_model(const std::filesystem::path& dictionary) {
    Model model;
    model.method = "gibbs";
    model.preset = "standard";
    model.options_json = "{}";
    model.dictionary = load_matrix(dictionary);
    model.atom_usage.assign(model.dictionary.rows(), 1.0);
    model.atom_norm.assign(model.dictionary.rows(), 1.0);
    model.noise_sd = 0.05;
    model.sbdl = SbdlPrior{};
    return model;
}

}  // namespace sbdl::test
