// Which pass a computation gets. So far there is one, on the threads of each rank.
#pragma once

#include <memory>

#include "pass/code_pass.hpp"
#include "pass/code_store.hpp"
#include "pass/signal_scan.hpp"
#include "sbdl/context.hpp"

namespace sbdl {

/// A pass over the signals of the share, whose facts these are; each rank works on a part of them. Without a number of
/// values the signals are complete, or only their codes are wanted. The share's source must outlive the pass.
std::unique_ptr<CodePass> make_pass(const SignalShare& share, const SignalFacts& facts, std::size_t atoms,
                                    const Execution& execution, const CodeStorage& storage = {});

}  // namespace sbdl
