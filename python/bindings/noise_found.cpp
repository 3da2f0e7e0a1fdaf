#include "noise_found.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace sbdl::python {

nb::dict noise_dict(const NoiseFound& noise) {
    nb::list gains, reads, offsets, clipped;
    for (const PlaneNoise& plane : noise.planes) {
        gains.append(plane.gain);
        reads.append(plane.read_noise);
        offsets.append(plane.offset);
        clipped.append(plane.clipped);
    }
    nb::dict dict;
    dict["kind"] = std::string(to_string(noise.kind));
    dict["gain"] = gains;
    dict["read_noise"] = reads;
    dict["offset"] = offsets;
    dict["offset_assumed"] = noise.offset_assumed;
    dict["clipped"] = clipped;
    dict["correlation"] = noise.correlation;
    dict["correlation_unknown"] = noise.correlation_unknown;
    dict["compressed"] = noise.compressed;
    dict["nearly_none"] = noise.nearly_none;
    dict["row_stripes"] = noise.row_stripes;
    dict["column_stripes"] = noise.column_stripes;
    dict["impulses"] = noise.impulses;
    dict["nowhere_flat"] = noise.nowhere_flat;
    dict["found"] = noise.sentences;
    return dict;
}

NoiseFound noise_from(const nb::dict& dict) {
    const auto numbers = [&](const char* name) { return nb::cast<std::vector<double>>(dict[name]); };
    const std::vector<double> gains = numbers("gain"), reads = numbers("read_noise"), offsets = numbers("offset"),
                              clipped = numbers("clipped");
    NoiseFound noise;
    const bool grows = nb::cast<std::string>(dict["kind"]) == to_string(NoiseKind::poisson_gaussian);
    noise.kind = grows ? NoiseKind::poisson_gaussian : NoiseKind::gaussian;
    for (std::size_t i = 0; i < gains.size(); ++i) {
        PlaneNoise& plane = noise.planes.emplace_back();
        plane.grows = gains[i] > 0.0;
        plane.gain = gains[i];
        plane.read_noise = reads.at(i);
        plane.offset = offsets.at(i);
        plane.clipped = clipped.at(i);
    }
    noise.correlation = numbers("correlation");
    noise.correlation_unknown = nb::cast<bool>(dict["correlation_unknown"]);
    noise.offset_assumed = nb::cast<bool>(dict["offset_assumed"]);
    noise.compressed = nb::cast<bool>(dict["compressed"]);
    noise.nearly_none = nb::cast<bool>(dict["nearly_none"]);
    noise.row_stripes = nb::cast<double>(dict["row_stripes"]);
    noise.column_stripes = nb::cast<double>(dict["column_stripes"]);
    noise.impulses = nb::cast<double>(dict["impulses"]);
    noise.nowhere_flat = nb::cast<bool>(dict["nowhere_flat"]);
    noise.sentences = nb::cast<std::vector<std::string>>(dict["found"]);
    return noise;
}

}  // namespace sbdl::python
