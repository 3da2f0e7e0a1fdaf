"""Compare sbdl with other packages in one run: pursuit, denoising an image, recovering a dictionary.

PYTHON bench/peers.py --build BUILD [--images FOLDER]

PYTHON has sbdl, numpy, scikit-learn and spams-bin. Prints figures (bench/figures.py). All packages get the same data,
the same number of threads and the same measure of quality. Peers are given what they need (the noise, the number of
atoms per signal), and of a few weights the one with the best score is used; only its time counts. CPU seconds are user
and system time of all threads; for `sbdl denoise` those of the whole process, for SPAMS only those of training and
coding. Our threads sleep while they wait. So do those of peers with OpenMP (OMP_WAIT_POLICY, which all.py sets),
because spinning would count as work.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import resource
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import figures
import numpy as np
import spams
from numpy.typing import NDArray
from PIL import Image
from python_peers import PATCH, PURSUIT_GAIN, clean_with, patches_of, unit_rows
from sklearn.decomposition import MiniBatchDictionaryLearning
from sklearn.linear_model import orthogonal_mp_gram

import sbdl

Array = NDArray[Any]
THREADS = os.cpu_count() or 1
ATOMS = 256
TRAIN_WEIGHTS = (1.6, 2.4, 3.3)  # of the l1 norm, in units of the noise
TRAIN_ROUNDS = 300  # of 512 patches: every second patch along both axes ten times, like ours
FOUND = 0.95
SETS = 3


def spams_version() -> str:
    return f"SPAMS {importlib.metadata.version('spams-bin')}"


def sklearn_version() -> str:
    return f"scikit-learn {importlib.metadata.version('scikit-learn')}"


def best_seconds(work: Callable[[], object], rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def columns(rows: Array) -> Array:
    """Return signals in the layout of SPAMS, one per column."""
    return np.asfortranarray(rows.T)


# ---- pursuit ---------------------------------------------------------------------------------------------------------


def dct_dictionary(atoms_per_side: int) -> Array:
    """Return products of cosines on a patch, as rows of unit norm; all but the first have zero mean."""
    grid = np.arange(PATCH)[None, :]
    waves = np.cos(np.pi * np.arange(atoms_per_side)[:, None] * grid / atoms_per_side)
    waves[1:] -= waves[1:].mean(axis=1, keepdims=True)
    return unit_rows(np.kron(waves, waves))


def pursuit(program: Path, image: Array) -> None:
    """Code every patch of a noisy image down to the noise."""
    rows = patches_of(sbdl.make_noisy(image, 25.0, random_state=1).astype(float), 1)[0]
    atoms = dct_dictionary(16)
    error = PURSUIT_GAIN * 25.0 * PATCH
    gram, products, norms = atoms @ atoms.T, atoms @ rows.T, (rows**2).sum(axis=1)
    X, D = columns(rows), columns(atoms)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/rows.npy", rows)
        np.save(f"{folder}/atoms.npy", atoms)
        for threads in sorted({1, THREADS}):
            command = [str(program), f"{folder}/rows.npy", f"{folder}/atoms.npy", repr(error), str(threads), "--json"]
            theirs_now = partial(spams.omp, X, D=D, eps=error**2, L=PATCH**2, numThreads=threads)
            ours, theirs, sizes = 0.0, 0.0, 0.0
            for _ in range(3):  # alternating, each the best of three
                found = {figure["name"]: figure["value"] for figure in figures.run(command)}
                ours, sizes = max(ours, found["rate"]), found["atoms per signal"]
                theirs = max(theirs, len(rows) / best_seconds(theirs_now, 3))
            name = f"OMP of {len(rows)} patches"
            note = f"{sizes:.3f} atoms per signal, SPAMS {theirs_now().nnz / len(rows):.3f}"
            figures.add(f"{name}/ours/threads {threads}", ours, "1/s", "higher")
            figures.add(f"{name}/{spams_version()}/threads {threads}", theirs, "1/s", "higher")
            figures.add(f"{name}/ours against SPAMS/threads {threads}", ours / theirs, "times", "higher", 1.5, note)
            if threads == 1:
                seconds = best_seconds(lambda: orthogonal_mp_gram(gram, products, tol=error**2, norms_squared=norms), 1)
                figures.add(f"{name}/{sklearn_version()}/threads 1", len(rows) / seconds, "1/s", "higher")
                against = f"{name}/ours against scikit-learn/threads 1"
                figures.add(against, ours * seconds / len(rows), "times", "higher")


# ---- denoising -------------------------------------------------------------------------------------------------------


def cpu_seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def our_denoising(program: Path, noisy: Array, folder: str) -> tuple[Array, float]:
    np.save(f"{folder}/noisy.npy", noisy)
    before = cpu_seconds(resource.RUSAGE_CHILDREN)
    command = [str(program), "denoise", f"{folder}/noisy.npy", "-o", f"{folder}/clean.npy", "--quiet"]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    seconds = cpu_seconds(resource.RUSAGE_CHILDREN) - before
    return np.load(f"{folder}/clean.npy").astype(float).reshape(noisy.shape), seconds


def spams_denoising(noisy: Array, sigma: float, weight: float) -> tuple[Array, float]:
    """Return the image, and the time of training and coding: the rest is Python code, which could be faster."""
    spent = 0.0

    def timed(work: Callable[[], Any]) -> Any:
        nonlocal spent
        before = cpu_seconds(resource.RUSAGE_SELF)
        result = work()
        spent += cpu_seconds(resource.RUSAGE_SELF) - before
        return result

    def pursue(signals: Array, atoms: Array, error: float) -> Array:
        X, D = columns(signals), columns(atoms)
        return timed(lambda: spams.omp(X, D=D, eps=error**2, L=PATCH**2, numThreads=THREADS)).T.toarray()

    np.random.seed(0)
    rule = {"K": ATOMS, "lambda1": weight * sigma, "batchsize": 512, "iter": TRAIN_ROUNDS}
    X = columns(patches_of(noisy, 2)[0])
    D = timed(lambda: spams.trainDL(X, **rule, numThreads=THREADS, verbose=False))
    return clean_with(noisy, np.ascontiguousarray(D.T), sigma, pursue), spent


def denoising(program: Path, name: str, truth: Array) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for sigma in (15.0, 25.0, 50.0):
            noisy = sbdl.make_noisy(truth, sigma, random_state=1).astype(float)
            clean, seconds = our_denoising(program, noisy, folder)
            score = sbdl.psnr(truth, clean)
            tried = [(weight, *spams_denoising(noisy, sigma, weight)) for weight in TRAIN_WEIGHTS]
            scores = [sbdl.psnr(truth, image) for _, image, _ in tried]
            best = int(np.argmax(scores))
            what, note = f"denoise/{name}/sigma {sigma:g}", f"{spams_version()}, lambda {tried[best][0]:g} sigma"
            figures.add(f"{what}/PSNR, ours", score, "dB", "higher")
            figures.add(f"{what}/PSNR, SPAMS", scores[best], "dB", "higher", note=note)
            figures.add(f"{what}/CPU, ours", seconds, "s", "lower")
            figures.add(f"{what}/CPU, SPAMS", tried[best][2], "s", "lower")
            figures.add(f"{what}/PSNR gained over SPAMS", score - scores[best], "dB", "higher", 0.0)
            figures.add(f"{what}/CPU of SPAMS over ours", tried[best][2] / seconds, "times", "higher", 1.0)


def images_from(folder: str | None) -> Iterator[tuple[str, Array]]:
    """Yield names and images: those of the folder, or a synthetic one."""
    if folder is None:
        yield "painted", sbdl.make_image(256, 256, random_state=1)
        return
    for name in figures.IMAGES:
        yield name, np.asarray(Image.open(Path(folder) / f"{name}.png").convert("L"))


# ---- recovering a dictionary -----------------------------------------------------------------------------------------


def recovery(learn: Callable[[Array, int], Array], sparsity: int) -> tuple[float, float]:
    """Return the fraction of atoms found in Table I's cell of 1000 signals and 20 dB, and CPU seconds per set."""
    shares, seconds = [], 0.0
    for trial in range(SETS):
        data = sbdl.synthetic(1000, 20, 50, n_nonzero_coefs=sparsity, snr_db=20, random_state=100 + trial)
        before = cpu_seconds(resource.RUSAGE_SELF)
        atoms = learn(data.signals, trial)
        seconds += cpu_seconds(resource.RUSAGE_SELF) - before
        shares.append(sbdl.match_atoms(data.dictionary, unit_rows(atoms)).nearest_rate)
    return float(np.mean(shares)), seconds / SETS


def ours(method: str, sweeps: int, **given: int) -> Callable[[Array, int], Array]:
    def learn(signals: Array, seed: int) -> Array:
        model = sbdl.DictionaryLearning(50, method=method, max_iter=sweeps, random_state=seed, **given)
        return model.fit(signals).components_

    return learn


def spams_online(weight: float, rounds: int) -> Callable[[Array, int], Array]:
    def learn(signals: Array, seed: int) -> Array:
        np.random.seed(seed)
        return spams.trainDL(
            columns(signals), K=50, lambda1=weight, iter=rounds, batchsize=256, numThreads=THREADS, verbose=False
        ).T

    return learn


def sklearn_minibatch(weight: float, sweeps: int) -> Callable[[Array, int], Array]:
    """Return a learner on one thread: more would be processes, which only cost more seconds."""

    def learn(signals: Array, seed: int) -> Array:
        model = MiniBatchDictionaryLearning(
            50, alpha=weight, max_iter=sweeps, batch_size=256, fit_algorithm="cd", tol=0.0, max_no_improvement=None,
            random_state=seed, n_jobs=1,
        )  # fmt: skip
        return model.fit(signals).components_

    return learn


def time_to_found(name: str, sparsity: int, runs: list[Callable[[Array, int], Array]]) -> float:
    """Make longer and longer runs until 95 % of the atoms are found; return the seconds of that run, or infinity."""
    best_share = 0.0
    for learn in runs:
        share, seconds = recovery(learn, sparsity)
        best_share = max(best_share, share)
        if share >= FOUND:
            figures.add(f"95 % found/{sparsity} atoms per signal/{name}", seconds, "s", "lower")
            return seconds
    figures.add(f"most found/{sparsity} atoms per signal/{name}", 100 * best_share, "%", "higher", note="never 95 %")
    return float("inf")


def recoveries(sparsity: int) -> None:
    doubled = (5, 10, 20, 40, 80, 160, 320)
    needs_sparsity = ("ksvd", "mod", "online", "rls")
    # Lists, not generators: those would evaluate the method and the weight only when they run, with their last values.
    mine = {
        f"ours, {method}": [
            ours(method, n, **({"sparsity": sparsity} if method in needs_sparsity else {})) for n in doubled
        ]
        for method in (*needs_sparsity, "gibbs", "vb")
    }
    theirs = {
        f"{spams_version()}, lambda {w:g}": [spams_online(w, 10 * n) for n in doubled] for w in (0.05, 0.1, 0.2)
    } | {f"{sklearn_version()}, alpha {w:g}": [sklearn_minibatch(w, n) for n in (20, 80)] for w in (0.1, 0.2)}
    fastest = {}
    for side, runs in (("ours", mine), ("theirs", theirs)):
        fastest[side] = min(time_to_found(name, sparsity, tries) for name, tries in runs.items())
    if fastest["ours"] < float("inf") and fastest["theirs"] < float("inf"):
        ratio = fastest["theirs"] / fastest["ours"]
        figures.add(f"95 % found/{sparsity} atoms per signal/fastest peer over ours", ratio, "times", "higher", 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--images")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")  # from peers that did not converge in the given sweeps
    images = list(images_from(wanted.images))
    pursuit(wanted.build / "bench/sbdl_bench_pursuit", images[0][1])
    for name, truth in images:
        denoising(wanted.build / "apps/sbdl/sbdl", name, truth)
    for sparsity in (3, 5):
        recoveries(sparsity)


if __name__ == "__main__":
    main()
