// The instruction sets that the vector code was compiled for.
#pragma once

#include <string>
#include <vector>

namespace sbdl {

/// Those that this library has code for and this machine can run, the simplest first: "baseline", "avx2", "avx512".
std::vector<std::string> instruction_sets();

std::string best_instruction_set();

/// The one named by the environment variable SBDL_CPU, or the best when it is empty or not set. InputError when the
/// name is not one of instruction_sets().
std::string wanted_instruction_set();

/// The vector code of this process uses this one from now on. Only ComputeScope calls it.
void use_instruction_set(const std::string& name);

}  // namespace sbdl
