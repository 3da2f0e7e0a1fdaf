#include "base/nearest_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sbdl {
namespace {

constexpr std::size_t longest_typed = 64;  // the time is quadratic, and no word is that long

/// The number of slips between two words: letters wrong, missing, extra, or swapped with their neighbours.
std::size_t slips_between(std::string_view a, std::string_view b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> slips((a.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return slips[i * width + j]; };
    for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
    for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + wrong});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    return slips[a.size() * width + b.size()];
}

/// Without the dashes of an option: they are no letters that could be mistyped.
std::string_view letters_of(std::string_view word) {
    const std::size_t first = word.find_first_not_of('-');
    return first == std::string_view::npos ? std::string_view() : word.substr(first);
}

}  // namespace

std::string_view nearest_word(std::string_view typed, std::span<const std::string_view> words) {
    const std::string_view letters = letters_of(typed);
    if (letters.size() < 2 || letters.size() > longest_typed) return {};
    std::size_t least = letters.size() < 5 ? 2 : 3;  // more slips than are forgiven
    std::string_view nearest;
    for (const std::string_view word : words) {
        const std::size_t slips = slips_between(letters, letters_of(word));
        if (slips < least && slips < letters_of(word).size()) {
            least = slips;
            nearest = word;
        }
    }
    if (!nearest.empty() || letters.size() < 3) return nearest;
    const auto begins = [&](std::string_view word) { return letters_of(word).starts_with(letters); };
    if (std::ranges::count_if(words, begins) != 1) return {};
    return *std::ranges::find_if(words, begins);
}

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> words, std::string_view quote) {
    const std::string_view nearest = nearest_word(typed, words);
    return nearest.empty() ? "" : fmt::format("; did you mean {0}{1}{0}?", quote, nearest);
}

}  // namespace sbdl
