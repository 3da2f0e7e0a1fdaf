// The input that both paths need to draw the codes of a tile: its signals, their variances and their normals. Included
// once per instruction set; see gibbs_block.cpp.
#if defined(SBDL_CPU_GIBBS_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_CPU_GIBBS_TILE_INL
#undef SBDL_CPU_GIBBS_TILE_INL
#else
#define SBDL_CPU_GIBBS_TILE_INL
#endif

#include <hwy/highway.h>

#include <cmath>

#include "kernels/cpu/gibbs_tables.hpp"
#include "random/lane_stream-inl.hpp"
// The lanes use the logarithm of the header above.
#include "kernels/cpu/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

/// A tile in the scratch memory; every row holds the tile's signals.
struct GibbsTile {
    GibbsTile(const GibbsTables& tables, ScratchCarver memory)
        : width(tile_vectors * lanes()),
          var(memory.take(round_up_4(tables.N) * width)),
          normals(memory.take(tables.N * width)),
          e(memory.take((tables.M + 1) * width)),
          y(memory.take(round_up_4(tables.M) * width)),
          seen(memory.take(round_up_4(tables.M) * width)),
          end(memory) {}
    std::size_t width;
    double* var;        ///< N
    double* normals;    ///< N
    double* e;          ///< M more normals; they are made in pairs, so there is room for one more
    double* y;          ///< M; 0 where an entry is missing
    double* seen;       ///< M: 1, or 0 where an entry is missing; of blocks with gaps only
    ScratchCarver end;  ///< the memory of the path that draws the codes begins here
};

/// The numbers of the signals that a vector draws.
HWY_INLINE VU lane_signals(const GibbsTileJob& job, std::size_t first) {
    return hn::Add(hn::Load(U(), job.order + first), hn::Set(U(), job.view.first_signal));
}

/// Draws tile.normals and, after them, tile.e.
inline void draw_normals(const GibbsTileJob& job, std::size_t first, const GibbsTile& tile) {
    const F f;
    const std::size_t w = lanes();
    const std::size_t count = job.tables->N + job.tables->M;
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        const LanePhilox philox(job.sweep->seed, Purpose::code, job.sweep->sweep, job.sweep->chain,
                                lane_signals(job, first + v * w));
        for (std::size_t i = 0; i < count; i += 2) {
            VU first_words, second_words;
            VF even, odd;
            philox.words(static_cast<std::uint32_t>(i / 2), first_words, second_words);
            lane_normals(first_words, second_words, even, odd);
            hn::Store(even, f, tile.normals + i * tile.width + v * w);
            hn::Store(odd, f, tile.normals + (i + 1) * tile.width + v * w);
        }
    }
}

/// Copies variances and signals of the tile; lanes past the block's end get harmless values.
inline void load_tile(const GibbsTileJob& job, std::size_t first, const GibbsTile& tile) {
    const std::size_t M = job.tables->M;
    const std::size_t in_block = job.view.count > first ? job.view.count - first : 0;
    const std::size_t used = in_block < tile.width ? in_block : tile.width;
    for (std::size_t n = 0; n < job.tables->N; ++n) {
        const double* from = job.view.code_var + n * block_size + first;
        double* to = tile.var + n * tile.width;
        const double most = job.tables->most_var[n];
        for (std::size_t l = 0; l < used; ++l) to[l] = from[l] < most ? from[l] : most;
        for (std::size_t l = used; l < tile.width; ++l) to[l] = 1.0;
    }
    for (std::size_t m = 0; m < M; ++m) {
        double* to = tile.y + m * tile.width;
        for (std::size_t l = 0; l < used; ++l) to[l] = job.view.signals[(first + l) * M + m];
        for (std::size_t l = used; l < tile.width; ++l) to[l] = 0.0;
        if (!job.view.gaps) continue;
        double* seen = tile.seen + m * tile.width;
        for (std::size_t l = 0; l < tile.width; ++l) {
            seen[l] = std::isnan(to[l]) ? 0.0 : 1.0;
            if (seen[l] == 0.0) to[l] = 0.0;
        }
    }
}

/// Sets rows of missing entries to zero.
inline void clear_missing(const GibbsTile& tile, std::size_t M, double* rows) {
    const F f;
    for (std::size_t i = 0; i < M * tile.width; i += lanes())
        hn::Store(hn::Mul(hn::Load(f, rows + i), hn::Load(f, tile.seen + i)), f, rows + i);
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
