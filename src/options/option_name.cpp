#include "options/option_name.hpp"

#include <fmt/format.h>

#include <atomic>

namespace sbdl {
namespace {

std::atomic<OptionSpelling> option_spelling{nullptr};

}  // namespace

void spell_options(OptionSpelling spelling) {
    option_spelling = spelling;
}

std::string option_name(std::string_view field) {
    const OptionSpelling spelling = option_spelling;
    return spelling != nullptr ? spelling(field) : std::string(field);
}

std::string option_with(std::string_view field, std::string_view word) {
    const std::string name = option_name(field);
    return name.starts_with("--") ? fmt::format("{} {}", name, word) : fmt::format("{}='{}'", name, word);
}

}  // namespace sbdl
