// The ranks of the program when mpirun has started it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>

#include "sbdl/ranks.hpp"

namespace sbdl::app {

/// While it exists, the program is one of the ranks that mpirun has started, if it has. Only rank 0 writes to the
/// terminal; the output of the others is dropped.
class ProgramRanks {
public:
    ProgramRanks();
    ProgramRanks(const ProgramRanks&) = delete;
    ProgramRanks& operator=(const ProgramRanks&) = delete;
    ~ProgramRanks();

private:
    struct Started;
    std::unique_ptr<Started> started_;
};

/// null: the program runs alone.
Ranks* program_ranks();

/// How many of the ranks are on this machine; 1 without ranks.
int ranks_on_this_machine();

/// Without the start of MPI, which takes a second: drops what all ranks but the first print.
void silence_other_ranks();

/// Whether this process writes files and reports.
bool is_first_rank();

/// The number of threads of this rank, where the user gives none: a fair share of the machine; 0 without ranks.
int threads_of_rank();

/// Throws InputError when ranks would have to share standard input, or another pipe or device.
void reject_shared_input(std::initializer_list<std::filesystem::path> inputs);

}  // namespace sbdl::app
