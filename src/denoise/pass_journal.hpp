// The passes that a denoising has finished, in its checkpoint: one that was killed need not repeat them. Each pass is a
// function of the image, the options and the seed, so a stored result is what the pass would find again.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "denoise/image_passes.hpp"
#include "sbdl/context.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {

class PassJournal {
public:
    PassJournal(const Context& context, const Image& noisy, const DenoiseOptions& options);

    /// Whether the run is resumed and had its dictionary; the model is set then.
    bool resume(Model& model, std::vector<std::string>& warnings);
    /// The dictionary is known: from now on the checkpoint holds the model and the finished passes.
    void begin(const Model& model);
    /// Leaves the checkpoint as it is: learning was stopped before its end and is resumed from there.
    void close() { checkpoint_.path.clear(); }

    /// Why the checkpoint could not be written, in a sentence: nothing is kept any more. Empty: it could.
    [[nodiscard]] const std::string& failure() const { return failure_; }

    /// The result of the next pass, if it was finished before the run was killed.
    std::optional<PassResult> next();
    /// Whether results are kept at all.
    [[nodiscard]] bool keeps() const { return !checkpoint_.path.empty(); }
    /// A pass is finished. The checkpoint is written if it is due.
    void add(const PassResult& result) { add(std::span(&result, 1)); }
    /// The same for a pass over several planes at once: the checkpoint has the results of all or of none.
    void add(std::span<const PassResult> results);

private:
    void archive(class StateArchive& archive);

    Checkpoint checkpoint_;
    std::string fingerprint_, failure_;
    Model model_;
    std::vector<PassResult> finished_;
    std::size_t used_ = 0;  // of those that were read from the checkpoint
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace sbdl
