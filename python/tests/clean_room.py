"""Tests the wheel with only Python and NumPy: run by `./dev test` in such a venv, with an empty environment.

Learns, codes, denoises, writes and reads a model, and then checks the libraries that this process has loaded: they must
come with the wheel, with NumPy or with Python, or be the C and C++ runtimes that every Linux has.
"""

import pickle
import sys
import tempfile
import warnings
from pathlib import Path

RUNTIME = (
    "ld-linux",
    "libc.",
    "libm.",
    "libdl.",
    "libpthread.",
    "librt.",
    "libgcc_s.",
    "libstdc++.",
    "libresolv.",
    "libutil.",
    "libz.",
)


def foreign_libraries():
    """Return the shared libraries of this process that a machine with only Python may lack."""
    homes = {Path(p).resolve() for p in (sys.prefix, sys.base_prefix)}
    loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    own = {path for path in loaded if any(home in Path(path).resolve().parents for home in homes)}
    # Parts of the interpreter may be in the system's folders.
    python = {path for path in loaded if "python3" in path}
    return sorted(p for p in loaded - own - python if not Path(p).name.startswith(RUNTIME))


def message_of(kind, call):
    """Return the message of a call that must fail."""
    try:
        call()
    except kind as error:
        return str(error)
    raise SystemExit(f"no {kind.__name__} where there should be one")


def main():
    for name in ("numpy", "ctypes", "hashlib"):  # parts of Python that NumPy uses, with their own libraries
        __import__(name)
    before = set(foreign_libraries())
    for name in ("sklearn", "scipy", "matplotlib", "nanobind"):
        try:
            __import__(name)
        except ImportError:
            continue
        raise SystemExit(f"{name} can be imported: this is not a clean room")

    import sbdl

    data = sbdl.synthetic(200, 8, 10, n_nonzero_coefs=2, random_state=1)
    estimator = sbdl.DictionaryLearning(10, method="vb", random_state=1).fit(data.signals)
    codes, std, probability = estimator.transform(data.signals, return_std=True, return_probability=True)
    assert codes.shape == std.shape == probability.shape == (200, 10)
    assert estimator.set_params(n_components=4).get_params()["n_components"] == 4
    assert repr(estimator).startswith("DictionaryLearning(")
    assert (pickle.loads(pickle.dumps(estimator)).components_ == estimator.components_).all()
    assert "not fitted" in message_of(ValueError, lambda: sbdl.DictionaryLearning().transform(data.signals))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sbdl.DictionaryLearning(10, max_iter=8, random_state=1).fit(data.signals)
    assert [warning.category for warning in caught] == [sbdl.ConvergenceWarning]
    assert sbdl.ConvergenceWarning.__module__.startswith("sbdl")
    assert issubclass(sbdl.ConvergenceWarning, UserWarning)
    assert "matplotlib" in message_of(ImportError, lambda: sbdl.plots.atoms(estimator, shape=(2, 4)))

    truth = sbdl.make_image(48, 48)
    noisy = sbdl.make_noisy(truth, 20.0)
    clean, info = sbdl.denoise(noisy, n_components=32)
    assert sbdl.psnr(truth, clean) > sbdl.psnr(truth, noisy)
    with tempfile.TemporaryDirectory() as folder:
        estimator.model_.save(f"{folder}/model.h5")
        assert sbdl.load_model(f"{folder}/model.h5").method == "vb"
        info.report(f"{folder}/report.html", truth=truth)

    foreign = sorted(set(foreign_libraries()) - before)
    if foreign:
        raise SystemExit("libraries from outside the wheel: " + ", ".join(foreign))
    print("the wheel needs only NumPy")


if __name__ == "__main__":
    main()
