#include "options/option_name.hpp"

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

}  // namespace sbdl
