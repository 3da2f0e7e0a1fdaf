// What the user knows about noise that grows with brightness.
#pragma once

#include <optional>

namespace sbdl {

struct KnownNoise {
    std::optional<double> gain, read_noise, offset;
};

}  // namespace sbdl
