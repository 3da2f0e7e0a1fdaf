#include "experiments/table2/references.hpp"

#include <algorithm>

namespace sbdl::table2 {

namespace {

// Table II of Yang, Fang, Cheng and Li, "Sparse Bayesian dictionary learning with a Gaussian hierarchical model": PSNR
// in dB of denoised images, as printed.
struct Printed {
    std::string_view image;
    int sigma;
    int stride;
    std::array<double, paper_methods.size()> psnr;  // in the order of paper_methods
};

constexpr std::array<Printed, 18> printed{{
    {"boat", 15, 2, {29.2802, 29.2988, 29.5718, 29.3557, 29.5881}},
    {"cameraman", 15, 2, {31.4638, 30.8684, 31.7662, 31.1741, 31.6978}},
    {"couple", 15, 2, {31.4068, 31.0950, 31.5304, 31.0691, 31.4473}},
    {"boat", 25, 2, {26.9308, 26.9576, 26.8998, 26.6959, 27.1570}},
    {"cameraman", 25, 2, {28.6211, 28.1639, 28.7069, 28.1587, 28.8380}},
    {"couple", 25, 2, {28.6949, 28.5825, 28.5378, 28.4240, 28.8431}},
    {"boat", 50, 2, {22.9499, 23.5059, 22.7274, 23.0861, 23.4651}},
    {"cameraman", 50, 2, {23.9898, 22.8861, 23.5888, 23.3194, 24.1899}},
    {"couple", 50, 2, {24.3532, 24.3181, 24.1901, 24.3299, 24.7870}},
    {"boat", 15, 4, {29.2585, 28.8131, 29.4554, 29.3217, 29.5376}},
    {"cameraman", 15, 4, {31.3553, 29.7561, 31.5541, 31.0739, 31.4931}},
    {"couple", 15, 4, {31.3513, 30.3464, 31.4276, 31.1359, 31.5443}},
    {"boat", 25, 4, {26.6756, 26.3727, 26.7240, 26.5977, 27.0077}},
    {"cameraman", 25, 4, {28.4350, 26.8885, 28.4447, 28.0960, 28.5539}},
    {"couple", 25, 4, {28.5580, 27.5139, 28.4097, 28.3715, 28.7889}},
    {"boat", 50, 4, {22.7708, 23.0100, 22.6036, 23.0404, 23.2525}},
    {"cameraman", 50, 4, {23.2908, 22.0422, 23.3086, 23.3315, 23.8610}},
    {"couple", 50, 4, {24.2388, 23.4463, 24.1107, 24.4163, 24.6326}},
}};

// Results of published tools on the three 256 x 256 images: PSNR in dB, measured elsewhere with one noise seed,
// training patches two pixels apart. All of them were given the noise.
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

std::optional<double> paper_psnr(const Table2Cell& cell, std::string_view method) {
    const auto* const line = std::find_if(printed.begin(), printed.end(), [&](const Printed& p) {
        return p.image == cell.image && p.sigma == cell.sigma && p.stride == cell.stride;
    });
    const auto* const column = std::find(paper_methods.begin(), paper_methods.end(), method);
    if (line == printed.end() || column == paper_methods.end()) return std::nullopt;
    return line->psnr[static_cast<std::size_t>(column - paper_methods.begin())];
}

bool same_image_in_print(const Table2Cell& cell) {
    // The paper does not say which boat image it used, and its numbers do not match the usual one.
    return cell.image == "cameraman" || cell.image == "couple";
}

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
