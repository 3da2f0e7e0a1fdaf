"""How often the intervals of `svb` contain the truth: noise, atoms and codes (docs/methods/svb.md#intervals).

python docs/results/svb_intervals.py build/release/apps/sbdl/sbdl [--signals 20000 200000] [--snr 20] [--seeds 30]

Signals of Table I's recipe (20 x 50, 3 atoms in each) are learned in one pass. 2000 of them, and as many new ones, are
coded by `encode`; of 20,000 signals or fewer the codes of the approximation itself are measured as well
(`--keep-codes`), and of all sets the approximation's noise, which is not reported. "Error over std" is the root mean
square of the error divided by the stated standard deviation: 1 would be right. The intervals of a code are those of a
mixture, zero or Gaussian, as in calibration.md, of the entries that are not zero with probability at least 0.5;
"expected" is what such mixtures contain on average. Needs NumPy, SciPy and h5py.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import ndtr, ndtri

LEVELS = np.array([0.50, 0.80, 0.90, 0.95])
CODED = 2000  # signals, of training and new
MOST_KEPT = 20000
FOUND = 0.99  # |cos|


def run(program, *words):
    """Run the program; return what it says."""
    told = subprocess.run(
        [program, *map(str, words), "--json", "--quiet"], capture_output=True, check=True, text=True
    ).stdout
    return json.loads(told)


class Count:
    """True values, their errors in standard deviations, and how many are in the intervals."""

    def __init__(self):
        self.z, self.inside, self.expected = [], [], []

    def add_gaussian(self, error, std):
        """Intervals of mean +- z std."""
        z = np.ravel(error / std)
        self.z.append(z)
        self.inside.append(np.abs(z)[:, None] < ndtri(0.5 + LEVELS / 2))

    def add_codes(self, true, mean, std, probability):
        """Intervals of a mixture: zero, or Gaussian with a probability."""
        chosen = probability >= 0.5
        true, mean, std, p = true[chosen], mean[chosen], std[chosen], np.minimum(probability[chosen], 1.0)
        centre = mean / p
        width = np.sqrt(np.maximum((std**2 - mean**2 * (1 - p) / p) / p, 1e-12 * std**2))
        below = p * ndtr(-centre / width)  # zero

        def quantile(share):
            lower = centre + width * ndtri(np.minimum(share / p, 1.0))
            upper = centre + width * ndtri(np.maximum((share - (1 - p)) / p, 0.0))
            return np.where(share <= below, lower, np.where(share <= below + (1 - p), 0.0, upper))

        def mass(value, closed):
            return p * ndtr((value - centre) / width) + (1 - p) * ((value >= 0) if closed else (value > 0))

        inside, expected = [], []
        for level in LEVELS:
            low, high = quantile(0.5 - level / 2), quantile(0.5 + level / 2)
            inside.append((low <= true) & (true <= high))
            expected.append(mass(high, True) - mass(low, False))
        self.z.append((true - mean) / std)
        self.inside.append(np.transpose(inside))
        self.expected.append(np.transpose(expected))

    def cells(self):
        """Values, error over std, and percentages inside."""
        z, inside = np.concatenate(self.z), np.concatenate(self.inside)
        expected = percents(np.concatenate(self.expected)) if self.expected else percents(LEVELS[None])
        return [str(len(z)), f"{np.sqrt(np.mean(z**2)):.2f}", percents(inside), expected]


def percents(inside):
    """Return "50.1 / 80.2 / ..."."""
    return " / ".join(f"{100 * share:.1f}" for share in inside.mean(axis=0))


def measure(program, folder, count, sparsity, snr, seed, counts, notes):
    """One set: synth, learn, encode."""
    true_noise = run(program, "synth", "-o", folder / "set", "--dim", 20, "--atoms", 50, "--signals", count + CODED,
                     "--sparsity", sparsity, "--snr", snr, "--seed", seed)["noise_sd"]  # fmt: skip
    truth = np.load(folder / "set/dictionary.npy")
    codes = np.load(folder / "set/codes.npy", mmap_mode="r")
    signals = np.load(folder / "set/signals.npy", mmap_mode="r")
    training = np.arange(CODED) * count // CODED
    np.save(folder / "learned.npy", signals[:count])
    parts = {"training": training, "new": count + np.arange(CODED)}
    keep = count <= MOST_KEPT
    run(program, "learn", folder / "learned.npy", "-o", folder / "model.h5", "--method", "svb", "--atoms", 50,
        "--seed", 1, "--threads", 1, *(["--keep-codes"] if keep else []))  # fmt: skip
    with h5py.File(folder / "model.h5") as file:
        atoms, atoms_std = file["dictionary"][:], file["dictionary_std"][:]
        noise, noise_std, unit = (file.attrs[name] for name in ("noise_sd", "noise_sd_std", "unit"))
        state = dict(file["svb"].attrs)
        own = [file[name][:][training] for name in ("codes", "codes_std", "codes_probability")] if keep else None
    cosines = truth @ atoms.T
    true_atom, atom = linear_sum_assignment(-np.abs(cosines))
    sign = np.sign(cosines[true_atom, atom])
    found = np.abs(cosines[true_atom, atom]) > FOUND
    true_atom, atom, sign = true_atom[found], atom[found], sign[found]

    for name in ["noise"] + ["noise, all atoms found"] * (len(atom) == len(truth)):
        counts[name].add_gaussian(np.array([noise - true_noise]), noise_std)
    error = sign[:, None] * truth[true_atom] - atoms[atom]
    counts["atoms"].add_gaussian(error, atoms_std[atom])
    of_q = unit * np.sqrt(state["residual_sq"] / (state["remembered"] * truth.shape[1]))
    counts["noise of q"].add_gaussian(
        np.array([of_q - true_noise]), of_q / np.sqrt(2 * state["remembered"] * truth.shape[1])
    )
    for name, rows in parts.items():
        np.save(folder / "some.npy", signals[rows])
        run(program, "encode", folder / "model.h5", folder / "some.npy", "-o", folder / "codes.npy", "--std",
            folder / "std.npy", "--probability", folder / "p.npy", "--seed", seed, "--threads", 1)  # fmt: skip
        mean, std, p = (np.load(folder / f"{file}.npy")[:, atom] for file in ("codes", "std", "p"))
        counts[f"codes, {name}"].add_codes(codes[rows][:, true_atom] * sign, mean, std, p)
    if keep:
        counts["codes of q"].add_codes(codes[training][:, true_atom] * sign, *(part[:, atom] for part in own))
    notes.append((len(atom), noise / true_noise, of_q / true_noise,
                  np.sqrt(np.mean(error**2)), np.sqrt(np.mean(atoms_std[atom] ** 2))))  # fmt: skip


def table(program, count, sparsity, snr, seeds):
    """Print what was found in all sets of a kind."""
    names = ("noise", "noise, all atoms found", "noise of q", "atoms", "codes, training", "codes, new", "codes of q")
    counts, notes = {name: Count() for name in names}, []
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            measure(program, Path(folder), count, sparsity, snr, seed, counts, notes)
    atoms, noise, of_q, error, std = np.mean(notes, axis=0)
    varied = np.std(notes, axis=0, ddof=1)
    print(f"\n{count} signals, {sparsity} atoms in each, {snr:g} dB, {seeds} sets: {atoms:.1f} of 50 atoms found")
    print(f"noise over true noise {noise:.4f} +- {varied[1]:.4f}, of q {of_q:.4f} +- {varied[2]:.4f}")
    print(f"atoms' entries: rms error {error:.3g}, stated {std:.3g}\n")
    print("| | values | error over std | inside 50 / 80 / 90 / 95 % | expected |\n|:--|--:|--:|--:|--:|")
    for name, values in counts.items():
        if values.z:
            print("| " + " | ".join([name, *values.cells()]) + " |", flush=True)


def main():
    """Print a table for each kind of set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--signals", type=int, nargs="+", default=[20000, 200000])
    parser.add_argument("--sparsity", type=int, default=3)
    parser.add_argument("--snr", type=float, nargs="+", default=[20])
    parser.add_argument("--seeds", type=int, default=30)
    arguments = parser.parse_args()
    for count in arguments.signals:
        for snr in arguments.snr:
            table(arguments.program, count, arguments.sparsity, snr, arguments.seeds)


if __name__ == "__main__":
    main()
