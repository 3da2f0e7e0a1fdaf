// The dictionary, most used atom first. An atom is a button: pointing at it, tapping it or moving to it with the arrow
// keys shows it enlarged with its number and use.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/thinning.hpp"
#include "report/display_image.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"

namespace sbdl::report {
namespace {

constexpr std::size_t most_atoms = 1024;  // drawn
constexpr std::size_t most_sprite_pixels = 1 << 24;
constexpr std::size_t most_line_points = 64;  // of one atom drawn as a line
constexpr double atom_side_px = 40.0;         // approximate size on the page

bool drawn_as_images(const Model& model) {
    return model.patch.planes == 1 || model.patch.planes == 3;
}

std::size_t drawn_count(const Model& model) {
    std::size_t most = most_atoms;
    if (drawn_as_images(model))
        most = std::clamp<std::size_t>(most_sprite_pixels / std::max<std::size_t>(1, model.signal_dim()), 1, most);
    return std::min(most, model.atom_count());
}

// Whole screen pixels per pixel of the patch, if it is small enough.
double enlargement(const PatchShape& patch) {
    const double side = static_cast<double>(std::max(patch.height, patch.width));
    return side <= atom_side_px ? std::round(atom_side_px / side) : std::max(atom_side_px, std::min(side, 96.0)) / side;
}

std::string label(const Model& model, std::size_t atom, std::size_t place) {
    std::string text = fmt::format("Atom {}, use {}, {} of {}", atom, number(model.atom_usage[atom], 3),
                                   ordinal(place + 1), count(model.atom_count()));
    if (model.on_off)
        text += fmt::format(", in {} % of the signals", number(100.0 * model.on_off->atom_probability[atom], 2));
    return text;
}

// On the scale of the atom's own entries, with 0 in the middle.
std::string line_of(std::span<const double> atom) {
    std::vector<plot::Point> points;
    double most = 0.0;
    for (std::size_t i = 0; i < atom.size(); ++i) {
        points.push_back({static_cast<double>(i), atom[i]});
        most = std::max(most, std::abs(atom[i]));
    }
    const double across = 100.0 / std::max(1.0, static_cast<double>(atom.size()) - 1.0);
    std::string path;
    for (const plot::Point& point : plot::thinned(points, most_line_points))
        path += fmt::format("{}{:.0f} {:.0f}", path.empty() ? "M" : "L", point.x * across,
                            50.0 - 46.0 * (most > 0.0 ? point.y / most : 0.0));
    if (points.size() == 1) path += "H100";
    return fmt::format(
        "<svg viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"zero\" "
        "d=\"M0 50H100\"/><path d=\"{}\"/></svg>",
        path);
}

// Only the first can be reached with Tab, and the script changes which one.
std::string button(const Model& model, std::size_t atom, std::size_t place) {
    const std::string drawing = drawn_as_images(model) ? fmt::format(" style=\"--x:{};--y:{}\">",
                                                                     place % sprite_columns, place / sprite_columns)
                                                       : fmt::format(">{}", line_of(model.dictionary.row(atom)));
    return fmt::format("<button type=\"button\" aria-label=\"{}\" tabindex=\"{}\"{}</button>\n",
                       label(model, atom, place), place == 0 ? 0 : -1, drawing);
}

std::string lead(const Model& model, std::size_t drawn) {
    std::string text = fmt::format(
        "<p>{} of {}, the most used first. Use is the root mean square of an atom’s "
        "coefficients; atoms are numbered from 0, like the rows of the model file.",
        count_of(model.atom_count(), "atom"), atom_size_text(model));
    text += drawn_as_images(model) ? " Mid-grey is 0; each atom has its own scale." : " Each atom has its own scale.";
    if (model.on_off) text += " The share of the signals that use an atom was inferred, too.";
    if (drawn < model.atom_count())
        text += fmt::format(" <strong>Only the {} most used are drawn.</strong>", count(drawn));
    return text + "</p>\n";
}

}  // namespace

std::string mosaic(const Model& model) {
    std::vector<std::size_t> atoms = atoms_by_use(model);
    atoms.resize(drawn_count(model));
    std::string body = lead(model, atoms.size());
    std::string kind = "lines", shape, buttons;
    for (std::size_t i = 0; i < atoms.size(); ++i) buttons += button(model, atoms[i], i);
    if (drawn_as_images(model)) {
        const Image sprite = atom_sprite(model, atoms);
        kind = "images";
        shape = fmt::format(" style=\"--w:{};--h:{};--k:{:.4g};--sprite-w:{};--sprite-h:{}\"", model.patch.width,
                            model.patch.height, enlargement(model.patch), sprite.width(), sprite.height());
        // In a separate rule, so that the long address is in the page only once and is decoded once.
        body += fmt::format("<style>.mosaic.images button,.mosaic.images .view{{background-image:url({})}}</style>\n",
                            png_address(sprite));
    }
    body += fmt::format(
        "<div class=\"mosaic {}\"{}>\n<p class=\"chosen only-js\"><span class=\"view\"></span><output "
        "aria-live=\"off\">Point at an atom, tap it, or move to it with the arrow keys.</output></p>\n"
        "<div class=\"atoms\" role=\"group\" aria-label=\"Atoms\">\n{}</div>\n</div>\n",
        kind, shape, buttons);
    return section("dictionary", "The dictionary", body);
}

}  // namespace sbdl::report
