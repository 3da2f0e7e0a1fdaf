// Results of published tools on the three 256 x 256 images: PSNR in dB, measured elsewhere with one noise seed,
// training patches two pixels apart. All of them were given the noise.
#include "experiments/table2/peers.hpp"

#include <algorithm>

namespace sbdl::table2 {

namespace {

constexpr std::size_t measured_side = 256;
constexpr int measured_stride = 2;
constexpr std::array<std::string_view, 3> measured_images{"cameraman", "boat256", "couple256"};
constexpr std::array measured_sigmas{15, 25, 50};

constexpr std::array measured{
    Peer{"overcomplete DCT", "sigma", true, {{{31.00, 28.19, 24.84}, {30.24, 27.48, 24.25}, {30.13, 27.24, 24.02}}}},
    Peer{"K-SVD (pyksvd, best of a grid)",
         "sigma, sparsity",
         true,
         {{{31.46, 28.82, 25.44}, {30.66, 27.96, 24.53}, {30.43, 27.53, 24.13}}}},
    Peer{"K-SVD (dictlearn, error-constrained)",
         "sigma",
         true,
         {{{31.49, 28.88, 25.51}, {30.72, 28.05, 24.54}, {30.49, 27.59, 24.14}}}},
    Peer{"scikit-learn mini-batch (best of a grid)",
         "sigma, alpha",
         true,
         {{{31.56, 29.04, 25.67}, {30.72, 28.09, 24.64}, {30.48, 27.64, 24.19}}}},
    Peer{"SPAMS trainDL (best of a grid)",
         "sigma, lambda",
         true,
         {{{31.68, 29.10, 25.71}, {30.80, 28.12, 24.64}, {30.59, 27.67, 24.18}}}},
    Peer{"BM3D", "sigma", false, {{{31.74, 29.32, 26.14}, {30.84, 28.34, 25.28}, {30.88, 28.20, 24.94}}}},
};

}  // namespace

std::span<const Peer> peers() {
    return measured;
}

std::optional<double> peer_psnr(const Peer& peer, const Table2Entry& entry) {
    const Table2Cell& cell = entry.cell;
    const auto* const image = std::find(measured_images.begin(), measured_images.end(), cell.image);
    const auto* const sigma = std::find(measured_sigmas.begin(), measured_sigmas.end(), cell.sigma);
    if (image == measured_images.end() || sigma == measured_sigmas.end() || cell.stride != measured_stride ||
        entry.width != measured_side || entry.height != measured_side)
        return std::nullopt;
    return peer.psnr[static_cast<std::size_t>(image - measured_images.begin())]
                    [static_cast<std::size_t>(sigma - measured_sigmas.begin())];
}

}  // namespace sbdl::table2
