// A model as part of a checkpoint.
#pragma once

#include "base/state_archive.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

void archive_model(StateArchive& archive, Model& model);

}  // namespace sbdl
