#include "noise_found.hpp"

#include <string>

namespace sbdl::app {

using nlohmann::ordered_json;

ordered_json noise_json(const NoiseFound& noise, bool with_curve) {
    ordered_json planes = ordered_json::array();
    for (const PlaneNoise& plane : noise.planes) {
        ordered_json object = {{"grows", plane.grows}, {"clipped", plane.clipped}};
        if (plane.grows)
            object.update({{"gain", plane.gain}, {"read_noise", plane.read_noise}, {"offset", plane.offset}});
        else if (noise.kind == NoiseKind::poisson_gaussian)
            object["read_noise"] = plane.read_noise;  // as of a gain of 0
        if (with_curve) object.update({{"brightness", plane.brightness}, {"variance", plane.variance}});
        planes.push_back(object);
    }
    return {{"kind", to_string(noise.kind)},
            {"planes", planes},
            {"offset_assumed", noise.offset_assumed},
            {"correlation", noise.correlation},
            {"correlation_unknown", noise.correlation_unknown},
            {"compressed", noise.compressed},
            {"nearly_none", noise.nearly_none},
            {"row_stripes", noise.row_stripes},
            {"column_stripes", noise.column_stripes},
            {"impulses", noise.impulses},
            {"nowhere_flat", noise.nowhere_flat},
            {"found", noise.sentences}};
}

NoiseFound noise_in(const ordered_json& object) {
    NoiseFound noise;
    const bool grows = object.at("kind") == to_string(NoiseKind::poisson_gaussian);
    noise.kind = grows ? NoiseKind::poisson_gaussian : NoiseKind::gaussian;
    for (const ordered_json& each : object.at("planes")) {
        PlaneNoise plane;
        plane.grows = each.at("grows");
        plane.clipped = each.at("clipped");
        plane.gain = each.value("gain", 0.0);
        plane.read_noise = each.value("read_noise", 0.0);
        plane.offset = each.value("offset", 0.0);
        noise.planes.push_back(plane);
    }
    noise.correlation = object.at("correlation").get<std::vector<double>>();
    noise.correlation_unknown = object.value("correlation_unknown", false);  // not in checkpoints of older versions
    noise.offset_assumed = object.value("offset_assumed", false);
    noise.compressed = object.value("compressed", false);
    noise.nearly_none = object.at("nearly_none");
    noise.row_stripes = object.value("row_stripes", 0.0);
    noise.column_stripes = object.value("column_stripes", 0.0);
    noise.impulses = object.value("impulses", 0.0);
    noise.nowhere_flat = object.value("nowhere_flat", false);
    noise.sentences = object.at("found").get<std::vector<std::string>>();
    return noise;
}

}  // namespace sbdl::app
