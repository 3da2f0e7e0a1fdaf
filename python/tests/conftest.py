"""Shared by the tests: a small set of signals, the options each method needs, and the program to compare with."""

import os
import signal
import subprocess

import numpy as np
import pytest

import sbdl
from sbdl._options import METHODS

SWEEPS = 16


def needed_options(method, sparsity=2):
    """Return what a method needs besides the data and the number of atoms."""
    needed = {name for name, option in METHODS[method].options.items() if option.needed}
    if "sparsity" in needed:
        return {"sparsity": sparsity}
    return dict.fromkeys(needed & {"alpha", "lambda_s"}, 0.1)


def learner(method="gibbs", **changes):
    """Return a quick estimator of a method."""
    params = {"n_components": 6, "random_state": 3, **needed_options(method), **changes}
    if "max_iter" in METHODS[method].options:  # dct learns nothing
        params.setdefault("max_iter", SWEEPS)
    return sbdl.DictionaryLearning(method=method, **params)


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """A shell has Ctrl-C ignored by what it runs in the background, as `./dev test` runs these tests."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data():
    return sbdl.synthetic(n_samples=120, n_features=5, n_components=6, n_nonzero_coefs=2, random_state=4)


@pytest.fixture(scope="session")
def signals(data):
    signals = data.signals.copy()
    signals.setflags(write=False)
    return signals


@pytest.fixture(params=sbdl.methods())
def method(request):
    return request.param


@pytest.fixture
def program(tmp_path):
    """Run the command line program, which SBDL_PROGRAM names, in a folder of its own."""
    path = os.environ.get("SBDL_PROGRAM")
    if not path:
        pytest.skip("SBDL_PROGRAM does not name the program")

    def run(*arguments):
        command = [path, *map(str, arguments), "--quiet"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)

    run.folder = tmp_path
    run.path = path
    return run


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
