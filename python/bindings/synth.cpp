// Synthetic signals and images.
#include "sbdl/synth.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "images.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

nb::tuple synthetic_set(std::size_t signals, std::size_t dim, std::size_t atoms, std::size_t sparsity_min,
                        std::size_t sparsity_max, double snr_db, double scale, double missing, std::uint64_t seed) {
    SynthSet set;
    {
        const nb::gil_scoped_release others_may_run;
        set = synthesize({.dim = dim,
                          .atoms = atoms,
                          .signals = signals,
                          .sparsity_min = sparsity_min,
                          .sparsity_max = sparsity_max,
                          .snr_db = snr_db,
                          .scale = scale,
                          .missing = missing,
                          .seed = seed});
    }
    return nb::make_tuple(to_numpy(std::move(set.signals)), to_numpy(std::move(set.dictionary)),
                          to_numpy(std::move(set.codes)), set.noise_sd);
}

}  // namespace

void bind_synth(nb::module_& module) {
    module.def(
        "synthesize", &synthetic_set, nb::kw_only(), "signals"_a, "dim"_a, "atoms"_a, "sparsity_min"_a,
        "sparsity_max"_a, "snr_db"_a, "scale"_a, "missing"_a, "seed"_a,
        nb::sig("def synthesize(*, signals: int, dim: int, atoms: int, sparsity_min: int, sparsity_max: int, "
                "snr_db: float, scale: float, missing: float, seed: int) -> tuple[numpy.typing.NDArray[numpy.float64], "
                "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], float]"),
        "Signals, dictionary, codes and the noise standard deviation.");
    module.def(
        "make_image",
        [](std::size_t height, std::size_t width, bool colour, std::uint64_t seed) {
            return to_array(make_image(height, width, colour, seed));
        },
        "height"_a, "width"_a, nb::kw_only(), "colour"_a, "seed"_a,
        nb::sig("def make_image(height: int, width: int, *, colour: bool, seed: int) "
                "-> numpy.typing.NDArray[numpy.uint8]"),
        "A painted still life, uint8.");
    module.def(
        "make_noisy",
        [](const ImageArray& image, double sd, std::uint64_t seed) {
            return to_array(make_noisy(to_image(image, "image"), sd, seed));
        },
        "image"_a.noconvert(), nb::kw_only(), "sd"_a, "seed"_a,
        nb::sig("def make_noisy(image: numpy.typing.NDArray[typing.Any], *, sd: float, seed: int) "
                "-> numpy.typing.NDArray[numpy.float32]"),
        "The image plus Gaussian noise, float32.");
}

}  // namespace sbdl::python
