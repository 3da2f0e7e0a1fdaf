// Small models that have, between them, every part that a model can have.
#pragma once

#include <vector>

#include "sbdl/model.hpp"

namespace sbdl::fuzz {

inline std::vector<Model> some_models() {
    Model model;
    model.method = "gibbs";
    model.preset = "standard";
    model.options_json = R"({"atoms":3})";
    model.program_version = "0.1.0";
    model.stop_reason = "sweeps_done";
    model.signal_count = 2;
    model.dictionary = Matrix(3, 4, 0.5);
    model.dictionary_std = Matrix(3, 4, 0.01);
    model.atom_usage = {0.5, 0.25, 2.0};
    model.atom_norm = {1.0, 1.5, 0.7};
    model.noise_sd = 0.1;
    model.noise_sd_std = 0.003;
    model.patch = {.height = 2, .width = 2, .planes = 1};
    model.code_sizes = {0, 1, 1};
    model.codes = Matrix(2, 3, 0.25);
    model.codes_std = Matrix(2, 3, 0.1);
    model.trace = {.chain = {0, 0, 1},
                   .sweep = {1, 2, 1},
                   .kept = {0, 1, 1},
                   .objective = {-1e5, -4.0, -3.25},
                   .noise_sd = {0.3, 0.2, 0.1}};
    Model student = model;
    student.sbdl = SbdlPrior{};
    Model on_off = model;
    on_off.codes_probability = Matrix(2, 3, 0.75);
    on_off.on_off = OnOffPrior{.atom_probability = {0.25, 0.0, 1.0}};
    Model stream = model;
    stream.method = "online";
    stream.stream = {.signals_seen = 77,
                     .code_products = Matrix(3, 3, 0.5),
                     .signal_products = Matrix(3, 4, 0.25),
                     .users = {4, 0, 9}};
    return {student, on_off, stream};
}

}  // namespace sbdl::fuzz
