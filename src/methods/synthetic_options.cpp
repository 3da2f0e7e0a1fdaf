#include "methods/synthetic_options.hpp"

#include <optional>
#include <variant>

#include "run/method_info.hpp"

namespace sbdl {

AnyOptions synthetic_options(std::string_view method, int atoms, int sparsity) {
    const MethodInfo& info = method_info(method);
    if (info.for_synthetic != nullptr) return info.for_synthetic(atoms, sparsity);
    AnyOptions options = info.options(Preset::standard, atoms);
    for (const OptionRef& option : options.options())
        if (option.needed && option.name == "sparsity") *std::get<std::optional<int>*>(option.value) = sparsity;
    return options;
}

}  // namespace sbdl
