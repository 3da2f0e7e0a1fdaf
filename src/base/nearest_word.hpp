// Which of some words was meant, for messages about a word that is none of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sbdl {

/// The word that a slip of the keyboard turns into `typed`: one letter wrong, missing, extra or swapped with its
/// neighbour, two such slips in a word of five letters or more, or a beginning of at least three letters of one word
/// alone. Empty if there is none.
std::string_view nearest_word(std::string_view typed, std::span<const std::string_view> words);

/// "; did you mean 'denoise'?", or nothing. `quote` surrounds the word.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> words, std::string_view quote = "'");

}  // namespace sbdl
