#include "experiments/cell_selector.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

// Shows how to write one, with values that exist.
std::string not_a_selector(const std::string& text, const CellParts& parts) {
    const auto& [a, b, c] = parts.names;
    const std::string &x = parts.values[0].front(), &y = parts.values[1].front(), &z = parts.values[2].front();
    return fmt::format("cell selector '{}' is neither {}/{}/{}, as in {}/{}/{} or */{}/*, nor {}={},{}={},{}={}", text,
                       a, b, c, x, y, z, y, a, x, b, y, c, z);
}

}  // namespace

CellSelector::CellSelector(const std::string& text, const CellParts& parts) {
    if (text.find('=') == std::string::npos) {
        const std::vector<std::string> values = split(text, '/');
        if (values.size() != fixed_.size()) throw InputError(not_a_selector(text, parts));
        for (std::size_t i = 0; i < values.size(); ++i) fix_part(i, values[i], text, parts);
        return;
    }
    for (const std::string& assignment : split(text, ',')) {
        const std::size_t equals = assignment.find('=');
        const std::string name = assignment.substr(0, equals);
        const auto* const part = std::find(parts.names.begin(), parts.names.end(), name);
        if (equals == std::string::npos || part == parts.names.end())
            throw InputError(fmt::format("cell selector '{}': '{}' is not one of {}=...", text, assignment,
                                         fmt::join(parts.names, "=..., ")));
        const auto index = static_cast<std::size_t>(part - parts.names.begin());
        if (fixed_[index]) throw InputError(fmt::format("cell selector '{}' fixes {} twice", text, name));
        fix_part(index, assignment.substr(equals + 1), text, parts);
    }
}

void CellSelector::fix_part(std::size_t part, const std::string& value, const std::string& text,
                            const CellParts& parts) {
    if (value == "*") return;
    const std::vector<std::string>& values = parts.values[part];
    if (std::find(values.begin(), values.end(), value) == values.end())
        throw InputError(fmt::format("cell selector '{}': {} = '{}' is not in the table, which has {}", text,
                                     parts.names[part], value, fmt::join(values, ", ")));
    fixed_[part] = value;
}

bool CellSelector::matches(const CellNames& cell) const {
    for (std::size_t i = 0; i < cell.size(); ++i)
        if (fixed_[i] && *fixed_[i] != cell[i]) return false;
    return true;
}

bool selected(const std::vector<CellSelector>& selectors, const CellNames& cell) {
    return selectors.empty() ||
           std::any_of(selectors.begin(), selectors.end(), [&](const CellSelector& s) { return s.matches(cell); });
}

}  // namespace sbdl
