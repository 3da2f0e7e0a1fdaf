#include "report/run_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/numbers.hpp"

namespace sbdl::report {

std::optional<double> image_noise(const ReportContent& content) {
    if (content.noise_sd > 0.0) return content.noise_sd;
    return from_image(*content.model) ? std::optional(content.model->noise_sd) : std::nullopt;
}

std::vector<std::size_t> atoms_by_use(const Model& model) {
    std::vector<std::size_t> order(model.atom_count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return model.atom_usage[a] > model.atom_usage[b]; });
    return order;
}

std::string signals_text(const Model& model, std::uint64_t how_many) {
    if (model.patch.planes == 0) return count_of(how_many, "signal");
    return count(how_many) + (how_many == 1 ? " patch" : " patches");
}

std::string atom_size_text(const Model& model) {
    const PatchShape& patch = model.patch;
    if (patch.planes == 0) return "length " + count(model.signal_dim());
    std::string pixels = fmt::format("{} × {} pixels", patch.height, patch.width);
    if (patch.planes == 1) return pixels;
    return fmt::format("{} in {} {}", pixels, patch.planes, patch.planes == 3 ? "colours" : "planes");
}

}  // namespace sbdl::report
