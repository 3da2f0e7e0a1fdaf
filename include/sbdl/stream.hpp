// What the methods that take signals as a stream share (online, rls, sgd). They hold a batch of signals and what they
// have learned, never all signals, so a source may be larger than memory; and they go on from a model with more signals
// (Context::start), which remembers what they need for that (Model::stream).
//
// A sweep of theirs, as observers and traces count it, is a pass over all signals, or each 65,536 signals of a longer
// one.
#pragma once

#include <array>
#include <string_view>

namespace sbdl {

/// The order in which a pass takes the signals.
enum class StreamOrder {
    shuffled,  ///< at random, anew in each pass: 8 bytes a signal, and a file is read all over the place
    stored     ///< as they are stored, read once a pass from front to back; they should be in no order that matters
};
constexpr std::array<std::string_view, 2> words_of(StreamOrder) {
    return {"shuffled", "stored"};
}

}  // namespace sbdl
