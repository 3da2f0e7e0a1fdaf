#include "pass/make_pass.hpp"

#include "pass/thread_pass.hpp"

namespace sbdl {

std::unique_ptr<CodePass> make_pass(const SignalShare& share, const SignalFacts& facts, std::size_t atoms,
                                    const Execution& execution, const CodeStorage& storage) {
    const std::optional<double> values = facts.values > 0.0 ? std::optional(facts.values) : std::nullopt;
    return std::make_unique<ThreadPass>(share, facts.root_mean_square, atoms, kernel_set(execution.kernels),
                                        execution.threads, values, RankGroup(execution.ranks), storage);
}

}  // namespace sbdl
