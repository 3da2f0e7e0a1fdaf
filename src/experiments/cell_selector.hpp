// How cells of a table are chosen: by their three parts, as in "1000/10/3" or "*/10/*", or by those that are fixed, as
// in "L=1000,snr=10".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sbdl {

using CellNames = std::array<std::string, 3>;

/// The names of the parts, and the values each can have.
struct CellParts {
    std::array<std::string_view, 3> names;
    std::array<std::vector<std::string>, 3> values;
};

class CellSelector {
public:
    /// Throws InputError when the text is not a selector or fixes a part to a value that it cannot have.
    CellSelector(const std::string& text, const CellParts& parts);

    [[nodiscard]] bool matches(const CellNames& cell) const;

private:
    void fix_part(std::size_t part, const std::string& value, const std::string& text, const CellParts& parts);

    std::array<std::optional<std::string>, 3> fixed_;  // no value: '*'
};

/// Whether any of the selectors matches; true when there is none.
bool selected(const std::vector<CellSelector>& selectors, const CellNames& cell);

}  // namespace sbdl
