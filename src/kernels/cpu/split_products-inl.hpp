// Y X^T and X X^T of a block with few large and many small codes, as after burn-in. Included once per instruction set;
// see gibbs_block.cpp.
//
// A holds the codes above large_code in units of the noise (a handful per signal), and R the others:
//
//     X X^T = A H^T + H A^T + R R^T        H = R + A / 2
//     Y X^T = Y A^T + Y R^T
//
// The products with R^T use BLAS in single precision, in half the time: they round to 1e-7 of the uncertainty that the
// noise itself leaves (docs/math.md, G1). Columns of [H; Y] A^T are computed in double precision, atom by atom, from
// the signals that use the atom:
//
//     rows[l]                   [ h_1 ... h_N 0 | y_1 ... y_M 0 ]    of signal l, both parts padded to whole vectors
//     lane[i], value[i]         first[n] <= i < first[n + 1]: the signals that use atom n, and their codes
//     codes_f, signals_f        R, N x block_size; Y, block_size x M; only these are in units of the noise
//
// H A^T is not symmetric: it is added to both triangles, and SufficientStats::mirror() joins them. The cost is that of
// BLAS, 2 M N + N^2 flops per signal at the rate of single precision, and 2 (M + N) per large code, in the second
// cache.
#if defined(SBDL_CPU_SPLIT_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SBDL_CPU_SPLIT_PRODUCTS_INL
#undef SBDL_CPU_SPLIT_PRODUCTS_INL
#else
#define SBDL_CPU_SPLIT_PRODUCTS_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cmath>

#include "base/aligned.hpp"
#include "kernels/cpu/blas.hpp"
#include "kernels/cpu/gibbs_active-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sbdl::HWY_NAMESPACE {

/// A split block in scratch memory.
struct SplitCodes {
    SplitCodes(std::size_t signal_dim, std::size_t atom_count, ScratchCarver memory)
        : M(signal_dim),
          N(atom_count),
          N_padded(whole_vectors(N)),
          row(N_padded + whole_vectors(M)),
          rows(memory.take(block_size * row)),
          column(memory.take(row)),
          value(memory.take(most_large)),
          lane(reinterpret_cast<std::uint64_t*>(memory.take(most_large))),
          first(reinterpret_cast<std::uint64_t*>(memory.take(whole_vectors(N + 1)))),
          codes_f(reinterpret_cast<float*>(memory.take(N * block_size / 2))),
          signals_f(reinterpret_cast<float*>(memory.take(M * block_size / 2))),
          code_products(reinterpret_cast<float*>(memory.take((N * N + 1) / 2))),
          signal_products(reinterpret_cast<float*>(memory.take((M * N + 1) / 2))),
          end(memory) {}

    static constexpr std::size_t whole_vectors(std::size_t n) { return round_up(n, most_lanes); }

    std::size_t M, N, N_padded;
    std::size_t row;  ///< from a signal's row to the next
    double *rows, *column;
    double* value;
    std::uint64_t *lane, *first;
    float *codes_f, *signals_f;
    float *code_products, *signal_products;  ///< R R^T, lower triangle, and Y R^T; in units of the noise
    ScratchCarver end;
};

/// The signals' part of the rows, and signals_f. False when a signal is too strong for single precision.
inline bool split_signals(const double* y, std::size_t count, double sqrt_gamma, const SplitCodes& split) {
    double largest = 0.0;
    for (std::size_t i = 0; i < count * split.M; ++i) largest = std::max(largest, std::abs(y[i]));
    if (sqrt_gamma * largest > most_strength) return false;
    for (std::size_t l = 0; l < count; ++l)
        std::copy_n(y + l * split.M, split.M, split.rows + l * split.row + split.N_padded);
    for (std::size_t i = 0; i < count * split.M; ++i) split.signals_f[i] = static_cast<float>(sqrt_gamma * y[i]);
    return true;
}

/// A, R and H of the codes x, N x block_size. False when there is no room for all large codes.
inline bool split_codes(const SparseTables& tables, const double* x, std::size_t count, const SplitCodes& split) {
    const F f;
    const HalfSingle single;
    const std::size_t w = lanes();
    const VF half = hn::Set(f, 0.5), bound = hn::Set(f, large_code);
    std::size_t large = 0;
    for (std::size_t n = 0; n < split.N_padded; n += w) {
        std::uint64_t users[most_lanes][block_size / most_lanes] = {};
        for (std::size_t l = 0; l < count; l += w) {
            VF square[most_lanes];
            HWY_UNROLL(8)
            for (std::size_t i = 0; i < most_lanes; ++i) {
                square[i] = hn::Zero(f);
                if (n + i >= split.N) continue;
                const std::size_t at = (n + i) * block_size + l;
                const VF code = hn::Load(f, x + at);
                const VF strength = hn::Mul(hn::Set(f, tables.code_scale[n + i]), code);
                const auto above = hn::Gt(hn::Abs(strength), bound);
                hn::Store(hn::DemoteTo(single, hn::IfThenZeroElse(above, strength)), single, split.codes_f + at);
                square[i] = hn::IfThenElse(above, hn::Mul(half, code), code);
                users[i][l / w] = lane_bits(above);
            }
            transpose(f, square);
            HWY_UNROLL(8)
            for (std::size_t i = 0; i < most_lanes; ++i) hn::Store(square[i], f, split.rows + (l + i) * split.row + n);
        }
        for (std::size_t i = 0; i < w && n + i < split.N; ++i) {
            split.first[n + i] = large;
            for (std::size_t l = 0; l < count; l += w)
                for (std::uint64_t left = users[i][l / w]; left != 0; left &= left - 1) {
                    if (large == most_large) return false;
                    split.lane[large] = l + static_cast<std::size_t>(std::countr_zero(left));
                    split.value[large] = x[(n + i) * block_size + split.lane[large]];
                    ++large;
                }
        }
    }
    split.first[split.N] = large;
    return true;
}

/// `vectors` vectors of split.column = [H; Y] a from `row` on, a the large codes of atom n.
template <std::size_t vectors>
HWY_INLINE void large_rows(const SplitCodes& split, std::size_t n, std::size_t row) {
    static_assert(vectors <= 8);  // unrolled, so sums stay in registers
    const F f;
    const std::size_t w = lanes();
    VF sums[vectors];
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < vectors; ++v) sums[v] = hn::Zero(f);
    for (std::size_t i = split.first[n]; i < split.first[n + 1]; ++i) {
        const VF value = hn::Set(f, split.value[i]);
        const double* const from = split.rows + split.lane[i] * split.row + row;
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < vectors; ++v) sums[v] = hn::MulAdd(value, hn::Load(f, from + v * w), sums[v]);
    }
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < vectors; ++v) hn::Store(sums[v], f, split.column + row + v * w);
}

/// x_n += H a and y_n += Y a, columns n of X X^T and Y X^T.
inline void add_large_column(const SplitCodes& split, std::size_t n, double* HWY_RESTRICT x_n,
                             double* HWY_RESTRICT y_n) {
    constexpr std::size_t at_once = 8;
    const std::size_t w = lanes();
    std::size_t row = 0;
    for (; row + at_once * w <= split.row; row += at_once * w) large_rows<at_once>(split, n, row);
    for (; row < split.row; row += w) large_rows<1>(split, n, row);
    for (std::size_t i = 0; i < split.N; ++i) x_n[i] += split.column[i];
    for (std::size_t m = 0; m < split.M; ++m) y_n[m] += split.column[split.N_padded + m];
    for (std::size_t i = split.first[n]; i < split.first[n + 1]; ++i)  // the diagonal gets both halves
        x_n[n] += 0.5 * split.value[i] * split.value[i];
}

/// Doubles of scratch memory that add_split_products() needs.
std::size_t split_scratch(std::size_t M, std::size_t N) {
    return SplitCodes(M, N, ScratchCarver(nullptr)).end.taken();
}

/// Adds Y X^T and X X^T to the statistics, for y laid out count x M and x N x block_size. False, with the statistics
/// unchanged, when too many codes are large or a signal is too strong.
bool add_split_products(const SparseTables& tables, double sqrt_gamma, const double* y, const double* x,
                        std::size_t count, double* scratch, SufficientStats& stats) {
    const auto M = static_cast<std::size_t>(stats.y_xt.rows()), N = static_cast<std::size_t>(stats.y_xt.cols());
    const SplitCodes split(M, N, ScratchCarver(scratch));
    if (!split_signals(y, count, sqrt_gamma, split) || !split_codes(tables, x, count, split)) return false;
    single_products(split.signals_f, M, split.codes_f, N, count, split.signal_products, split.code_products);
    const double* HWY_RESTRICT unit = tables.code_unit.data();
    for (std::size_t n = 0; n < N; ++n) {
        double* HWY_RESTRICT x_n = stats.x_xt.data() + n * N;
        double* HWY_RESTRICT y_n = stats.y_xt.data() + n * M;
        if (split.first[n] < split.first[n + 1]) add_large_column(split, n, x_n, y_n);
        const float* HWY_RESTRICT codes = split.code_products + n * N;
        const float* HWY_RESTRICT signals = split.signal_products + n * M;
        for (std::size_t i = n; i < N; ++i) x_n[i] += unit[n] * (unit[i] * static_cast<double>(codes[i]));
        for (std::size_t m = 0; m < M; ++m) y_n[m] += unit[n] * (static_cast<double>(signals[m]) / sqrt_gamma);
    }
    return true;
}

}  // namespace sbdl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
