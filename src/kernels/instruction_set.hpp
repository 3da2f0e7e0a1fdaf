// Which of the instruction sets that the vector code was compiled for is used: the best one this machine has, or the
// one that the environment variable SBDL_CPU names.
#pragma once

#include <string>
#include <vector>

namespace sbdl {

/// Those that this program has code for and this machine can run, the plainest first: "baseline", "avx2", "avx512".
std::vector<std::string> instruction_sets();

/// The one in use. SBDL_CPU is read by the first call, which every user of vector code makes before anything else;
/// InputError when it names none of instruction_sets(). Empty or not set: the best.
const std::string& instruction_set();

}  // namespace sbdl
