// Facts about a run that several sections need and the model does not contain directly.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sbdl/methods.hpp"
#include "sbdl/report.hpp"

namespace sbdl::report {

/// Of a method that is not in the list: rounds.
RunKind kind_of(const Model& model);

/// Whether the method minimises an objective or makes passes, and gives no uncertainties.
inline bool minimises(const Model& model) {
    const RunKind kind = kind_of(model);
    return kind == RunKind::rounds || kind == RunKind::stream;
}

/// Whether the model was learned to denoise an image, whose noise was then found before. Patches alone do not show it:
/// `sbdl learn --method dct` has them too. Files of older programs contain nothing else.
inline bool from_image(const Model& model) {
    return !model.denoise_json.empty() || (model.patch.planes != 0 && model.command.empty());
}

/// The noise of the image; no value when the run was not about an image.
std::optional<double> image_noise(const ReportContent& content);

/// The value of an integer option of the run; -1 when it is not known.
long long option_value(const Model& model, const std::string& name);

/// Whether an option of the run was a number, not a word such as "none".
bool option_is_number(const Model& model, const std::string& name);

/// Whether a switch among the options of the run was on.
bool option_on(const Model& model, const std::string& name);

/// The number of chains in the trace.
std::size_t chain_count(const Model& model);

/// Mean and standard deviation of the noise over the kept sweeps; no value when none were kept.
struct Spread {
    double mean = 0.0, std = 0.0;
};
std::optional<Spread> kept_noise(const Trace& trace);

/// An atom counts as used when its use is at least this fraction of that of the most used atom.
constexpr double least_share_in_use = 0.01;
std::size_t atoms_in_use(const Model& model);

/// Atoms from the most to the least used; ties in the order of the model.
std::vector<std::size_t> atoms_by_use(const Model& model);

/// "2000 signals", "1 patch".
std::string signals_text(const Model& model, std::uint64_t count);

/// "8 × 8 pixels", "8 × 8 pixels in 3 colours", "length 20".
std::string atom_size_text(const Model& model);

}  // namespace sbdl::report
