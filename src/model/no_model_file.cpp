// In place of model_file.cpp in a library without HDF5: there are no model files.
#include <fmt/format.h>

#include "sbdl/error.hpp"
#include "sbdl/model.hpp"

namespace sbdl {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
    throw FileError(
        fmt::format("{}: this sbdl has no model files: it was built without HDF5 (SBDL_HDF5=OFF)", path.string()));
}

}  // namespace

void save_model(const Model& /*model*/, const std::filesystem::path& path) {
    refuse(path);
}

Model load_model(const std::filesystem::path& path) {
    refuse(path);
}

}  // namespace sbdl
