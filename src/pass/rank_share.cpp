#include "pass/rank_share.hpp"

#include <algorithm>

#include "kernels/kernel_set.hpp"
#include "pass/thread_pass.hpp"

namespace sbdl {

IndexRange signals_of_rank(std::size_t place, std::size_t ranks, std::size_t signals, std::size_t dim,
                           std::size_t atoms) {
    const Blocks blocks(signals, block_size);
    const IndexRange scanned = Parts(blocks.number(), ranks)[place];
    const Parts chunks(blocks.number(), chunk_count(signals, dim, atoms));
    const IndexRange swept = Parts(chunks.number(), ranks)[place];
    std::size_t first = scanned.first, end = scanned.end();
    if (swept.size > 0) {
        first = std::min(first, chunks.first(swept.first));
        end = std::max(end, chunks.first(swept.end()));
    }
    return {place, blocks.first(first), blocks.first(end) - blocks.first(first)};
}

}  // namespace sbdl
