// What has to hold of a model before it is written and after it is read.
#pragma once

#include <string>

#include "sbdl/model.hpp"

namespace sbdl {

/// Throws FileError "<file>: ..." naming the part whose size or value is wrong.
void check_model(const Model& model, const std::string& file);

}  // namespace sbdl
