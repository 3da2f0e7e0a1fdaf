#include "learners/idle_ranks.hpp"

#include <fmt/format.h>

#include "base/rank_group.hpp"

namespace sbdl {

void warn_of_idle_ranks(const Execution& execution, std::size_t parts, std::vector<std::string>& warnings) {
    const std::size_t ranks = RankGroup(execution.ranks).sharers();
    if (parts < ranks)
        warnings.push_back(fmt::format("{} of {} ranks have nothing to do: the signals are divided into {} part{}",
                                       ranks - parts, ranks, parts, parts == 1 ? "" : "s"));
}

}  // namespace sbdl
