#include "inpaint/gap_errors.hpp"

#include <cmath>
#include <cstddef>

namespace sbdl {

GapErrors gap_errors(const Image& truth, const Image& incomplete, const Image& filled, const Image& std) {
    double squares = 0.0, missing = 0.0, within_1 = 0.0, within_2 = 0.0;
    for (std::size_t p = 0; p < truth.planes.size(); ++p)
        for (std::size_t i = 0; i < truth.planes[p].size(); ++i) {
            if (!std::isnan(incomplete.planes[p].data()[i])) continue;
            const double off = std::abs(filled.planes[p].data()[i] - truth.planes[p].data()[i]);
            squares += off * off;
            missing += 1.0;
            if (std.planes.empty()) continue;
            const double expected = std.planes[p].data()[i];
            within_1 += off <= expected ? 1.0 : 0.0;
            within_2 += off <= 2.0 * expected ? 1.0 : 0.0;
        }
    GapErrors errors;
    if (missing == 0.0) return errors;
    errors.mean_square = squares / missing;
    if (std.planes.empty()) return errors;
    errors.within_1 = within_1 / missing;
    errors.within_2 = within_2 / missing;
    return errors;
}

}  // namespace sbdl
