"""Compare sbdl with other Python packages in one run: seconds, atoms found, and denoising of an image.

python bench/python_peers.py [OUTPUT.md]

All packages get the same signals and may use every core. Peers that need parameters are given the true ones (the
sparsity, the noise). The weight of the l1 norm and the size of batches are the best of a few, chosen by the score
itself; all methods that learn in batches make the same number of passes over the signals. scikit-learn runs with one
process or with one per core, whichever is faster here. Every package learns something small before the clock starts,
so the time does not include loading libraries or starting processes. Dictionaries of image patches are all used in the
same way: pursuit to the noise, patches averaged.
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
WEIGHTS = (0.05, 0.1, 0.2, 0.4)  # of the l1 norm, for signals whose mean norm is 1
BATCHES = (32, 256)
SPARSITY = 3
RECOVERY_PASSES, RECOVERY_SWEEPS = 40, 100  # over all signals: of methods that learn in batches, and of the others
IMAGE_PASSES, IMAGE_SWEEPS = 10, 10
SIGMA = 25.0
SIDE = 128
PATCH = 8
ATOMS = 128
PURSUIT_GAIN = 1.15
CORES = os.cpu_count() or 1


@dataclass
class Entrant:
    """A method, or variants of it with different values of an unknown parameter, of which the best is shown."""

    name: str
    given: str
    learners: dict[str, Learner]  # by the chosen parameter


@dataclass
class Row:
    """One line of a table."""

    name: str
    given: str
    score: str
    seconds: float


def one(name: str, given: str, learner: Learner) -> Entrant:
    return Entrant(name, given, {"": learner})


def weighted(name: str, given: str, make: Callable[[float], Learner]) -> Entrant:
    """Return an entrant with a weight to choose."""
    return Entrant(name, given, {f"lambda {weight:g}": make(weight) for weight in WEIGHTS})


def batched(name: str, given: str, make: Callable[[int], Learner]) -> Entrant:
    """Return an entrant with the size of its batches to choose."""
    return Entrant(name, given, {f"batch {batch}": make(batch) for batch in BATCHES})


def weighted_in_batches(name: str, given: str, make: Callable[[float, int], Learner]) -> Entrant:
    """Return an entrant with both to choose."""
    both = [(weight, batch) for weight in WEIGHTS for batch in BATCHES]
    return Entrant(name, given, {f"lambda {weight:g}, batch {batch}": make(weight, batch) for weight, batch in both})


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


def sklearn_minibatch(alpha: float, batch: int, passes: int, n_jobs: int) -> Learner:
    def learn(signals: Array, atoms: int, seed: int) -> Array:
        model = MiniBatchDictionaryLearning(
            atoms,
            alpha=alpha,
            max_iter=passes,
            batch_size=batch,
            fit_algorithm="cd",
            tol=0.0,  # this and the next line: no stop before all sweeps are made
            max_no_improvement=None,
            random_state=seed,
            n_jobs=n_jobs,
        )
        return model.fit(signals).components_

    return learn


def spams_online(weight: float, batch: int, passes: int, mode: int = 2) -> Learner:
    """Return SPAMS with the weight of the l1 norm (mode 2) or the number of atoms per signal (mode 3)."""

    def learn(signals: Array, atoms: int, seed: int) -> Array:
        np.random.seed(seed)
        found = spams.trainDL(
            np.asfortranarray(signals.T),
            K=atoms,
            lambda1=weight,
            mode=mode,
            iter=-(-passes * len(signals) // batch),
            batchsize=batch,
            numThreads=CORES,
            verbose=False,
        )
        return np.ascontiguousarray(found.T)

    return learn


def seconds_of(learner: Learner, signals: Array, atoms: int) -> float:
    begin = time.perf_counter()
    learner(signals, atoms, 0)
    return time.perf_counter() - begin


def faster(make: Callable[[int], Learner], signals: Array, atoms: int) -> int:
    """Return the number of processes with which a peer is faster on these signals."""
    for jobs in (1, -1):  # starts the processes before the clock
        make(jobs)(signals[:200], atoms, 0)
    return min((1, -1), key=lambda jobs: seconds_of(make(jobs), signals, atoms))


def sklearn_entrants(given: str, signals: Array, atoms: int, sweeps: int, passes: int) -> list[Entrant]:
    whole = faster(lambda jobs: sklearn_batch(WEIGHTS[1], 3, jobs), signals, atoms)
    jobs_for = {b: faster(lambda jobs, b=b: sklearn_minibatch(WEIGHTS[1], b, 1, jobs), signals, atoms) for b in BATCHES}
    return [
        weighted("scikit-learn DictionaryLearning", given, lambda w: sklearn_batch(w, sweeps, whole)),
        weighted_in_batches(
            "scikit-learn MiniBatchDictionaryLearning",
            given,
            lambda w, b: sklearn_minibatch(w, b, passes, jobs_for[b]),
        ),
    ]


def online_entrants(given: str, passes: int) -> list[Entrant]:
    """Return our version, and that of SPAMS, of the algorithm that scikit-learn has too."""
    entrants = [
        weighted_in_batches("**sbdl online**", given, lambda w, b: ours("online", alpha=w, batch=b, max_iter=passes))
    ]
    if spams is not None:
        entrants.append(weighted_in_batches("SPAMS trainDL", given, lambda w, b: spams_online(w, b, passes)))
    return entrants


def judge(entrants: list[Entrant], score: Callable[[Learner], tuple[float, float]], form: str) -> list[Row]:
    """Return a row for each entrant: its best score, and the seconds of that run."""
    rows = []
    for entrant in entrants:
        tried = [(choice, *score(learner)) for choice, learner in entrant.learners.items()]
        choice, best, seconds = max(tried, key=lambda entry: entry[1])
        chosen = f"{choice}, best of {len(tried)}" if choice else ""
        given = ", ".join(part for part in (entrant.given, chosen) if part) or "nothing"
        rows.append(Row(entrant.name, given, form.format(best), seconds))
        print(f"{rows[-1].name}: {rows[-1].score}, {seconds:.2f} s", file=sys.stderr)
    return rows


# --- atoms found


def recovery_set(trial: int) -> tuple[Array, Array]:
    """Return signals with a mean norm of 1, and the true atoms."""
    data = sbdl.synthetic(1000, 20, 50, n_nonzero_coefs=SPARSITY, snr_db=20, random_state=100 + trial)
    return data.signals / np.linalg.norm(data.signals, axis=1).mean(), data.dictionary


def recovery(learner: Learner) -> tuple[float, float]:
    """Return the percentage of atoms found in Table I's cell of 3 atoms per signal and 20 dB, and seconds per set."""
    found, seconds = [], 0.0
    for trial in range(TRIALS):
        signals, dictionary = recovery_set(trial)
        begin = time.perf_counter()
        atoms = learner(signals, 50, trial)
        seconds += time.perf_counter() - begin
        found.append(100.0 * sbdl.match_atoms(dictionary, unit_rows(atoms)).nearest_rate)
    return float(np.mean(found)), seconds / TRIALS


def recovery_rows() -> list[Row]:
    passes = RECOVERY_PASSES
    entrants = [
        one("**sbdl gibbs**", "", ours("gibbs")),
        one("**sbdl vb**", "", ours("vb")),
        one("**sbdl bpfa**", "", ours("bpfa")),
        one("**sbdl ksvd**", "sparsity", ours("ksvd", sparsity=SPARSITY)),
        batched("**sbdl online**", "sparsity", lambda b: ours("online", sparsity=SPARSITY, batch=b, max_iter=passes)),
    ]
    if spams is not None:
        entrants.append(batched("SPAMS trainDL", "sparsity", lambda b: spams_online(SPARSITY, b, passes, mode=3)))
    entrants += online_entrants("", passes)
    entrants += sklearn_entrants("", recovery_set(0)[0], 50, RECOVERY_SWEEPS, passes)
    return judge(entrants, recovery, "{:.1f}")


# --- an image


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
    """Return truth, noisy image, training patches with a mean norm of 1, and the scale they were divided by."""
    truth = sbdl.make_image(SIDE, SIDE, random_state=1)
    noisy = sbdl.make_noisy(truth, SIGMA, random_state=1).astype(float)
    rows = patches_of(noisy, 2)[0]
    scale = float(np.linalg.norm(rows, axis=1).mean())
    return truth, noisy, rows / scale, scale


def image_score(learner: Learner) -> tuple[float, float]:
    """Return the PSNR after pursuit with a learned dictionary and the given sigma, and the seconds of learning."""
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
        "**sbdl.denoise(noisy)**, complete",
        f"nothing (estimated sigma {info.sigma:.1f})",
        f"{sbdl.psnr(truth, clean):.2f}",
        seconds,
    )


def image_rows() -> list[Row]:
    truth, noisy, rows, scale = training_patches()
    noise_norm = PURSUIT_GAIN * SIGMA * PATCH / scale
    entrants = [
        one("**sbdl vb**", "sigma", ours("vb", start_sweeps=60, max_iter=30)),
        one("**sbdl ksvd**", "sigma", ours("ksvd", max_error=noise_norm, max_iter=30)),
        *online_entrants("sigma", IMAGE_PASSES),
        *sklearn_entrants("sigma", rows, ATOMS, IMAGE_SWEEPS, IMAGE_PASSES),
    ]
    before = Row("noisy image", "", f"{sbdl.psnr(truth, noisy):.2f}", 0.0)
    return [before, whole_denoising(), *judge(entrants, image_score, "{:.2f}")]


# --- the page


def table(head: str, rows: list[Row]) -> str:
    lines = [f"| | given | {head} | seconds |", "|:--|:--|--:|--:|"]
    lines += [f"| {r.name} | {r.given} | {r.score} | {f'{r.seconds:.2f}' if r.seconds else ''} |" for r in rows]
    return "\n".join(lines)


def machine() -> str:
    """Return a description of this machine, if Linux provides one."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        name = " ".join(info.split("model name")[1].split(":")[1].split()[:2])
        return f"{CORES} cores of an {name}" + (" (AVX-512)" if "avx512f" in info else "")
    except (OSError, IndexError):
        return f"{CORES} cores"


def commit() -> str:
    """Return the commit of these sources."""
    result = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=Path(__file__).parent, capture_output=True, text=True
    )
    return result.stdout.strip() or "unknown"


def report() -> str:
    versions = [f"sbdl {sbdl.__version__}", f"scikit-learn {importlib.metadata.version('scikit-learn')}"]
    versions += [f"SPAMS {importlib.metadata.version('spams-bin')}"] if spams is not None else []
    versions += [f"NumPy {np.__version__}", f"Python {platform.python_version()}"]
    warm = recovery_set(0)[0][:200]
    for learner in (
        ours("vb", max_iter=5),
        spams_online(0.1, 32, 1) if spams is not None else ours("online", alpha=0.1),
    ):
        learner(warm, 20, 0)
    return f"""# Comparison with other Python packages

`./dev bench python`, one run on {datetime.date.today()}, commit {commit()}, {machine()}.
{", ".join(versions)}.

All packages have the same signals and all cores; scikit-learn has one process or one per core, whichever was faster.
Weights of the l1 norm (lambda; scikit-learn and sbdl call it alpha), {", ".join(f"{w:g}" for w in WEIGHTS)} for signals
with a mean norm of 1, and sizes of batches, {" and ".join(map(str, BATCHES))}, are the best of these, chosen by the
score itself, which favours the methods that need them; the seconds are those of a run with the best. Libraries are
loaded and processes started before the clock.

## Atoms found (%)

50 atoms of length 20, 1000 signals of 3 atoms each, 20 dB (a cell of Table I); mean of {TRIALS} sets, an atom
counted when 1 - |cos| < 0.01. All methods that learn in batches make {RECOVERY_PASSES} passes, DictionaryLearning makes
{RECOVERY_SWEEPS} sweeps, sbdl's other methods make their default number.

{table("found (%)", recovery_rows())}

## Denoising an image (PSNR in dB)

The package's synthetic image, {SIDE} x {SIDE}, noise of {SIGMA:g}; {ATOMS} atoms of {PATCH} x {PATCH}, learned from a
quarter of the patches. The dictionaries are all used in the same way: pursuit of every patch to {PURSUIT_GAIN} times
the noise, patches averaged; the seconds are those of learning only. DictionaryLearning makes {IMAGE_SWEEPS} sweeps,
all methods that learn in batches make {IMAGE_PASSES} passes, vb and ksvd 30 sweeps.
`sbdl.denoise` does everything its own way, with 256 atoms, and its seconds are those of everything.

{table("PSNR", image_rows())}
"""


def main() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from peers that did not converge in the given sweeps
        text = report()
    print(text)
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
