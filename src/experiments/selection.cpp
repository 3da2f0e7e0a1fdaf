#include "experiments/selection.hpp"

#include <optional>

namespace sbdl {

namespace {

/// The names of the parts, and the values each can have.
struct CellParts {
    PartNames names;
    std::array<std::vector<std::string>, 3> values{};
};

using CellSelector = std::array<std::optional<std::string>, 3>;  // no value: '*'

CellParts parts_of(const std::vector<CellNames>& cells, const PartNames& names) {
    CellParts parts{names};
    for (const CellNames& cell : cells)
        for (std::size_t i = 0; i < cell.size(); ++i) {
            std::vector<std::string>& values = parts.values[i];
            if (std::find(values.begin(), values.end(), cell[i]) == values.end()) values.push_back(cell[i]);
        }
    return parts;
}

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

CellSelector parse_selector(const std::string& text, const CellParts& parts) {
    CellSelector fixed;
    const auto fix_part = [&](std::size_t part, const std::string& value) {
        if (value == "*") return;
        const std::vector<std::string>& values = parts.values[part];
        if (std::find(values.begin(), values.end(), value) == values.end())
            throw InputError(fmt::format("cell selector '{}': {} = '{}' is not in the table, which has {}", text,
                                         parts.names[part], value, fmt::join(values, ", ")));
        fixed[part] = value;
    };
    if (text.find('=') == std::string::npos) {
        const std::vector<std::string> values = split(text, '/');
        if (values.size() != fixed.size()) throw InputError(not_a_selector(text, parts));
        for (std::size_t i = 0; i < values.size(); ++i) fix_part(i, values[i]);
        return fixed;
    }
    for (const std::string& assignment : split(text, ',')) {
        const std::size_t equals = assignment.find('=');
        const std::string name = assignment.substr(0, equals);
        const auto* const part = std::find(parts.names.begin(), parts.names.end(), name);
        if (equals == std::string::npos || part == parts.names.end())
            throw InputError(fmt::format("cell selector '{}': '{}' is not one of {}=...", text, assignment,
                                         fmt::join(parts.names, "=..., ")));
        const auto index = static_cast<std::size_t>(part - parts.names.begin());
        if (fixed[index]) throw InputError(fmt::format("cell selector '{}' fixes {} twice", text, name));
        fix_part(index, assignment.substr(equals + 1));
    }
    return fixed;
}

}  // namespace

std::vector<bool> matches(const std::vector<CellNames>& cells, const PartNames& names,
                          const std::vector<std::string>& selectors) {
    const CellParts parts = parts_of(cells, names);
    std::vector<bool> matched(cells.size(), selectors.empty());
    for (const std::string& text : selectors) {
        const CellSelector fixed = parse_selector(text, parts);
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (std::equal(fixed.begin(), fixed.end(), cells[i].begin(),
                           [](const auto& wanted, const std::string& name) { return !wanted || *wanted == name; }))
                matched[i] = true;
    }
    return matched;
}

void reject_row(const std::string& name, std::string_view table, const std::vector<std::string>& rows) {
    const std::string there_are = fmt::format("the {} run has {}", table, fmt::join(rows, ", "));
    try {
        method_named(name);
    } catch (const InputError& unknown) {
        throw InputError(fmt::format("{}; {}", unknown.what(), there_are));
    }
    throw InputError(fmt::format("'{}' is not among the rows; {}", name, there_are));
}

}  // namespace sbdl
