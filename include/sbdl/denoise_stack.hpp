// Remove the noise from a stack of images, page by page: time series, z-stacks.
//
//     auto pages = sbdl::open_pages("noisy.tif");
//     auto clean = sbdl::write_pages("clean.tif", pages->read(0), pages->count());
//     sbdl::StackHooks hooks;
//     hooks.page = [&](std::size_t, sbdl::DenoiseResult result) { clean->add(result.image); };
//     sbdl::denoise_stack(*pages, {}, {}, {}, hooks);
//     clean->commit();
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sbdl/context.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/image_stack.hpp"
#include "sbdl/options.hpp"

namespace sbdl {

/// Which dictionary is used for a page.
enum class StackDictionary {
    shared,  ///< one for all pages, learned from a few pages spread over the stack
    own      ///< each page learns its own
};
constexpr std::array<std::string_view, 2> words_of(StackDictionary) {
    return {"shared", "own"};
}

struct StackOptions {
    StackDictionary dictionary = StackDictionary::shared;

    static constexpr auto fields() {
        return std::tuple{choice("dictionary", &StackOptions::dictionary,
                                 "In a stack: one dictionary for all pages (shared), or one for each page (own).")};
    }
};

/// Callbacks of a run. All are optional.
struct StackHooks {
    std::function<void(const Model& shared)> learned;  ///< the shared dictionary has been learned
    /// A page is done. Pages come in order.
    std::function<void(std::size_t page, DenoiseResult result)> page;
    std::function<void(const DenoiseProgress&)> progress;  ///< called from any thread, but from one at a time
    /// When set, the current page is abandoned and the run ends; the pages before it are done.
    const std::atomic<bool>* stop = nullptr;
    /// When set, the learning of the shared dictionary ends after its sweep, and the pages are cleaned with what was
    /// learned so far.
    const std::atomic<bool>* end_learning = nullptr;
};

struct StackResult {
    std::size_t done = 0;  ///< pages 0 ... done - 1 are done; fewer than all when the run was stopped
    bool shared = false;   ///< one dictionary for all pages
    std::vector<std::string> warnings;
};

/// Denoises the pages from `first` on; those before it were done earlier. Each page equals the result of denoise() with
/// the same options, seed and dictionary. The pages may differ in size and type: the shared dictionary is then learned
/// from pages like the first of those chosen. If no noise is found in them, each page learns its own. Only a few pages
/// are in memory at a time. Throws InputError with the number of the page. There are no checkpoints within a page:
/// `context` must name none.
StackResult denoise_stack(PageSource& pages, const DenoiseOptions& options = {}, const StackOptions& stack = {},
                          const Context& context = {}, const StackHooks& hooks = {}, std::size_t first = 0);

}  // namespace sbdl
