// The numbers of one DrawId, in order: the scalar form of the generator. Philox4x32-10 (Random123) on the counter
//
//     { index, signal low, signal high << 16 | chain, purpose << 24 | sweep }    key: the 64-bit seed
//
// Block `index` of 128 bits yields two uniforms of 52 bits, two normals (Box-Muller) or two exponentials. The vector
// kernels generate the same numbers from the same blocks, up to rounding.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "random/draw_id.hpp"

namespace sbdl {

/// The two 64-bit words of block `index`.
std::array<std::uint64_t, 2> random_words(std::uint64_t seed, const DrawId& id, std::uint32_t index);

class DrawStream {
public:
    /// Starts at block `first_index`, for draws that share an id but use separate blocks.
    DrawStream(std::uint64_t seed, const DrawId& id, std::uint32_t first_index = 0)
        : seed_(seed), id_(id), index_(first_index) {}

    double uniform();            ///< in (0, 1), never 0 or 1
    double normal();             ///< standard normal; normals 2j and 2j+1 come from block j if nothing else is drawn
    double exponential();        ///< rate 1; paired like normals
    double gamma(double shape);  ///< rate 1, any shape > 0 (Marsaglia and Tsang)
    std::uint64_t below(std::uint64_t n);  ///< uniform on 0 ... n - 1, without bias

private:
    std::array<std::uint64_t, 2> next_words();
    /// The spare number, or the first of a new pair, whose second becomes the spare.
    template <class Make>
    double one_of_two(std::optional<double>& spare, const Make& make);

    std::uint64_t seed_;
    DrawId id_;
    std::uint32_t index_;
    std::optional<double> spare_uniform_, spare_normal_, spare_exponential_;
};

}  // namespace sbdl
