#include "inpaint/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "inpaint/observed.hpp"

namespace sbdl {
namespace {

constexpr std::size_t least_samples = 100, least_divided = 64;
constexpr double most_missing = 0.5, least_inner = 0.2;  // shares: of all samples, and of the missing ones

struct Stretch {
    std::size_t first, size;
};

/// Rows and columns.
struct Area {
    Stretch rows, cols;
};

struct Pixel {
    std::size_t row = 0, col = 0;
};

/// Both halves of a side of the image; the whole side if it is short.
std::vector<Stretch> halves(std::size_t side) {
    if (side < least_divided) return {{0, side}};
    return {{0, side / 2}, {side / 2, side / 2}};
}

std::vector<Area> quarters(const Image& image) {
    std::vector<Area> all;
    for (const Stretch& rows : halves(image.height()))
        for (const Stretch& cols : halves(image.width())) all.push_back({rows, cols});
    return all;
}

Stretch middle(const Stretch& of, std::size_t most) {
    const std::size_t size = std::min(of.size, most);
    return {of.first + (of.size - size) / 2, size};
}

/// `size` rows or columns with `centre` in the middle, moved so far that they lie inside the image.
Stretch around(std::size_t centre, std::size_t size, std::size_t side) {
    return {std::min(centre > size / 2 ? centre - size / 2 : 0, side - size), size};
}

Matrix part_of(const Matrix& plane, const Area& area) {
    Matrix part(area.rows.size, area.cols.size);
    for (std::size_t i = 0; i < area.rows.size; ++i)
        std::copy_n(plane.row(area.rows.first + i).data() + area.cols.first, area.cols.size, part.row(i).data());
    return part;
}

bool same_missing(const Matrix& one, const Matrix& other) {
    return std::equal(one.data(), one.data() + one.size(), other.data(),
                      [](double a, double b) { return std::isnan(a) == std::isnan(b); });
}

bool has_samples(const Matrix& plane) {
    return std::any_of(plane.data(), plane.data() + plane.size(), [](double sample) { return !std::isnan(sample); });
}

/// The part without the observed samples for which `chosen`(plane, index) holds. It is asked once for each of them.
template <class Chosen>
HeldOut hold_out_of(const Image& incomplete, const Area& area, const Chosen& chosen) {
    HeldOut held;
    held.image.samples = incomplete.samples;
    for (std::size_t p = 0; p < incomplete.planes.size(); ++p) {
        Matrix& plane = held.image.planes.emplace_back(part_of(incomplete.planes[p], area));
        auto& at = held.at.emplace_back();
        auto& samples = held.samples.emplace_back();
        for (std::size_t i = 0; i < plane.size(); ++i) {
            if (std::isnan(plane.data()[i]) || !chosen(p, i)) continue;
            at.push_back(i);
            samples.push_back(plane.data()[i]);
            plane.data()[i] = std::numeric_limits<double>::quiet_NaN();
        }
    }
    return held;
}

HeldOut hold_out_scattered(const Image& incomplete, const Area& area, std::size_t every) {
    const Matrix first = part_of(incomplete.planes[0], area);
    std::vector<std::size_t> seen;
    for (std::size_t p = 0; p < incomplete.planes.size(); ++p)
        seen.push_back(same_missing(part_of(incomplete.planes[p], area), first) ? 0 : p);
    return hold_out_of(incomplete, area, [&](std::size_t p, std::size_t) { return ++seen[p] % every == 0; });
}

/// Holds out what would be missing if the surroundings of the hole were here.
HeldOut hold_out_hole(const Image& incomplete, const Area& area, const Pixel& hole) {
    const Area there{around(hole.row, area.rows.size, incomplete.height()),
                     around(hole.col, area.cols.size, incomplete.width())};
    std::vector<Matrix> planes;
    for (const Matrix& plane : incomplete.planes) planes.push_back(part_of(plane, there));
    return hold_out_of(incomplete, area, [&](std::size_t p, std::size_t i) { return std::isnan(planes[p].data()[i]); });
}

/// For each pixel the largest distance from an observed sample, over the planes.
std::vector<std::uint16_t> depths(const Image& incomplete) {
    std::vector<std::uint16_t> deepest(incomplete.height() * incomplete.width());
    for (const Observed& plane : observed_samples(incomplete)) {
        const std::vector<std::uint16_t> own = distances_to_observed(plane, incomplete.width());
        std::transform(own.begin(), own.end(), deepest.begin(), deepest.begin(),
                       [](std::uint16_t a, std::uint16_t b) { return std::max(a, b); });
    }
    return deepest;
}

Pixel deepest_of(const std::vector<std::uint16_t>& depth, std::size_t width, const Area& area) {
    Pixel deepest{area.rows.first, area.cols.first};
    const auto at = [&](const Pixel& pixel) { return depth[pixel.row * width + pixel.col]; };
    for (std::size_t row = area.rows.first; row < area.rows.first + area.rows.size; ++row)
        for (std::size_t col = area.cols.first; col < area.cols.first + area.cols.size; ++col)
            if (at({row, col}) > at(deepest)) deepest = {row, col};
    return deepest;
}

std::vector<HeldOut> useful(std::vector<HeldOut> parts) {
    std::erase_if(parts, [](const HeldOut& part) { return !std::ranges::all_of(part.image.planes, has_samples); });
    std::size_t count = 0;
    for (const HeldOut& part : parts)
        for (const std::vector<std::size_t>& of_plane : part.at) count += of_plane.size();
    if (count < least_samples) parts.clear();
    return parts;
}

/// The deepest hole of the next quarter that has one, other than this quarter.
std::optional<Pixel> hole_after(const std::vector<std::uint16_t>& depth, std::size_t width,
                                const std::vector<Area>& quarters, std::size_t quarter) {
    for (std::size_t step = 1; step < quarters.size(); ++step) {
        const Pixel hole = deepest_of(depth, width, quarters[(quarter + step) % quarters.size()]);
        if (depth[hole.row * width + hole.col] > 0) return hole;
    }
    return std::nullopt;
}

std::vector<HeldOut> hold_out_holes(const Image& incomplete, std::size_t most_side) {
    const std::vector<std::uint16_t> depth = depths(incomplete);
    const std::vector<Area> all = quarters(incomplete);
    std::vector<HeldOut> parts;
    for (std::size_t q = 0; q < all.size(); ++q)
        if (const std::optional<Pixel> hole = hole_after(depth, incomplete.width(), all, q))
            parts.push_back(
                hold_out_hole(incomplete, {middle(all[q].rows, most_side), middle(all[q].cols, most_side)}, *hole));
    return useful(std::move(parts));
}

}  // namespace

bool has_holes(const Image& incomplete) {
    std::size_t all = 0, missing = 0, inner = 0;
    for (const Observed& plane : observed_samples(incomplete)) {
        const std::vector<std::uint16_t> distances = distances_to_observed(plane, incomplete.width());
        all += distances.size();
        missing += static_cast<std::size_t>(std::ranges::count_if(distances, [](auto d) { return d > 0; }));
        inner += static_cast<std::size_t>(std::ranges::count_if(distances, [](auto d) { return d > 1; }));
    }
    return static_cast<double>(missing) <= most_missing * static_cast<double>(all) && missing > 0 &&
           static_cast<double>(inner) >= least_inner * static_cast<double>(missing);
}

std::vector<HeldOut> hold_out(const Image& incomplete, std::size_t most_side, std::size_t every) {
    if (has_holes(incomplete))
        if (std::vector<HeldOut> parts = hold_out_holes(incomplete, most_side); !parts.empty()) return parts;
    std::vector<HeldOut> parts;
    for (const Area& quarter : quarters(incomplete))
        parts.push_back(
            hold_out_scattered(incomplete, {middle(quarter.rows, most_side), middle(quarter.cols, most_side)}, every));
    return useful(std::move(parts));
}

}  // namespace sbdl
