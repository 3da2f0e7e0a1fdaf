// The page about a stack, from what its journal has of the pages.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "denoise.hpp"
#include "denoise/stack_journal.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/quality.hpp"

namespace sbdl::app {

/// What the journal keeps of a page besides its pixels; the same is printed with --json.
nlohmann::ordered_json page_note(const DenoiseArguments& a, const DenoiseResult& result);

struct StackRun {
    const Model* model = nullptr;  ///< the dictionary of all pages; null: each has its own
    std::vector<std::string> warnings;
    double seconds = 0.0;
    std::size_t resumed_at = 0;
    DataRange range;  ///< of the truth
};

/// All pages are done.
void write_stack_page(const DenoiseArguments& a, const StackJournal& journal, const StackRun& run);

}  // namespace sbdl::app
