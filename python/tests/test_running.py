"""Threads, Ctrl-C and memory."""

import _thread
import ctypes
import gc
import os
import threading
import warnings

import numpy as np
import pytest
from conftest import learner, same_bits

import sbdl


def test_two_fits_in_two_threads(signals):
    # Each waits in its first sweep for the other to be in its own: they pass only when both run at once.
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
    # The learner's thread never asks for the GIL but between sweeps; this one counts meanwhile.
    done = threading.Event()
    thread = threading.Thread(target=lambda: (learner(max_iter=400).fit(signals), done.set()))
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
    thread.join()
    assert turns > 0


def own_blas():
    """The BLAS inside the wheel (NumPy has another), or None when it is of another kind."""
    with open("/proc/self/maps") as file:
        paths = {line.split()[-1] for line in file if "libopenblas" in line}
    return ctypes.CDLL(paths.pop()) if len(paths) == 1 else None


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")
def test_blas_starts_no_threads_inside_ours(signals):
    blas = own_blas()
    if blas is None:
        pytest.skip("the BLAS is no OpenBLAS")
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
    with pytest.warns(UserWarning, match=r"Training interrupted by user after \d+ sweeps"):
        estimator = learner(max_iter=10**7, callback=lambda report: event.set()).fit(signals)
    thread.join()
    assert estimator.stop_reason_ == "observer"
    assert estimator.transform(signals).shape == (120, 6)


def test_ctrl_c_in_a_callback(signals):
    def press(report):
        if report.sweep == 3:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="after 3 sweeps"):
        assert learner(callback=press).fit(signals).n_iter_ == 3


def test_ctrl_c_while_denoising():
    noisy = sbdl.make_noisy(sbdl.make_image(40, 40), 20.0)

    def press(report):
        raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted"):
        clean, _ = sbdl.denoise(noisy, n_components=32, callback=press)
    assert np.isfinite(clean).all()


def test_ctrl_c_between_the_stages_of_denoising(monkeypatch):
    noisy = sbdl.make_noisy(sbdl.make_image(40, 40), 20.0)

    def press(bar, stage, share):
        raise KeyboardInterrupt

    monkeypatch.setattr("sbdl._progress.ProgressBar.on_stage", press)
    with pytest.warns(UserWarning, match="interrupted"):
        clean, _ = sbdl.denoise(noisy, n_components=32, verbose=1)
    assert np.isfinite(clean).all()


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_a_hundred_fits_leave_no_memory_behind():
    data = sbdl.synthetic(400, 8, 40, n_nonzero_coefs=2)
    codes_bytes = 2 * 400 * 40 * 8  # means and deviations, in each model

    def fit():
        reports = []
        estimator = learner(n_components=40, max_iter=2, keep_codes=True, callback=reports.append).fit(data.signals)
        estimator.transform(data.signals[:10])
        with warnings.catch_warnings(), pytest.raises(ValueError, match="update"):
            learner(update="both").fit(data.signals)

    for _ in range(20):
        fit()
    gc.collect()
    before = resident_bytes()
    for _ in range(100):
        fit()
    gc.collect()
    # One model that stayed behind each time would be 100 times its codes; a tenth of that is the allocator's.
    assert resident_bytes() - before < 10 * codes_bytes
