#include "kernels/cpu/lane_order.hpp"

#include <algorithm>
#include <numeric>

namespace sbdl {

namespace {

void scatter_rows(const double* from, const LaneOrder& order, std::size_t count, std::size_t rows, double* to) {
    for (std::size_t n = 0; n < rows; ++n, from += block_size, to += block_size)
        for (std::size_t l = 0; l < count; ++l) to[order.signal[l]] = from[l];
}

}  // namespace

LaneOrder plain_order() {
    LaneOrder order;
    std::iota(order.signal, order.signal + block_size, std::uint64_t{0});
    return order;
}

std::size_t sorted_doubles(std::size_t M, std::size_t N) {
    return (M + N + 1) * block_size;
}

BlockView sort_block(const BlockView& block, const LaneOrder& order, std::size_t M, std::size_t N, double* memory) {
    double* const code_var = memory;
    double* const signals = code_var + N * block_size;
    for (std::size_t n = 0; n < N; ++n)
        for (std::size_t l = 0; l < block.count; ++l)
            code_var[n * block_size + l] = block.code_var[n * block_size + order.signal[l]];
    for (std::size_t l = 0; l < block.count; ++l) std::copy_n(block.signals + order.signal[l] * M, M, signals + l * M);
    return {.first_signal = block.first_signal,
            .count = block.count,
            .signals = signals,
            .code_var = code_var,
            .density = signals + M * block_size};
}

void put_back(const BlockView& sorted, const double* x, const LaneOrder& order, std::size_t N, const BlockView& block) {
    scatter_rows(sorted.code_var, order, block.count, N, block.code_var);
    scatter_rows(sorted.density, order, block.count, 1, block.density);
    if (block.codes != nullptr) scatter_rows(x, order, block.count, N, block.codes);
}

}  // namespace sbdl
