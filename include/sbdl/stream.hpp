// What the streaming methods (svb, online, rls, sgd) have in common. They hold a batch of signals and what they have
// learned, never all signals, so a source may be larger than memory. They can continue from a model with more
// signals (Context::start); Model::stream holds what they need for that.
//
// For observers and traces, one of their sweeps is a pass over all signals, or 65,536 signals of a longer pass.
#pragma once

#include <array>
#include <string_view>

namespace sbdl {

/// The order in which a pass takes the signals.
enum class StreamOrder {
    shuffled,  ///< a new random order in each pass: 8 bytes per signal, and a file is read in random order
    stored     ///< as they are stored, from front to back in each pass; their order should be arbitrary
};
constexpr std::array<std::string_view, 2> words_of(StreamOrder) {
    return {"shuffled", "stored"};
}

}  // namespace sbdl
