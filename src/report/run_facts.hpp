// What several sections want to know about a run and the model does not say directly.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sbdl/report.hpp"

namespace sbdl::report {

enum class RunKind {
    chain,     ///< draws from a posterior; its objective is a log density
    bound,     ///< raises a bound on the evidence
    minimiser  ///< lowers an objective, or only ends after a while; nothing is known of how sure it is
};
RunKind kind_of(const Model& model);

/// Whether the model was learned on the way to a clean image, where its noise was found before. Patches alone do not
/// tell: `sbdl learn` makes cosines of them too. Files of older programs have nothing else to go by.
inline bool from_image(const Model& model) {
    return !model.denoise_json.empty() || (model.patch.planes != 0 && model.command.empty());
}

/// The noise of the image; nothing when the run was not about one.
std::optional<double> image_noise(const ReportContent& content);

/// The whole number an option of the run had; -1 when the options do not say.
long long option_value(const Model& model, const std::string& name);

/// Whether an option of the run was a number, and not the word that stands for none.
bool option_is_number(const Model& model, const std::string& name);

/// Whether a switch among the options of the run was on.
bool option_on(const Model& model, const std::string& name);

/// How many chains left sweeps in the trace.
std::size_t chain_count(const Model& model);

/// Mean and standard deviation of the noise over the kept sweeps; nothing when none were kept.
struct Spread {
    double mean = 0.0, deviation = 0.0;
};
std::optional<Spread> kept_noise(const Trace& trace);

/// An atom counts as used when its use is at least this share of the most used one's.
constexpr double least_share_in_use = 0.01;
std::size_t atoms_in_use(const Model& model);

/// Atoms from the most to the least used; equal ones as in the model.
std::vector<std::size_t> atoms_by_use(const Model& model);

/// "2000 signals", "1 patch".
std::string signals_text(const Model& model, std::uint64_t count);

/// "8 × 8 pixels", "8 × 8 pixels in 3 colours", "length 20".
std::string atom_size_text(const Model& model);

}  // namespace sbdl::report
