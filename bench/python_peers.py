"""Beside other packages, in one run: seconds, atoms found, and the noise taken out of a picture.

python bench/python_peers.py [OUTPUT.md]

Everybody gets the same signals and the same number of threads, and peers that must be told something are told the truth
(the sparsity, the noise) or get the best of a few weights, chosen by the very score they are judged by. Dictionaries of
picture patches are all used in the same way: pursuit to the noise, patches averaged.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import DictionaryLearning, MiniBatchDictionaryLearning

import sbdl

try:
    import spams
except ImportError:
    spams = None

Array = NDArray[np.float64]
TRIALS = 3
WEIGHTS = (0.05, 0.1, 0.2)  # of the l1 norm, in units in which the signals have norm 1
SIGMA = 25.0
SIDE = 128
PATCH = 8
ATOMS = 128
PURSUIT_GAIN = 1.15


@dataclass
class Row:
    """One line of a table."""

    name: str
    told: str
    score: str
    seconds: float


Learner = Callable[[Array, int, int], Array]  # signals, atoms, seed -> atoms


def unit_rows(atoms: Array) -> Array:
    """Return the atoms with unit norm; unused ones stay zero."""
    norms = np.linalg.norm(atoms, axis=1, keepdims=True)
    return atoms / np.where(norms > 0, norms, 1.0)


def ours(method: str, **options: Any) -> Learner:
    def learn(signals: Array, atoms: int, seed: int) -> Array:
        return sbdl.DictionaryLearning(atoms, method=method, random_state=seed, **options).fit(signals).components_

    return learn


def sklearn_batch(alpha: float) -> Learner:
    def learn(signals: Array, atoms: int, seed: int) -> Array:
        model = DictionaryLearning(atoms, alpha=alpha, max_iter=100, fit_algorithm="cd", random_state=seed, n_jobs=-1)
        return model.fit(signals).components_

    return learn


def sklearn_minibatch(alpha: float, max_iter: int) -> Learner:
    def learn(signals: Array, atoms: int, seed: int) -> Array:
        model = MiniBatchDictionaryLearning(
            atoms,
            alpha=alpha,
            max_iter=max_iter,
            batch_size=256,
            fit_algorithm="cd",
            tol=0.0,  # this and the next: no stopping before the sweeps are made
            max_no_improvement=None,
            random_state=seed,
            n_jobs=-1,
        )
        return model.fit(signals).components_

    return learn


def spams_online(weight: float) -> Learner:
    def learn(signals: Array, atoms: int, seed: int) -> Array:
        np.random.seed(seed)
        columns = np.asfortranarray(signals.T)
        found = spams.trainDL(columns, K=atoms, lambda1=weight, iter=1000, numThreads=os.cpu_count(), verbose=False)
        return np.ascontiguousarray(found.T)

    return learn


def best_weight(
    make: Callable[[float], Learner], score: Callable[[Learner], tuple[float, float]]
) -> tuple[float, float, float]:
    """Return the best weight, its score and its seconds."""
    tried = [(weight, *score(make(weight))) for weight in WEIGHTS]
    return max(tried, key=lambda entry: entry[1])


def recovery(learner: Learner) -> tuple[float, float]:
    """Return the share of atoms found in Table I's cell of 3 atoms a signal and 20 dB, and seconds a set."""
    found, seconds = [], 0.0
    for trial in range(TRIALS):
        data = sbdl.synthetic(1000, 20, 50, n_nonzero_coefs=3, snr_db=20, random_state=100 + trial)
        begin = time.perf_counter()
        atoms = learner(data.signals, 50, trial)
        seconds += time.perf_counter() - begin
        found.append(sbdl.match_atoms(data.dictionary, unit_rows(atoms)).nearest_rate)
    return float(np.mean(found)), seconds / TRIALS


def patches_of(image: Array, stride: int) -> tuple[Array, Array]:
    """Return patches without their means, and the means."""
    windows = np.lib.stride_tricks.sliding_window_view(image, (PATCH, PATCH))[::stride, ::stride]
    rows = windows.reshape(-1, PATCH * PATCH).astype(float)
    means = rows.mean(axis=1, keepdims=True)
    return rows - means, means


def our_pursuit(rows: Array, atoms: Array, error: float) -> Array:
    return sbdl.omp(rows, atoms, max_error=error)


def clean_with(
    noisy: Array, atoms: Array, sigma: float, pursue: Callable[[Array, Array, float], Array] = our_pursuit
) -> Array:
    """Pursue every patch to the noise and average."""
    rows, means = patches_of(noisy, 1)
    codes = pursue(rows, unit_rows(atoms), PURSUIT_GAIN * sigma * PATCH)
    clean = (codes @ unit_rows(atoms) + means).reshape(
        noisy.shape[0] - PATCH + 1, noisy.shape[1] - PATCH + 1, PATCH, PATCH
    )
    total, count = np.zeros(noisy.shape), np.zeros(noisy.shape)
    for i in range(PATCH):
        for j in range(PATCH):
            total[i : i + clean.shape[0], j : j + clean.shape[1]] += clean[:, :, i, j]
            count[i : i + clean.shape[0], j : j + clean.shape[1]] += 1
    return total / count


def training_patches() -> tuple[NDArray[np.uint8], Array, Array, float]:
    """Return truth, noisy picture, patches to learn from with a mean norm of 1, and what they were divided by."""
    truth = sbdl.make_picture(SIDE, SIDE, random_state=1)
    noisy = sbdl.make_noisy(truth, SIGMA, random_state=1).astype(float)
    rows = patches_of(noisy, 2)[0]
    scale = float(np.linalg.norm(rows, axis=1).mean())
    return truth, noisy, rows / scale, scale


def picture_score(learner: Learner) -> tuple[float, float]:
    """Return the PSNR after pursuit with a learned dictionary, told sigma, and the seconds of learning."""
    truth, noisy, rows, _ = training_patches()
    begin = time.perf_counter()
    atoms = learner(rows, ATOMS, 0)
    seconds = time.perf_counter() - begin
    return sbdl.psnr(truth, clean_with(noisy, atoms, SIGMA)), seconds


def recovery_rows() -> list[Row]:
    rows = []
    for name, told, learner in [
        ("**sbdl gibbs**", "nothing", ours("gibbs")),
        ("**sbdl vb**", "nothing", ours("vb")),
        ("**sbdl ksvd**", "sparsity", ours("ksvd", sparsity=3)),
    ]:
        share, seconds = recovery(learner)
        rows.append(Row(name, told, f"{100 * share:.1f}", seconds))
    peers: list[tuple[str, Callable[[float], Learner]]] = [
        ("scikit-learn DictionaryLearning", sklearn_batch),
        ("scikit-learn MiniBatchDictionaryLearning", lambda weight: sklearn_minibatch(weight, 300)),
    ]
    if spams is not None:
        peers.append(("SPAMS trainDL", spams_online))
    for name, make in peers:
        weight, share, seconds = best_weight(make, recovery)
        rows.append(Row(name, f"lambda {weight:g}, best of {len(WEIGHTS)}", f"{100 * share:.1f}", seconds))
    return rows


def picture_rows() -> list[Row]:
    truth, noisy, _, scale = training_patches()
    begin = time.perf_counter()
    clean, info = sbdl.denoise(noisy, n_components=ATOMS, std=False)
    seconds = time.perf_counter() - begin
    left_by_noise = PURSUIT_GAIN * SIGMA * PATCH
    rows = [
        Row("noisy picture", "", f"{sbdl.psnr(truth, noisy):.2f}", 0.0),
        Row(
            "**sbdl denoise**, whole",
            f"nothing (found sigma {info.sigma:.1f})",
            f"{sbdl.psnr(truth, clean):.2f}",
            seconds,
        ),
    ]
    for name, told, learner in [
        ("**sbdl vb**, dictionary alone", "sigma", ours("vb", start_sweeps=60, max_iter=30)),
        ("**sbdl ksvd**, dictionary alone", "sigma", ours("ksvd", max_error=left_by_noise / scale, max_iter=30)),
    ]:
        score, seconds = picture_score(learner)
        rows.append(Row(name, told, f"{score:.2f}", seconds))
    peers: list[tuple[str, Callable[[float], Learner]]] = [
        ("scikit-learn MiniBatchDictionaryLearning", lambda weight: sklearn_minibatch(weight, 20))
    ]
    if spams is not None:
        peers.append(("SPAMS trainDL", spams_online))
    for name, make in peers:
        weight, score, seconds = best_weight(make, picture_score)
        rows.append(Row(name, f"sigma, lambda {weight:g}, best of {len(WEIGHTS)}", f"{score:.2f}", seconds))
    return rows


def table(head: str, rows: list[Row]) -> str:
    lines = [f"| | told | {head} | seconds |", "|:--|:--|--:|--:|"]
    lines += [f"| {r.name} | {r.told} | {r.score} | {r.seconds:.2f} |" for r in rows]
    return "\n".join(lines)


def report() -> str:
    versions = [f"sbdl {sbdl.__version__}", f"scikit-learn {importlib.metadata.version('scikit-learn')}"]
    versions += [f"SPAMS {importlib.metadata.version('spams-bin')}"] if spams is not None else []
    return f"""# Beside other Python packages

`./dev bench python`, one run on {datetime.date.today()}: {", ".join(versions)}; Python {platform.python_version()},
{os.cpu_count()} cores. Everybody has the same signals and all cores. Weights of the peers are the best of
{", ".join(f"{w:g}" for w in WEIGHTS)}, chosen by the score itself; the seconds are those of one run with that weight.

## Atoms found (%)

50 atoms of length 20, 1000 signals of 3 atoms each, 20 dB (a cell of Table I); mean of {TRIALS} sets, an atom
counted when 1 - |cos| < 0.01.

{table("found (%)", recovery_rows())}

## Noise taken out of a picture (PSNR in dB)

The package's own painted picture, {SIDE} x {SIDE}, noise of {SIGMA:g}; {ATOMS} atoms of {PATCH} x {PATCH}. The
dictionaries are all used alike: pursuit of every patch to {PURSUIT_GAIN} times the noise, patches averaged; the seconds
are of learning alone. `sbdl denoise` does all of it, its own way, and its seconds are of all of it.

{table("PSNR", picture_rows())}
"""


def main() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers that did not converge in the sweeps they were given
        text = report()
    print(text)
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
