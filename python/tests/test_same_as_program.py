"""The same seed gives the same bits from Python and from the command line."""

import numpy as np
import pytest
from conftest import SWEEPS, learner, needed_options, same_bits

import sbdl
from sbdl._options import METHODS


def flags(options):
    names = {"alpha": "lambda"}  # a keyword of Python
    return [word for name, v in options.items() for word in ("--" + names.get(name, name).replace("_", "-"), v)]


def test_synthetic(program):
    program("synth", "-o", "data", "--dim", 5, "--atoms", 6, "--signals", 120, "--sparsity", "1:3", "--seed", 9)
    made = sbdl.synthetic(120, 5, 6, n_nonzero_coefs=(1, 3), random_state=9)
    for name in ("signals", "dictionary", "codes"):
        assert same_bits(np.load(program.folder / f"data/{name}.npy"), getattr(made, name)), name


def learn(program, signals, method, **more):
    np.save(program.folder / "signals.npy", signals)
    options = flags({**needed_options(method), **more})
    program("learn", "signals.npy", "-o", "model.h5", "--method", method, "--atoms", 6, "--seed", 3, *options)
    return sbdl.load_model(program.folder / "model.h5")


@pytest.mark.parametrize("preset", ["standard", "paper"])
def test_learn(program, signals, method, preset):
    sweeps = {"sweeps": SWEEPS} if "max_iter" in METHODS[method].options else {}
    theirs = learn(program, signals, method, **sweeps, preset=preset)
    ours = learner(method, preset=preset).fit(signals).model_
    assert same_bits(theirs.dictionary, ours.dictionary)
    assert same_bits(theirs.atom_usage, ours.atom_usage)
    assert theirs.noise_sd == ours.noise_sd
    assert same_bits(theirs.noise_sd_std, ours.noise_sd_std)  # NaN is unknown
    assert theirs.options_json == ours.options_json
    assert theirs.stop_reason == ours.stop_reason
    for name, values in theirs.trace.items():
        assert same_bits(values, ours.trace[name]), name
    if theirs.dictionary_std is not None:
        assert same_bits(theirs.dictionary_std, ours.dictionary_std)


def test_gibbs_given_its_parts(program, signals):
    theirs = learn(program, signals, "gibbs", burn_in=5, draws=4, chains=2)
    ours = learner("gibbs", max_iter=None, burn_in=5, draws=4, chains=2).fit(signals)
    assert same_bits(theirs.dictionary, ours.components_)
    assert ours.n_iter_ == 18


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("method", ["gibbs", "vb"])
def test_posterior_codes(program, signals, method, sparse):
    estimator = learner(method, transform_sparse=sparse).fit(signals)
    estimator.model_.save(program.folder / "model.h5")
    np.save(program.folder / "signals.npy", signals)
    files = ["-o", "codes.npy", "--std", "std.npy", "--probability", "probability.npy"]
    more = ["--sparse"] if sparse else []
    program("encode", "model.h5", "signals.npy", *files, "--seed", estimator.seed_, *more)
    found = estimator.transform(signals, return_std=True, return_probability=True)
    for name, ours in zip(["codes", "std", "probability"], found, strict=True):
        assert same_bits(np.load(program.folder / f"{name}.npy"), ours), name


@pytest.mark.parametrize(("pursuit", "limit"), [("omp", {}), ("omp", {"nonzeros": 2}), ("ormp", {"error": 0.05})])
def test_pursuit_codes(program, signals, pursuit, limit):
    limits = {"nonzeros": "transform_n_nonzero_coefs", "error": "transform_max_error"}
    params = {limits[name]: value for name, value in limit.items()}
    estimator = learner("gibbs", transform_algorithm=pursuit, **params).fit(signals)
    estimator.model_.save(program.folder / "model.h5")
    np.save(program.folder / "signals.npy", signals)
    program(
        "encode", "model.h5", "signals.npy", "-o", "codes.npy", "--coder", "omp", "--pursuit", pursuit, *flags(limit)
    )
    assert same_bits(np.load(program.folder / "codes.npy"), estimator.transform(signals))


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_denoise(program, colour, dtype):
    noisy = sbdl.make_noisy(sbdl.make_image(40, 48, colour=colour, random_state=2), 20, random_state=5)
    if dtype == np.uint8:
        noisy = np.clip(np.round(noisy), 0, 255).astype(np.uint8)
    np.save(program.folder / "noisy.npy", noisy)
    program("denoise", "noisy.npy", "-o", "clean.npy", "--std", "std.npy", "--atoms", 40, "--seed", 6)
    clean, info = sbdl.denoise(noisy, n_components=40, random_state=6)
    assert same_bits(np.load(program.folder / "clean.npy"), clean)
    assert same_bits(np.load(program.folder / "std.npy"), info.std)
