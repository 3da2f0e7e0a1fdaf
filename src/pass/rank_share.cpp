#include "pass/rank_share.hpp"

#include <algorithm>

#include "kernels/kernel_set.hpp"
#include "pass/shared_parts.hpp"
#include "pass/sparse_pass.hpp"
#include "pass/thread_pass.hpp"

namespace sbdl {
namespace {

/// What so many pieces of the signals or of their blocks are to rank number `place`.
IndexRange share(const Partition& pieces, std::size_t place, std::size_t ranks) {
    const IndexRange mine = Parts(pieces.number(), ranks)[place];
    return {place, pieces.first(mine.first), pieces.first(mine.end()) - pieces.first(mine.first)};
}

}  // namespace

IndexRange signals_of_rank(RunKind kind, std::size_t place, std::size_t ranks, std::size_t signals, std::size_t dim,
                           std::size_t atoms) {
    const Blocks blocks(signals, block_size);
    const auto of_blocks = [&](const IndexRange& some) {
        return IndexRange{place, blocks.first(some.first), blocks.first(some.end()) - blocks.first(some.first)};
    };
    const IndexRange scanned = of_blocks(Parts(blocks.number(), ranks)[place]);
    const IndexRange swept =
        kind == RunKind::rounds
            ? whole_pursuit_blocks(share(Parts(signals, signal_parts(signals)), place, ranks), signals)
            : of_blocks(share(Parts(blocks.number(), chunk_count(signals, dim, atoms)), place, ranks));
    if (swept.size == 0) return scanned;
    const std::size_t first = std::min(scanned.first, swept.first);
    return {place, first, std::max(scanned.end(), swept.end()) - first};
}

}  // namespace sbdl
