// A checkpoint on disk: who wrote it, from which data and options, and a whole state.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/rank_group.hpp"
#include "base/state_archive.hpp"
#include "sbdl/context.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// To be called before a run that writes checkpoints: throws InputError when a file that is not a checkpoint would be
/// overwritten, and removes temporary files that a killed run left behind.
void prepare_checkpoint(const Checkpoint& checkpoint);

/// Writes a checkpoint, whole or not at all: its head, then what `state` archives. Throws FileError when the file
/// cannot be written.
void write_checkpoint(const Checkpoint& checkpoint, const std::string& fingerprint,
                      const std::function<void(StateArchive&)>& state);

/// The same for a run that does without when the file cannot be written, for example on a full disk. Returns a sentence
/// that says why, on all ranks; empty: it is written. Ranks write it together; rank 0 has the file. An error
/// thrown by `state` does not concern the file, and ends the run.
std::string try_checkpoint(const Checkpoint& checkpoint, const std::string& fingerprint,
                           const std::function<void(StateArchive&)>& state, const RankGroup& ranks = RankGroup());

/// Calls `state` to read the checkpoint; false when it belongs to another stage. Throws FileError for a file that
/// cannot be read, is damaged or is not a checkpoint, InputError when its fingerprint (a JSON object, in which "data"
/// stands for what is called `data_name` in the message) is another. `warnings`, if given, says when the instruction
/// set differs.
bool read_checkpoint(const Checkpoint& checkpoint, const std::string& fingerprint, const std::string& data_name,
                     const std::function<void(StateArchive&)>& state, std::vector<std::string>* warnings = nullptr);

/// A fingerprint of the model that a run uses; "none" for null.
std::string model_fingerprint(const Model* model);

/// A model as part of a checkpoint.
void archive_model(StateArchive& archive, Model& model);

}  // namespace sbdl
