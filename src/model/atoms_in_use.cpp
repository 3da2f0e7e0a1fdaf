#include "sbdl/atoms_in_use.hpp"

#include <cmath>

namespace sbdl {
namespace {

/// Of an atom whose entries are estimated from the codes of all signals by least squares.
double least_squares_error(const Model& model, double usage) {
    const double noise = std::isfinite(model.noise_sd) ? model.noise_sd : 0.0;
    const double energy = double(model.signal_count) * usage * usage;
    return double(model.signal_dim() - 1) * noise * noise / energy;
}

double posterior_error(const Model& model, std::size_t atom) {
    double sum = 0.0;
    for (std::size_t m = 0; m < model.dictionary_std.cols(); ++m)
        sum += model.dictionary_std(atom, m) * model.dictionary_std(atom, m);
    return sum;
}

}  // namespace

std::vector<bool> atoms_in_use(const Model& model) {
    std::vector<bool> used(model.atom_usage.size());
    for (std::size_t n = 0; n < used.size(); ++n) {
        const double usage = model.atom_usage[n];
        used[n] = usage > 0.0 && least_squares_error(model, usage) <= most_direction_error &&
                  (model.dictionary_std.empty() || posterior_error(model, n) <= most_direction_error);
    }
    return used;
}

}  // namespace sbdl
