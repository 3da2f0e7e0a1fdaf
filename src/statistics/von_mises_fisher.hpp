// The von Mises-Fisher distribution, p(d) ~ exp(kappa mu^T d) on the unit sphere |d| = 1 in M dimensions, through what
// variational Bayes needs of it (docs/math.md, W4). With nu = M/2 - 1 and the modified Bessel functions I,
//
//     A = I_{nu+1}(kappa) / I_nu(kappa)                            length of the mean, <d> = A mu
//     Z = Gamma(nu + 1) (2 / kappa)^nu I_nu(kappa)                 mean of exp(kappa mu^T d) over the sphere
//     kappa A - ln Z                                               divergence from the uniform distribution
#pragma once

namespace sbdl {

struct VonMisesFisher {
    double mean_length = 0.0;  ///< A, between 0 and 1
    double shortfall = 1.0;    ///< 1 - A, accurate for large kappa, too
    double divergence = 0.0;   ///< Kullback-Leibler, from uniform; 0 at kappa = 0
};

/// For M >= 1 (on the sphere of M = 1, two points) and finite kappa >= 0. Relative errors are about 1e-14 for M up to
/// 10^4; for M = 1 and large kappa, where 1 - A is of the order of exp(-2 kappa), only the absolute error of the
/// shortfall is that small.
VonMisesFisher von_mises_fisher(double dim, double kappa);

}  // namespace sbdl
