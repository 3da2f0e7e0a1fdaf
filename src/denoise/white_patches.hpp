// What the passes over the patches need where the noise is correlated: they code white patches (whitening.hpp).
#pragma once

#include <cstddef>

#include "coders/batch_omp.hpp"
#include "denoise/image_passes.hpp"
#include "denoise/whitening.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

class WhitePatches {
public:
    /// `atoms` are those of white patches.
    WhitePatches(const Autocovariance& noise, const Whitening& whitening, const Matrix& atoms);
    WhitePatches(const WhitePatches&) = delete;
    WhitePatches& operator=(const WhitePatches&) = delete;
    ~WhitePatches() = default;

    [[nodiscard]] const Autocovariance& noise() const { return noise_; }
    [[nodiscard]] const Whitening& whitening() const { return whitening_; }
    [[nodiscard]] const BatchOmp& omp() const { return omp_; }
    /// Of white patches; of unit norm.
    [[nodiscard]] MatrixView atoms() const { return atoms_; }
    /// The same atoms in patches of the image.
    [[nodiscard]] MatrixView pixel_atoms() const { return pixel_atoms_; }

    /// The setting of passes over such patches, in which the noise is 1.
    [[nodiscard]] PassSetting setting(const PassSetting& like) const;

private:
    Autocovariance noise_;
    Whitening whitening_;
    Matrix atoms_, pixel_atoms_;
    BatchOmp omp_;
};

}  // namespace sbdl
