"""Threads, Ctrl-C and memory."""

import _thread
import ctypes
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from conftest import learner, same_bits

import sbdl


def test_two_fits_in_two_threads(signals):
    # Each waits in its first sweep until the other is in its own: they pass only if both run at the same time.
    both_run = threading.Barrier(2, timeout=60)
    fitted = {}

    def fit(seed):
        def meet(report):
            if report.sweep == 1:
                both_run.wait()

        fitted[seed] = learner(random_state=seed, callback=meet).fit(signals)

    threads = [threading.Thread(target=fit, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in (1, 2):
        assert same_bits(fitted[seed].components_, learner(random_state=seed).fit(signals).components_)


def test_others_run_while_the_core_works(signals):
    # The learner's thread takes the GIL only between sweeps; this one counts meanwhile.
    done = threading.Event()
    thread = threading.Thread(target=lambda: (learner(max_iter=400).fit(signals), done.set()))
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
    thread.join()
    assert turns > 0


def own_blas():
    """Return the BLAS inside the wheel (NumPy has another), or None if it is not OpenBLAS."""
    with open("/proc/self/maps") as file:
        paths = {line.split()[-1] for line in file if "libopenblas" in line}
    return ctypes.CDLL(paths.pop()) if len(paths) == 1 else None


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")
def test_blas_starts_no_threads_inside_ours(signals):
    blas = own_blas()
    if blas is None:
        pytest.skip("the BLAS is not OpenBLAS")
    blas.openblas_set_num_threads(2)
    seen = set()
    learner(callback=lambda report: seen.add(blas.openblas_get_num_threads())).fit(signals)
    assert seen == {1}
    assert blas.openblas_get_num_threads() == 2


def interrupt_from(event):
    def wait_and_press():
        event.wait(60)
        _thread.interrupt_main()

    thread = threading.Thread(target=wait_and_press)
    thread.start()
    return thread


def test_ctrl_c_stops_after_the_sweep_and_leaves_a_model(signals):
    event = threading.Event()
    thread = interrupt_from(event)
    estimator = learner(max_iter=10**7, callback=lambda report: event.set())
    with pytest.raises(KeyboardInterrupt, match=r"Training interrupted by user after \d+ sweeps"):
        estimator.fit(signals)
    thread.join()
    assert estimator.stop_reason_ == "interrupted"
    assert estimator.transform(signals).shape == (120, 6)


def test_ctrl_c_in_a_callback(signals):
    def press(report):
        if report.sweep == 3:
            raise KeyboardInterrupt

    estimator = learner(callback=press)
    with pytest.raises(KeyboardInterrupt, match="after 3 sweeps"):
        estimator.fit(signals)
    assert estimator.n_iter_ == 3
    with pytest.warns(UserWarning, match="after 3 sweeps"):
        assert learner(callback=press, keep_interrupted=True).fit(signals).n_iter_ == 3


def test_ctrl_c_in_a_callback_of_denoising():
    noisy = sbdl.make_noisy(sbdl.make_image(40, 40), 20.0)

    def press(report):
        raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="Learning interrupted by user; the image was cleaned"):
        clean, _ = sbdl.denoise(noisy, n_components=32, callback=press)
    assert np.isfinite(clean).all()


# Denoises in a process of its own and prints what came of it as JSON. At the first progress of STAGE it says so and
# waits for the signal: reading standard input ends when the signal arrives.
DENOISER = """
import json, sys, warnings
import sbdl
from sbdl._progress import ProgressBar

method, awaited = sys.argv[1:]
seen, sweeps = [], []

def on_stage(bar, stage, share, left):
    seen.append(stage)
    if stage == awaited and seen.count(stage) == 1:
        print("waiting", flush=True)
        sys.stdin.read()

ProgressBar.on_stage = on_stage
noisy = sbdl.make_noisy(sbdl.make_image(40, 40), 20.0)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    clean, info = sbdl.denoise(
        noisy, method=method, n_components=16, max_patches=300, max_iter=4, n_jobs=1, callback=sweeps.append, verbose=1
    )
print(json.dumps({
    "seen": seen,
    "sweeps": len(sweeps),
    "warnings": [str(warning.message) for warning in caught],
    "model": info.model.method,
    "seconds": list(info.seconds),
    "changed": bool((clean != noisy).any()),
}))
"""


# The codes of the first signals would take hours.
CODER = """
import sbdl

data = sbdl.synthetic(200, 8, 12, n_nonzero_coefs=2)
model = sbdl.DictionaryLearning(n_components=12, max_iter=20, transform_draws=8_000_000).fit(data.signals)
print("waiting", flush=True)
model.transform(data.signals)
"""


@pytest.fixture
def interrupted():
    processes = []

    def start(program, *arguments):
        """Return standard output after the signal, standard error, and the exit status."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen([sys.executable, "-c", program, *arguments], text=True, **pipes)
        processes.append(process)
        assert process.stdout.readline() == "waiting\n", process.stderr.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return out, err, process.returncode

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.parametrize("method", ["gibbs", "vb", "bpfa"])
def test_ctrl_c_in_the_first_stage_of_learning_ends_all_of_it(interrupted, method):
    out, err, status = interrupted(DENOISER, method, "start")
    assert status == 0, err
    found = json.loads(out)
    assert found["warnings"] == ["Learning interrupted by user; the image was cleaned with what was learned so far."]
    assert found["seen"].count("start") == 1, "the first stage ends"
    assert found["sweeps"] == 0, "the second stage does not begin"
    assert "learn" not in found["seconds"]
    assert found["model"] == "online", "the first stage's"
    assert found["changed"], "the image is cleaned all the same"


def test_ctrl_c_ends_coding(interrupted):
    out, err, _ = interrupted(CODER)
    assert out == ""
    assert err.rstrip().endswith("KeyboardInterrupt")


def test_ctrl_c_after_learning_ends_the_call(interrupted):
    out, err, _ = interrupted(DENOISER, "online", "pursuit")
    assert out == ""
    assert err.rstrip().endswith("KeyboardInterrupt")


def test_an_error_between_the_stages_of_denoising_ends_the_call(monkeypatch):
    noisy = sbdl.make_noisy(sbdl.make_image(40, 40), 20.0)
    stages = []

    def fail(bar, stage, share, left):
        stages.append(stage)
        if stage == awaited:
            raise KeyError(stage)

    monkeypatch.setattr("sbdl._progress.ProgressBar.on_stage", fail)
    for method, awaited in [("gibbs", "start"), ("online", "learn"), ("online", "noise"), ("online", "pursuit")]:
        stages.clear()
        with pytest.raises(KeyError, match=awaited):
            sbdl.denoise(noisy, method=method, n_components=32, max_iter=2, verbose=1, n_jobs=1)
        assert stages.count(awaited) == 1
        assert stages[-1] == awaited


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_a_hundred_fits_leave_no_memory_behind():
    data = sbdl.synthetic(400, 8, 40, n_nonzero_coefs=2)
    codes_bytes = 3 * 400 * 40 * 8  # means, standard deviations and probabilities, in each model

    def fit():
        reports = []
        estimator = learner(n_components=40, max_iter=2, keep_codes=True, callback=reports.append).fit(data.signals)
        estimator.transform(data.signals[:10])
        with warnings.catch_warnings(), pytest.raises(ValueError, match="update"):
            learner(update="both").fit(data.signals)

    for _ in range(60):
        fit()
    gc.collect()
    before = resident_bytes()
    for _ in range(100):
        fit()
    gc.collect()
    # A leak of one model per fit would be 100 times its codes; a tenth of that is left to the allocator.
    assert resident_bytes() - before < 10 * codes_bytes
