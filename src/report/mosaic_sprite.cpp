#include "report/mosaic_sprite.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl::report {

Image atom_sprite(const Model& model, const std::vector<std::size_t>& atoms, std::size_t columns) {
    constexpr double grey = 127.5;
    const auto [height, width, planes] = model.patch;
    const std::size_t rows = (atoms.size() + columns - 1) / columns;
    Image sprite;
    sprite.planes.assign(planes, Matrix(rows * (height + 2), columns * (width + 2), grey));
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        const auto atom = model.dictionary.row(atoms[i]);
        double most = 0.0;
        for (const double entry : atom) most = std::max(most, std::abs(entry));
        if (most == 0.0) continue;
        const std::size_t top = i / columns * (height + 2), left = i % columns * (width + 2);
        for (std::size_t p = 0; p < sprite.planes.size(); ++p)
            for (std::size_t y = 0; y < height + 2; ++y)
                for (std::size_t x = 0; x < width + 2; ++x) {
                    const std::size_t row = std::clamp<std::size_t>(y, 1, height) - 1;
                    const std::size_t column = std::clamp<std::size_t>(x, 1, width) - 1;
                    const double entry = atom[(p * model.patch.height + row) * model.patch.width + column];
                    sprite.planes[p](top + y, left + x) = grey + grey * (entry / most);
                }
    }
    return sprite;
}

}  // namespace sbdl::report
