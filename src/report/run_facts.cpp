#include "report/run_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/markup.hpp"
#include "model/model_check.hpp"
#include "report/numbers.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"

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

std::string learned_text(const Model& model) {
    const std::optional<Method> method = find_method(model.method);
    return fmt::format("{} of {}, learned by {} from {}", count_of(model.atom_count(), "atom"), atom_size_text(model),
                       escaped(method ? std::string(method->title) : model.method),
                       signals_text(model, model.signal_count));
}

void check_reported_model(const Model& model) {
    try {
        check_model(model, "model of the report");
    } catch (const FileError& error) {
        throw InputError(error.what());  // it did not come from a file
    }
}

std::string atom_size_text(const Model& model) {
    const PatchShape& patch = model.patch;
    if (patch.planes == 0) return "length " + count(model.signal_dim());
    std::string pixels = fmt::format("{} × {} pixels", patch.height, patch.width);
    if (patch.planes == 1) return pixels;
    return fmt::format("{} in {} {}", pixels, patch.planes, patch.planes == 3 ? "colours" : "planes");
}

}  // namespace sbdl::report
