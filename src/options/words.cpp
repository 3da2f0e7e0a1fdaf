// Options of gibbs and vb as text: choices by their names, whole structs as JSON.
#include "options/json.hpp"

namespace sbdl {

std::string to_json(const GibbsOptions& options) {
    return options_json(options);
}

std::string to_json(const VbOptions& options) {
    return options_json(options);
}

std::string_view to_string(DictionaryUpdate update) {
    return word_of(update);
}

std::string_view to_string(Preset preset) {
    return preset == Preset::standard ? "standard" : "paper";
}

}  // namespace sbdl
