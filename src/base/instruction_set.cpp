#include "base/instruction_set.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

/// Simplest first. Anything but the two named below is what every machine of its kind has: plain x86-64, NEON.
const std::vector<std::int64_t>& targets() {
    // Only once: later the targets disabled by use_instruction_set() would be missing.
    static const std::vector<std::int64_t> all = [] {
        const auto best_first = hwy::SupportedAndGeneratedTargets();
        return std::vector<std::int64_t>(best_first.rbegin(), best_first.rend());
    }();
    return all;
}

std::string name_of(std::int64_t target) {
    if (target == HWY_AVX3) return "avx512";
    if (target == HWY_AVX2) return "avx2";
    return "baseline";
}

}  // namespace

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const std::int64_t target : targets()) names.push_back(name_of(target));
    return names;
}

std::string best_instruction_set() {
    return name_of(targets().back());
}

std::string wanted_instruction_set() {
    const char* const wanted = std::getenv("SBDL_CPU");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    if (wanted == nullptr || *wanted == '\0') return best_instruction_set();
    const std::vector<std::string> available = instruction_sets();
    if (std::ranges::find(available, wanted) == available.end())
        throw InputError(
            fmt::format("SBDL_CPU is '{}'; available on this machine: {}", wanted, fmt::join(available, ", ")));
    return wanted;
}

void use_instruction_set(const std::string& name) {
    const std::vector<std::int64_t>& all = targets();
    const auto found = std::ranges::find(all, name, name_of);
    // Better targets are lower bits. For the best one nothing is disabled.
    hwy::DisableTargets(found == all.end() || *found == all.back() ? 0 : *found - 1);
}

}  // namespace sbdl
