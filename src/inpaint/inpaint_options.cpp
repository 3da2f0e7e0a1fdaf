// The options of an inpainting: what has to hold, JSON, memory.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "options/option_values.hpp"
#include "sbdl/error.hpp"
#include "sbdl/inpaint.hpp"

namespace sbdl {

void validate(const InpaintOptions& options) {
    InpaintOptions copy = options;
    check_bounds({}, option_refs(copy));
}

std::string to_json(const InpaintOptions& options) {
    InpaintOptions copy = options;
    nlohmann::ordered_json object = options_json(option_refs(copy));
    object["keep_observed"] = options.keep_observed;
    return object.dump();
}

double inpaint_memory(const InpaintOptions& options, const Context& context, std::size_t height, std::size_t width,
                      std::size_t planes) {
    constexpr double program_bytes = 30e6, sample_bytes = sizeof(double);
    // Of each sample: the image and its copy without gaps, whether it was observed, estimate and variance, four sums,
    // the result and its standard deviations. The sum of the planes, and its copy for the search.
    const double pixels = static_cast<double>(height) * static_cast<double>(width);
    const double samples = pixels * static_cast<double>(planes);
    const double strip = static_cast<double>(2 * options.radius + options.patch) * static_cast<double>(width) *
                         static_cast<double>(planes);
    return program_bytes + samples * (10.0 * sample_bytes + 1.0) + pixels * 1.5 * sample_bytes +
           static_cast<double>(resolve_threads(context.execution.threads)) * 4.0 * sample_bytes * strip;
}

}  // namespace sbdl
