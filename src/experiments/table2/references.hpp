// The numbers that ours are compared with: the paper's, and those of published tools.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "experiments/table2/table2.hpp"

namespace sbdl::table2 {

/// The methods of the paper's table, in its order.
inline constexpr std::array<std::string_view, 5> paper_methods{"K-SVD", "BPFA", "APrU-DL", "SBDL-VB", "SBDL-Gibbs"};
std::optional<double> paper_psnr(const Table2Cell& cell, std::string_view method);
/// Whether the paper's image of this name is known to be the one that has this name today.
bool same_image_in_print(const Table2Cell& cell);

struct Peer {
    std::string_view method;
    std::string_view given;
    bool dictionary = true;  ///< it denoises with a dictionary
    /// cameraman, boat256, couple256 with sigma 15, 25, 50.
    std::array<std::array<double, 3>, 3> psnr{};
};
std::span<const Peer> peers();
/// No value where it was not measured: sizes other than 256 x 256, strides other than 2, other sigmas or images.
std::optional<double> peer_psnr(const Peer& peer, const Table2Entry& entry);

}  // namespace sbdl::table2
