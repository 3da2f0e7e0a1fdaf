#include "denoise/white_patches.hpp"

#include "base/linalg.hpp"

namespace sbdl {
namespace {

OmpOptions white_pursuit() {
    OmpOptions options;  // each pass sets the error at which it stops
    options.pursuit = Pursuit::ormp;
    options.max_nonzeros = few_atoms;
    return options;
}

}  // namespace

WhitePatches::WhitePatches(const Autocovariance& noise, const Whitening& whitening, const Matrix& atoms)
    : noise_(noise),
      whitening_(whitening),
      atoms_(atoms),
      pixel_atoms_(to_rows(whitening.colour() * as_columns(atoms))),
      omp_(atoms_, white_pursuit()) {}

PassSetting WhitePatches::setting(const PassSetting& like) const {
    PassSetting result(omp_, atoms_);
    result.patch = like.patch;
    result.sigma = 1.0;
    result.threads = like.threads;
    result.with_std = like.with_std;
    result.journal = like.journal;
    result.progress = like.progress;
    result.short_codes = true;
    result.white = this;
    return result;
}

}  // namespace sbdl
