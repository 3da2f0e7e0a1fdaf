// A pass over all signals of a source, and the codes that a sweep of it leaves.
#pragma once

#include "pass/signal_scan.hpp"
#include "pass/thread_pass.hpp"

namespace sbdl::test {

/// The signals divided by `unit`.
inline ThreadPass pass_over(const SignalSource& source, double unit, std::size_t atoms, int threads,
                            const KernelSet& kernels = cpu_kernels()) {
    const SignalFacts facts = scan_signals(source, MissingValues::allowed);
    return {{source, unit}, facts.root_mean_square, atoms, kernels, threads, facts.values};
}

/// The codes of one sweep of a chain, atoms x signals; `sweep` runs the sweep, and takes the scale of the codes.
template <class Sweep>
Mat codes_of_sweep(ThreadPass& pass, const Sweep& sweep) {
    const Vec ones = Vec::Ones(static_cast<Eigen::Index>(pass.atom_count()));
    pass.begin_record();
    sweep(&ones);
    return as_columns(pass.take_record().mean());
}

/// The prior variance of every code entry, atoms x signals.
inline Mat code_variances(const ThreadPass& pass) {
    const auto N = static_cast<Eigen::Index>(pass.atom_count()), L = static_cast<Eigen::Index>(pass.signal_count());
    const std::vector<double> all = pass.code_variances();
    return Mat::NullaryExpr(N, L, [&](Eigen::Index n, Eigen::Index l) {
        const auto signal = static_cast<std::size_t>(l), size = pass.atom_count() * block_size;
        return all[signal / block_size * size + static_cast<std::size_t>(n) * block_size + signal % block_size];
    });
}

}  // namespace sbdl::test
