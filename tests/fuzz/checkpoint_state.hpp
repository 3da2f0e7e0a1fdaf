// A state with one of each kind of part that runs put into their checkpoints.
#pragma once

#include <cstdint>
#include <vector>

#include "base/state_archive.hpp"
#include "run/checkpoint_file.hpp"

namespace sbdl::fuzz {

constexpr const char* checkpoint_fingerprint = R"({"method":"gibbs","options":{"atoms":3},"data":"1"})";

struct CheckpointState {
    Model model;
    bool flag = false;
    std::vector<SparseCodes> codes;
    Mat atoms = Mat::Ones(2, 3);  // as a run has it from its beginning
    Mat grown;
    std::vector<double> trace;

    void archive(StateArchive& archive) {
        archive_model(archive, model);
        archive("flag", flag);
        const std::uint32_t blocks = archive.count("blocks", static_cast<std::uint32_t>(codes.size()));
        if (archive.loading()) codes.assign(blocks, {});
        for (SparseCodes& block : codes) archive("codes", block);
        archive("atoms", atoms);
        archive("grown", grown);
        archive("trace", trace);
    }
};

}  // namespace sbdl::fuzz
