#include "noise_found.hpp"

namespace sbdl::app {

nlohmann::ordered_json noise_json(const NoiseFound& noise) {
    using nlohmann::ordered_json;
    ordered_json planes = ordered_json::array();
    for (const PlaneNoise& plane : noise.planes) {
        ordered_json object = {{"grows", plane.grows}, {"clipped", plane.clipped}};
        if (plane.grows)
            object.update({{"gain", plane.gain}, {"read_noise", plane.read_noise}, {"offset", plane.offset}});
        object.update({{"brightness", plane.brightness}, {"variance", plane.variance}});
        planes.push_back(object);
    }
    return {{"kind", to_string(noise.kind)},
            {"planes", planes},
            {"correlation", noise.correlation},
            {"nearly_none", noise.nearly_none},
            {"found", noise.sentences}};
}

}  // namespace sbdl::app
