// Table II of Yang, Fang, Cheng and Li, "Sparse Bayesian dictionary learning with a Gaussian hierarchical model": PSNR
// in dB of denoised images, as printed.
#include "experiments/table2/paper.hpp"

#include <algorithm>

namespace sbdl::table2 {

namespace {

constexpr std::array<std::string_view, 5> methods{"K-SVD", "BPFA", "APrU-DL", "SBDL-VB", "SBDL-Gibbs"};
constexpr std::array<std::string_view, 3> images{"boat", "cameraman", "couple"};

// One line per image, one column per method, both in the order above.
struct Printed {
    int stride;
    int sigma;
    std::array<std::array<double, 5>, 3> psnr;
};

constexpr std::array<Printed, 6> printed{{
    {2,
     15,
     {{
         {29.2802, 29.2988, 29.5718, 29.3557, 29.5881},  // boat
         {31.4638, 30.8684, 31.7662, 31.1741, 31.6978},  // cameraman
         {31.4068, 31.0950, 31.5304, 31.0691, 31.4473},  // couple
     }}},
    {2,
     25,
     {{
         {26.9308, 26.9576, 26.8998, 26.6959, 27.1570},  // boat
         {28.6211, 28.1639, 28.7069, 28.1587, 28.8380},  // cameraman
         {28.6949, 28.5825, 28.5378, 28.4240, 28.8431},  // couple
     }}},
    {2,
     50,
     {{
         {22.9499, 23.5059, 22.7274, 23.0861, 23.4651},  // boat
         {23.9898, 22.8861, 23.5888, 23.3194, 24.1899},  // cameraman
         {24.3532, 24.3181, 24.1901, 24.3299, 24.7870},  // couple
     }}},
    {4,
     15,
     {{
         {29.2585, 28.8131, 29.4554, 29.3217, 29.5376},  // boat
         {31.3553, 29.7561, 31.5541, 31.0739, 31.4931},  // cameraman
         {31.3513, 30.3464, 31.4276, 31.1359, 31.5443},  // couple
     }}},
    {4,
     25,
     {{
         {26.6756, 26.3727, 26.7240, 26.5977, 27.0077},  // boat
         {28.4350, 26.8885, 28.4447, 28.0960, 28.5539},  // cameraman
         {28.5580, 27.5139, 28.4097, 28.3715, 28.7889},  // couple
     }}},
    {4,
     50,
     {{
         {22.7708, 23.0100, 22.6036, 23.0404, 23.2525},  // boat
         {23.2908, 22.0422, 23.3086, 23.3315, 23.8610},  // cameraman
         {24.2388, 23.4463, 24.1107, 24.4163, 24.6326},  // couple
     }}},
}};

}  // namespace

std::span<const std::string_view> paper_methods() {
    return methods;
}

std::optional<double> paper_psnr(const Table2Cell& cell, std::string_view method) {
    const auto* const line = std::find_if(printed.begin(), printed.end(), [&](const Printed& p) {
        return p.stride == cell.stride && p.sigma == cell.sigma;
    });
    const auto* const image = std::find(images.begin(), images.end(), cell.image);
    const auto* const column = std::find(methods.begin(), methods.end(), method);
    if (line == printed.end() || image == images.end() || column == methods.end()) return std::nullopt;
    return line
        ->psnr[static_cast<std::size_t>(image - images.begin())][static_cast<std::size_t>(column - methods.begin())];
}

bool same_image_in_print(const Table2Cell& cell) {
    // The paper does not say which boat image it used, and its numbers do not match the usual one.
    return cell.image == "cameraman" || cell.image == "couple";
}

}  // namespace sbdl::table2
