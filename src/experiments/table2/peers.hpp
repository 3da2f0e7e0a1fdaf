// The numbers of published tools.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "experiments/table2/summary.hpp"

namespace sbdl::table2 {

struct Peer {
    std::string_view method;
    std::string_view given;
    bool dictionary = true;  ///< it denoises with a dictionary
    /// cameraman, boat256, couple256 with sigma 15, 25, 50.
    std::array<std::array<double, 3>, 3> psnr{};
};
std::span<const Peer> peers();
/// No value where it was not measured: other sizes than 256 x 256, other strides than 2, other sigmas or images.
std::optional<double> peer_psnr(const Peer& peer, const Table2Entry& entry);

}  // namespace sbdl::table2
