// Chooses the array of a file that holds the signals, or reports why the choice is not clear.

#include <fmt/format.h>

#include <algorithm>

#include "sbdl/error.hpp"
#include "signals/readers.hpp"

namespace sbdl {

namespace {

std::string list_of(const std::vector<NamedArray>& arrays) {
    constexpr std::size_t most_listed = 20;
    std::string list;
    for (std::size_t i = 0; i < std::min(arrays.size(), most_listed); ++i) {
        const NamedArray& array = arrays[i];
        const std::string what = array.problem.empty() ? fmt::format("{} x {}", array.rows, array.cols) : array.problem;
        list += fmt::format("{}{} ({})", i == 0 ? "" : ", ", array.name, what);
    }
    if (arrays.size() > most_listed) list += fmt::format(" and {} more", arrays.size() - most_listed);
    return arrays.empty() ? "nothing" : list;
}

}  // namespace

const NamedArray& choose_array(const std::vector<NamedArray>& arrays, const std::string& wanted,
                               const std::string& file, const std::string& kind) {
    const auto usable = [](const NamedArray& array) { return array.problem.empty(); };
    if (wanted.empty()) {
        const auto count = std::ranges::count_if(arrays, usable);
        if (count == 1) return *std::ranges::find_if(arrays, usable);
        throw InputError(fmt::format("{}: {} two-dimensional array of real numbers; {}the file holds: {}", file,
                                     count == 0 ? "there is no" : "there is more than one",
                                     count == 0 ? "" : fmt::format("name the {} to use; ", kind), list_of(arrays)));
    }
    const auto found = std::ranges::find(arrays, wanted, &NamedArray::name);
    if (found == arrays.end()) {
        throw InputError(
            fmt::format("{}: there is no {} '{}'; the file holds: {}", file, kind, wanted, list_of(arrays)));
    }
    if (!usable(*found)) {
        throw InputError(
            fmt::format("{}: {} '{}' cannot hold signals: {}; a two-dimensional array of real numbers is "
                        "needed",
                        file, kind, wanted, found->problem));
    }
    return *found;
}

}  // namespace sbdl
