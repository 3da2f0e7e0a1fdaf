// Code signals with a learned dictionary held fixed: posterior mean and standard deviation of every coefficient.
#pragma once

#include <functional>

#include "sbdl/context.hpp"
#include "sbdl/model.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// Gibbs models average `draws` sweeps after throwing `burn_in` away; VB models iterate to their fixed point, `draws`
/// sweeps at most.
struct PosteriorCoderOptions {
    int burn_in = 100;
    int draws = 100;
};

/// Receives the codes of signals first, first + 1, ... in order, a block at a time.
using CodeSink = std::function<void(std::size_t first, MatrixView mean, MatrixView std)>;

/// Memory stays bounded whatever the number of signals. Throws InputError when the signals' length is not the model's.
void encode_posterior(const Model& model, const SignalSource& signals, const PosteriorCoderOptions& options,
                      const Context& context, const CodeSink& sink);

}  // namespace sbdl
