// How a run of gibbs or vb uses the memory that it may take: its codes go to disk where they do not fit.
#pragma once

#include <string>
#include <vector>

#include "pass/code_store.hpp"
#include "sbdl/context.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

// What stays in memory for each signal where codes are on disk, in doubles.
constexpr double recorded_doubles = 6.0;  ///< a record of its codes (pass/code_record.hpp) and its moments, per atom
constexpr double restart_doubles = 5.0;   ///< a code that begins anew (pass/on_off_restart.hpp), as one of eight does
constexpr double user_doubles = 60.0;     ///< the codes by atom, where entries are missing; sixteen entries are on

/// What a run holds, in doubles.
struct RunMemory {
    std::size_t atoms = 0;
    double all = 0.0;           ///< with all codes in memory
    double statistics = 0.0;    ///< of a chunk, besides those of complete signals
    double per_signal = 0.0;    ///< that stay in memory, besides what every run has
    bool on_off = false;        ///< whether there will be on/off codes
    bool codes_on_disk = true;  ///< false: the codes have to stay in memory, too
};

/// Everything in memory, if Execution::memory_bytes allows it. Throws InputError, with the least amount, when that is
/// not enough even with the codes on disk.
CodeStorage storage_of_codes(const RunMemory& run, const SignalSource& source, const Context& context);

/// Warns if what is on disk is in memory after all.
void warn_of_disk_in_memory(const CodeStorage& storage, std::vector<std::string>& warnings);

}  // namespace sbdl
