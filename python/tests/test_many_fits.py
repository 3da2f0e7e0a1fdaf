"""Many fits in many threads of one process: each as if it were alone, and no memory is lost."""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from conftest import learner, same_bits

import sbdl

FITS = int(os.environ.get("SBDL_FITS", "160"))  # ./dev robustness fits: 1000
THREADS = 8


def fit(number):
    """Fit number so and so: its data, method, threads and seed."""
    signals = np.random.default_rng(number).normal(size=(40, 5))
    method = sbdl.methods()[number % len(sbdl.methods())]
    changes = {} if method == "dct" else {"max_iter": 8}
    model = learner(method, random_state=number, n_jobs=1 + number % 3, **changes).fit(signals)
    assert np.isfinite(model.components_).all()
    return model.components_, model.transform(signals[:5])


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_many_fits_in_eight_threads():
    with warnings.catch_warnings(), ThreadPoolExecutor(THREADS) as pool:
        warnings.simplefilter("ignore")
        together = list(pool.map(fit, range(FITS)))
        before = resident_bytes()
        for _ in pool.map(lambda number: fit(number) and None, range(FITS)):
            pass
        grown = resident_bytes() - before
        for number in range(0, FITS, 7):
            alone = fit(number)
            assert all(same_bits(a, b) for a, b in zip(together[number], alone, strict=True)), number
    assert grown < 3e6  # bytes; by then every thread has its workers and buffers
