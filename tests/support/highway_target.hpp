// Runs the vector kernels on a chosen instruction set of this machine.
#pragma once

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sbdl::test {

/// While it exists, Highway uses only this target.
class HighwayTarget {
public:
    explicit HighwayTarget(std::int64_t target) { choose(target); }
    HighwayTarget(const HighwayTarget&) = delete;
    HighwayTarget& operator=(const HighwayTarget&) = delete;
    ~HighwayTarget() { choose(0); }

private:
    static void choose(std::int64_t target) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
};

inline std::vector<std::int64_t> highway_targets() {
    const auto found = hwy::SupportedAndGeneratedTargets();
    return {found.begin(), found.end()};
}

inline std::string highway_target_name(std::int64_t target) {
    return hwy::TargetName(target);
}

}  // namespace sbdl::test
