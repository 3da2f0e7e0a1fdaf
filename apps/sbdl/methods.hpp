// The methods of `sbdl learn`, in one list.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "field_options.hpp"
#include "learn.hpp"

namespace sbdl::app {

struct Method {
    std::string_view name;
    void (*describe)(const std::string& name, FieldOptions& fields);  ///< makes its options known
    int (*learn)(const LearnArguments& arguments, const FieldOptions& fields);
    bool kernels;              ///< whether it has a choice of them
    std::string_view summary;  ///< what it needs and what it finds out, for the help
};

std::span<const Method> all_methods();

/// Throws InputError with the names there are.
const Method& find_method(const std::string& name);

}  // namespace sbdl::app
