#include "kernels/instruction_set.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

/// Plainest first. What is neither of the two named ones is what every machine of its kind has: plain x86-64, NEON.
std::vector<std::int64_t> targets() {
    const auto best_first = hwy::SupportedAndGeneratedTargets();
    return {best_first.rbegin(), best_first.rend()};
}

std::string name_of(std::int64_t target) {
    if (target == HWY_AVX3) return "avx512";
    if (target == HWY_AVX2) return "avx2";
    return "baseline";
}

/// Obeys SBDL_CPU and returns the name of what is used from now on.
std::string choose() {
    const char* const wanted = std::getenv("SBDL_CPU");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    const std::vector<std::int64_t> all = targets();
    if (wanted == nullptr || *wanted == '\0') return name_of(all.back());
    const auto found = std::ranges::find(all, std::string(wanted), name_of);
    if (found == all.end())
        throw InputError(fmt::format("SBDL_CPU is '{}'; this program on this machine has: {}", wanted,
                                     fmt::join(instruction_sets(), ", ")));
    hwy::DisableTargets(*found - 1);  // the better ones are the lower bits
    return wanted;
}

}  // namespace

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const std::int64_t target : targets()) names.push_back(name_of(target));
    return names;
}

const std::string& instruction_set() {
    static const std::string chosen = choose();
    return chosen;
}

}  // namespace sbdl
