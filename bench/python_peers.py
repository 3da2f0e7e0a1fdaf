"""Beside other packages, in one run: seconds, atoms found, and the noise taken out of a picture.

python bench/python_peers.py [OUTPUT.md]

Everybody gets the same signals and may use every core. Peers that must be told something are told the truth (the
sparsity, the noise) or get the best of a few weights of the l1 norm, chosen by the very score they are judged by.
scikit-learn runs with one process or with one a core, whichever is faster here. Everybody has learned something small
before clocks run, so nobody pays for loading libraries or starting processes. Dictionaries of picture patches are all
used in the same way: pursuit to the noise, patches averaged.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
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
Learner = Callable[[Array, int, int], Array]  # signals, atoms, seed -> atoms
TRIALS = 3
WEIGHTS = (0.05, 0.1, 0.2)  # of the l1 norm, for signals whose mean norm is 1
SPARSITY = 3
BATCH = 256
SIGMA = 25.0
SIDE = 128
PATCH = 8
ATOMS = 128
PURSUIT_GAIN = 1.15
CORES = os.cpu_count() or 1


@dataclass
class Entrant:
    """A way to learn, or several that differ in a number nobody knows; the best of them is shown."""

    name: str
    told: str
    learners: dict[str, Learner]  # by what has been chosen


@dataclass
class Row:
    """One line of a table."""

    name: str
    told: str
    score: str
    seconds: float


def one(name: str, told: str, learner: Learner) -> Entrant:
    return Entrant(name, told, {"": learner})


def weighted(name: str, told: str, make: Callable[[float], Learner]) -> Entrant:
    """Return an entrant with a weight to choose."""
    return Entrant(name, told, {f"lambda {weight:g}": make(weight) for weight in WEIGHTS})


def unit_rows(atoms: Array) -> Array:
    """Return the atoms with unit norm; unused ones stay zero."""
    norms = np.linalg.norm(atoms, axis=1, keepdims=True)
    return atoms / np.where(norms > 0, norms, 1.0)


# --- the packages


def ours(method: str, **options: Any) -> Learner:
    def learn(signals: Array, atoms: int, seed: int) -> Array:
        return sbdl.DictionaryLearning(atoms, method=method, random_state=seed, **options).fit(signals).components_

    return learn


def sklearn_batch(alpha: float, max_iter: int, n_jobs: int) -> Learner:
    def learn(signals: Array, atoms: int, seed: int) -> Array:
        model = DictionaryLearning(
            atoms, alpha=alpha, max_iter=max_iter, fit_algorithm="cd", random_state=seed, n_jobs=n_jobs
        )
        return model.fit(signals).components_

    return learn


def sklearn_minibatch(alpha: float, max_iter: int, n_jobs: int) -> Learner:
    def learn(signals: Array, atoms: int, seed: int) -> Array:
        model = MiniBatchDictionaryLearning(
            atoms,
            alpha=alpha,
            max_iter=max_iter,
            batch_size=BATCH,
            fit_algorithm="cd",
            tol=0.0,  # this and the next: no stopping before the sweeps are made
            max_no_improvement=None,
            random_state=seed,
            n_jobs=n_jobs,
        )
        return model.fit(signals).components_

    return learn


def spams_online(weight: float, steps: int, mode: int = 2) -> Learner:
    """Return SPAMS with the weight of the l1 norm (mode 2) or the number of atoms in a signal (mode 3)."""

    def learn(signals: Array, atoms: int, seed: int) -> Array:
        np.random.seed(seed)
        columns = np.asfortranarray(signals.T)
        found = spams.trainDL(
            columns, K=atoms, lambda1=weight, mode=mode, iter=steps, batchsize=BATCH, numThreads=CORES, verbose=False
        )
        return np.ascontiguousarray(found.T)

    return learn


def seconds_of(learner: Learner, signals: Array, atoms: int) -> float:
    begin = time.perf_counter()
    learner(signals, atoms, 0)
    return time.perf_counter() - begin


def faster(make: Callable[[int], Learner], signals: Array, atoms: int) -> int:
    """Return with how many processes a peer is faster on these signals."""
    for jobs in (1, -1):  # the processes are started before the clock is
        make(jobs)(signals[:200], atoms, 0)
    return min((1, -1), key=lambda jobs: seconds_of(make(jobs), signals, atoms))


def sklearn_entrants(told: str, signals: Array, atoms: int, sweeps: int, passes: int) -> list[Entrant]:
    batch = faster(lambda jobs: sklearn_batch(WEIGHTS[1], 3, jobs), signals, atoms)
    mini = faster(lambda jobs: sklearn_minibatch(WEIGHTS[1], 2, jobs), signals, atoms)
    return [
        weighted("scikit-learn DictionaryLearning", told, lambda w: sklearn_batch(w, sweeps, batch)),
        weighted("scikit-learn MiniBatchDictionaryLearning", told, lambda w: sklearn_minibatch(w, passes, mini)),
    ]


def judge(entrants: list[Entrant], score: Callable[[Learner], tuple[float, float]], form: str) -> list[Row]:
    """Return a row for each entrant: its best score, and the seconds of the run that had it."""
    rows = []
    for entrant in entrants:
        tried = [(choice, *score(learner)) for choice, learner in entrant.learners.items()]
        choice, best, seconds = max(tried, key=lambda entry: entry[1])
        chosen = f"{choice}, best of {len(tried)}" if choice else ""
        told = ", ".join(part for part in (entrant.told, chosen) if part) or "nothing"
        rows.append(Row(entrant.name, told, form.format(best), seconds))
        print(f"{rows[-1].name}: {rows[-1].score}, {seconds:.2f} s", file=sys.stderr)
    return rows


# --- atoms found


def recovery_set(trial: int) -> tuple[Array, Array]:
    """Return signals with a mean norm of 1, and the atoms they are made of."""
    data = sbdl.synthetic(1000, 20, 50, n_nonzero_coefs=SPARSITY, snr_db=20, random_state=100 + trial)
    return data.signals / np.linalg.norm(data.signals, axis=1).mean(), data.dictionary


def recovery(learner: Learner) -> tuple[float, float]:
    """Return the percentage of atoms found in Table I's cell of 3 atoms a signal and 20 dB, and seconds a set."""
    found, seconds = [], 0.0
    for trial in range(TRIALS):
        signals, dictionary = recovery_set(trial)
        begin = time.perf_counter()
        atoms = learner(signals, 50, trial)
        seconds += time.perf_counter() - begin
        found.append(100.0 * sbdl.match_atoms(dictionary, unit_rows(atoms)).nearest_rate)
    return float(np.mean(found)), seconds / TRIALS


def recovery_rows() -> list[Row]:
    entrants = [
        one("**sbdl gibbs**", "", ours("gibbs")),
        one("**sbdl vb**", "", ours("vb")),
        one("**sbdl bpfa**", "", ours("bpfa")),
        one("**sbdl ksvd**", "sparsity", ours("ksvd", sparsity=SPARSITY)),
        one("**sbdl online**", "sparsity", ours("online", sparsity=SPARSITY, batch=BATCH)),
        weighted("**sbdl online**", "", lambda w: ours("online", alpha=w, batch=BATCH)),
        *sklearn_entrants("", recovery_set(0)[0], 50, sweeps=100, passes=200),
    ]
    if spams is not None:
        entrants += [
            one("SPAMS trainDL", "sparsity", spams_online(SPARSITY, 400, mode=3)),
            weighted("SPAMS trainDL", "", lambda w: spams_online(w, 400)),
        ]
    return judge(entrants, recovery, "{:.1f}")


# --- a picture


def patches_of(image: Array, stride: int) -> tuple[Array, Array]:
    """Return patches without their means, and the means."""
    windows = np.lib.stride_tricks.sliding_window_view(image, (PATCH, PATCH))[::stride, ::stride]
    rows = windows.reshape(-1, PATCH * PATCH).astype(float)
    means = rows.mean(axis=1, keepdims=True)
    return rows - means, means


def clean_with(noisy: Array, atoms: Array, sigma: float) -> Array:
    """Pursue every patch to the noise and average."""
    rows, means = patches_of(noisy, 1)
    codes = sbdl.omp(rows, unit_rows(atoms), max_error=PURSUIT_GAIN * sigma * PATCH)
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


def whole_denoising() -> Row:
    truth, noisy, _, _ = training_patches()
    begin = time.perf_counter()
    clean, info = sbdl.denoise(noisy)
    seconds = time.perf_counter() - begin
    return Row(
        "**sbdl.denoise(noisy)**, all of it",
        f"nothing (found sigma {info.sigma:.1f})",
        f"{sbdl.psnr(truth, clean):.2f}",
        seconds,
    )


def picture_rows() -> list[Row]:
    truth, noisy, rows, scale = training_patches()
    left_by_noise = PURSUIT_GAIN * SIGMA * PATCH / scale
    entrants = [
        one("**sbdl vb**", "sigma", ours("vb", start_sweeps=60, max_iter=30)),
        one("**sbdl ksvd**", "sigma", ours("ksvd", max_error=left_by_noise, max_iter=30)),
        weighted("**sbdl online**", "sigma", lambda w: ours("online", alpha=w, batch=BATCH, max_iter=20)),
        *sklearn_entrants("sigma", rows, ATOMS, sweeps=20, passes=20),
    ]
    if spams is not None:
        # As many steps as 20 passes have.
        steps = 20 * len(rows) // BATCH
        entrants.append(weighted("SPAMS trainDL", "sigma", lambda w: spams_online(w, steps)))
    before = Row("noisy picture", "", f"{sbdl.psnr(truth, noisy):.2f}", 0.0)
    return [before, whole_denoising(), *judge(entrants, picture_score, "{:.2f}")]


# --- the page


def table(head: str, rows: list[Row]) -> str:
    lines = [f"| | told | {head} | seconds |", "|:--|:--|--:|--:|"]
    lines += [f"| {r.name} | {r.told} | {r.score} | {f'{r.seconds:.2f}' if r.seconds else ''} |" for r in rows]
    return "\n".join(lines)


def machine() -> str:
    """Return what the work is done on, as far as Linux tells."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        name = " ".join(told.split("model name")[1].split(":")[1].split()[:2])
        return f"{CORES} cores of an {name}" + (" (AVX-512)" if "avx512f" in told else "")
    except (OSError, IndexError):
        return f"{CORES} cores"


def commit() -> str:
    """Return which sources these are."""
    asked = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=Path(__file__).parent, capture_output=True, text=True
    )
    return asked.stdout.strip() or "unknown"


def report() -> str:
    versions = [f"sbdl {sbdl.__version__}", f"scikit-learn {importlib.metadata.version('scikit-learn')}"]
    versions += [f"SPAMS {importlib.metadata.version('spams-bin')}"] if spams is not None else []
    versions += [f"NumPy {np.__version__}", f"Python {platform.python_version()}"]
    warm = recovery_set(0)[0][:200]
    for learner in (ours("vb", max_iter=5), spams_online(0.1, 5) if spams is not None else ours("online", alpha=0.1)):
        learner(warm, 20, 0)
    return f"""# Beside other Python packages

`./dev bench python`, one run on {datetime.date.today()}, commit {commit()}, {machine()}.
{", ".join(versions)}.

Everybody has the same signals and all cores; scikit-learn has one process or one a core, whichever was faster.
Weights of the l1 norm (lambda; scikit-learn and sbdl call it alpha) are the best of
{", ".join(f"{w:g}" for w in WEIGHTS)} for signals with a mean norm of 1, chosen by the score itself, which flatters
those who need one; the seconds are those of a run with that weight. Libraries are loaded and processes started before
the clock is.

## Atoms found (%)

50 atoms of length 20, 1000 signals of 3 atoms each, 20 dB (a cell of Table I); mean of {TRIALS} sets, an atom
counted when 1 - |cos| < 0.01. scikit-learn makes 100 sweeps, or 200 passes of batches of {BATCH}; SPAMS 400 batches of
{BATCH}, sbdl online 100 passes of such batches, as many.

{table("found (%)", recovery_rows())}

## Noise taken out of a picture (PSNR in dB)

The package's own painted picture, {SIDE} x {SIDE}, noise of {SIGMA:g}; {ATOMS} atoms of {PATCH} x {PATCH}, learned
from a quarter of the patches. The dictionaries are all used alike: pursuit of every patch to {PURSUIT_GAIN} times the
noise, patches averaged; the seconds are of learning alone. DictionaryLearning makes 20 sweeps, all that learn in
batches 20 passes.
`sbdl.denoise` does all of it, its own way, with its own 256 atoms, and its seconds are of all of it.

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
