// Facts about a run, and texts about them, that several sections need.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/run_facts.hpp"
#include "sbdl/report.hpp"

namespace sbdl::report {

/// The noise of the image; no value when the run was not about an image.
std::optional<double> image_noise(const ReportContent& content);

/// Atoms from the most to the least used; ties in the order of the model.
std::vector<std::size_t> atoms_by_use(const Model& model);

/// "2000 signals", "1 patch".
std::string signals_text(const Model& model, std::uint64_t count);

/// "256 atoms of 8 × 8 pixels, learned by K-SVD from 15 625 patches". HTML.
std::string learned_text(const Model& model);

/// Throws InputError for a model that cannot be reported on.
void check_reported_model(const Model& model);

/// "8 × 8 pixels", "8 × 8 pixels in 3 colours", "length 20".
std::string atom_size_text(const Model& model);

}  // namespace sbdl::report
