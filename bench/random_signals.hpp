// Signals for timed sweeps: standard normal, since the time of a sweep does not depend on them.
#pragma once

#include "random/stream.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::bench {

struct Shape {
    std::size_t M, N, L;
};

inline Matrix random_signals(const Shape& shape) {
    Matrix rows(shape.L, shape.M);
    for (std::size_t l = 0; l < shape.L; ++l) {
        DrawStream draws(1, {Purpose::test, 0, 0, l});
        for (double& y : rows.row(l)) y = draws.normal();
    }
    return rows;
}

}  // namespace sbdl::bench
