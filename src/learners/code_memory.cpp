#include "learners/code_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes_text.hpp"
#include "base/parallel.hpp"
#include "base/rank_group.hpp"
#include "options/option_name.hpp"
#include "pass/thread_pass.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

/// Doubles of a process whose codes are all on disk.
double doubles_beside_codes(const RunMemory& run, const SignalSource& source, const Execution& execution) {
    constexpr double copies = 6.0;      // of the statistics: their sum, and what atoms are computed from
    constexpr double block_rows = 8.0;  // of N + M numbers for each signal of a block: buffers of threads and kernels
    constexpr double tile = 16.0;       // systems that a thread solves beside each other
    constexpr double per_signal = 3.5;  // how dense a code is, and a list of these
    const double ranks = RankGroup(execution.ranks).count(), threads = resolve_threads(execution.threads);
    const auto N = static_cast<double>(run.atoms), M = static_cast<double>(source.dim());
    const double chunks = std::ceil(static_cast<double>(chunk_count(source.count(), source.dim(), run.atoms)) / ranks);
    const double systems = tile * M * (N + M) + 4.0 * N * N;
    return (chunks + copies) * (N * (N + M) + run.statistics) +
           threads * (block_rows * static_cast<double>(block_size) * (N + M) + systems) + 0.5 * M * M * N +
           (per_signal + run.per_signal) * static_cast<double>(source.count()) / ranks;
}

std::filesystem::path scratch_folder(const Context& context) {
    if (!context.execution.scratch.empty()) return context.execution.scratch;
    if (context.checkpoint.path.empty()) return std::filesystem::temp_directory_path();
    return std::filesystem::absolute(context.checkpoint.path).parent_path();
}

}  // namespace

CodeStorage storage_of_codes(const RunMemory& run, const SignalSource& source, const Context& context) {
    const Execution& execution = context.execution;
    const RankGroup ranks(execution.ranks);
    const double here = ranks.on_this_machine(), allowed = execution.memory_bytes / here;
    const double all = sizeof(double) * run.all / ranks.count();
    if (execution.memory_bytes == 0.0 || all <= allowed) return {};
    const double beside = sizeof(double) * doubles_beside_codes(run, source, execution);
    const double least = run.codes_on_disk ? std::min(all, beside) : all;
    if (least > allowed)
        throw InputError(fmt::format(
            "learning {} atoms from {} signals of length {} needs at least about {} of memory{}; {} allows {}",
            run.atoms, source.count(), source.dim(), needed_text(here * least), for_ranks_here(ranks),
            option_name("memory"), present_text(execution.memory_bytes)));
    // Something is left for what is not known beforehand, such as the memory of other libraries.
    constexpr double used = 0.875;
    const double signals = static_cast<double>(source.count()) / ranks.count();
    return {scratch_folder(context), used * (allowed - beside),
            run.on_off ? expected_on_off_bytes(signals, run.atoms) : 0.0, ranks.on_this_machine()};
}

void warn_of_disk_in_memory(const CodeStorage& storage, std::vector<std::string>& warnings) {
    if (storage.on_disk() && is_in_memory(storage.folder))
        warnings.push_back(
            fmt::format("{}: this folder is in memory, so the codes in it take memory; a folder on a "
                        "disk can be chosen ({})",
                        storage.folder.string(), option_name("scratch")));
}

}  // namespace sbdl
