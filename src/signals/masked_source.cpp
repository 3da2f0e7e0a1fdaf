#include <fmt/format.h>

#include <limits>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

MaskedSource::MaskedSource(const SignalSource& signals, const SignalSource& mask) : signals_(signals), mask_(mask) {
    if (mask.count() != signals.count() || mask.dim() != signals.dim())
        throw InputError(fmt::format("{}: the mask is {} x {}, must be {} x {} like the signals of {}", mask.name(),
                                     mask.count(), mask.dim(), signals.count(), signals.dim(), signals.name()));
}

void MaskedSource::read(std::size_t first, std::size_t how_many, double* out) const {
    std::vector<double> observed(how_many * dim());
    mask_.read(first, how_many, observed.data());
    signals_.read(first, how_many, out);
    for (std::size_t i = 0; i < observed.size(); ++i) {
        if (observed[i] == 0.0)
            out[i] = std::numeric_limits<double>::quiet_NaN();
        else if (observed[i] != 1.0)
            throw InputError(
                fmt::format("{}: row {}, column {} (counted from 0) is {}, must be 0 (missing) or 1 (observed)",
                            mask_.name(), first + i / dim(), i % dim(), observed[i]));
    }
}

}  // namespace sbdl
