// The instruction sets that the vector code was compiled for.
#pragma once

#include <string>
#include <vector>

namespace sbdl {

/// Those that this library has code for and this machine can run, the plainest first: "baseline", "avx2", "avx512".
std::vector<std::string> instruction_sets();

std::string best_instruction_set();

/// The one that the environment variable SBDL_CPU names, or the best when it is empty or not set. InputError when it
/// names none of instruction_sets().
std::string wanted_instruction_set();

/// Vector code of this process uses that one from now on. Only ComputeScope calls this.
void use_instruction_set(const std::string& name);

}  // namespace sbdl
