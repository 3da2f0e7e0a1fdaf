// How close an image is to the truth.
#pragma once

#include <limits>

#include "sbdl/image.hpp"

namespace sbdl {

/// For integer samples the largest value of their scale; for float samples their range (1 when they are all equal).
double peak_of(const Image& image);

/// The range of values that PSNR and SSIM refer to. Samples of 8 bits have the range 0 to 255. All others have that of
/// their values, because 16-bit files often hold data of 10, 12 or 14 bits: with a peak of 65535 their PSNR would be up
/// to 36 dB too high.
struct DataRange {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    /// Extends the range to include another image, such as a further page of a stack.
    void include(const Image& image);
    /// The peak; 1 when all values are equal.
    [[nodiscard]] double width() const { return high > low ? high - low : 1.0; }
};

/// The range for comparisons with this true image.
DataRange data_range(const Image& truth);

/// 20 log10(peak / root mean square difference), over all planes; infinite for equal images. Nothing is clipped or
/// rounded. Throws InputError when the shapes differ.
double psnr(const Image& truth, const Image& estimate, double peak);

/// Structural similarity (Wang, Bovik, Sheikh, Simoncelli 2004): 11 x 11 Gaussian window of standard deviation 1.5,
/// K1 = 0.01, K2 = 0.03, mean over the pixels whose window lies inside, mean over the planes. Throws InputError when
/// the shapes differ or a side is below 11.
double ssim(const Image& truth, const Image& estimate, double peak);

/// The fraction of samples, over all planes, whose estimate is within a multiple of its standard deviation of the
/// truth: 0.68 for 1 and 0.95 for 2 if errors are Gaussian and the standard deviations right. Throws InputError when
/// the shapes differ.
double share_within(const Image& truth, const Image& estimate, const Image& estimate_std, double multiple);

}  // namespace sbdl
