"""Codes by the posterior of a learned model, beside OMP that is given the number of atoms in a signal.

Run as python docs/results/codes.py. For each signal-to-noise ratio and sparsity, a dictionary is learned with the
default method from 2000 signals, and the signals are coded with it: by the posterior mean, by its sparse form, and by
OMP. Errors are those of the true codes, for the atoms that were found. A code is far off if one of its entries errs by
more than 0.3. Speed is for one thread.

With --coverage: how often the posterior's intervals contain the true codes, for the signals of training and as many new
ones. Entries with probability at least 0.5 count. The intervals are Gaussian. Then, of the entries whose probability is
in a range: the mean of these probabilities, and the share that is truly not zero, in per cent.
"""

import sys
import time

import numpy as np

import sbdl

SIGNALS = 2000
SEED = 11
FAR_OFF = 0.3
INTERVALS = (0.674, 1.282, 1.645, 1.960)  # 50, 80, 90 and 95 %
PROBABILITIES = ((0.02, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 0.98), (0.98, 1.1))


def coders(sparsity):
    """Return name and parameters of each coder."""
    return {
        "posterior": {"transform_algorithm": "posterior"},
        "posterior, sparse": {"transform_algorithm": "posterior", "transform_sparse": True},
        "OMP": {"transform_algorithm": "omp", "transform_n_nonzero_coefs": sparsity},
    }


def row(snr, sparsity):
    """Return one row of the table."""
    made = sbdl.synthetic(SIGNALS, n_nonzero_coefs=sparsity, snr_db=snr, random_state=SEED)
    learner = sbdl.DictionaryLearning(50, random_state=0, n_jobs=1).fit(made.signals)
    partner, sign, found = matched(made, learner)
    cells = [str(snr), str(sparsity), f"{found.sum()} of {len(found)}"]
    for parameters in coders(sparsity).values():
        learner.set_params(**parameters)
        start = time.perf_counter()
        codes = learner.transform(made.signals)
        seconds = time.perf_counter() - start
        error = (codes[:, partner] * sign - made.codes)[:, found]
        far = (np.abs(error).max(axis=1) > FAR_OFF).sum()
        cells.append(f"{np.sqrt((error**2).mean()):.4f} / {far} / {SIGNALS / seconds:.0f}")
    return "| " + " | ".join(cells) + " |"


def matched(made, learner):
    """Return the learned partner of each true atom, its sign, and whether the atom was found."""
    cosines = made.dictionary @ learner.components_.T
    partner = np.abs(cosines).argmax(axis=1)
    sign = np.sign(cosines[np.arange(len(partner)), partner])
    return partner, sign, np.abs(cosines).max(axis=1) > 0.99


def coverage_row(codes, std, probability, true):
    """Return error, coverage, and stated and true probabilities."""
    counted = probability >= 0.5
    error = np.abs(codes - true)
    z = error[counted] / std[counted]
    cells = [f"{np.sqrt((error**2).mean()):.4f}"]
    cells.append(" / ".join(f"{100 * (z < width).mean():.0f}" for width in INTERVALS))
    for least, most in PROBABILITIES:
        chosen = (probability >= least) & (probability < most)
        stated, on = 100 * probability[chosen].mean(), 100 * (true[chosen] != 0).mean()
        cells.append(f"{stated:.1f}: {on:.1f}" if chosen.sum() >= 50 else "-")
    return cells


def coverage():
    """Print the table of coverage."""
    ranges = " | ".join(f"p {least} to {min(most, 1)}" for least, most in PROBABILITIES)
    print(f"| SNR (dB) | K | signals | rms | 50 / 80 / 90 / 95 % | {ranges} | OMP rms | per second |")
    print("|--:|--:|---|--:|--:|" + "--:|" * (len(PROBABILITIES) + 2))
    for snr in (10, 20, 30):
        for sparsity in (3, 4, 5):
            made = sbdl.synthetic(2 * SIGNALS, n_nonzero_coefs=sparsity, snr_db=snr, random_state=SEED)
            learner = sbdl.DictionaryLearning(50, random_state=0, n_jobs=1).fit(made.signals[:SIGNALS])
            partner, sign, found = matched(made, learner)
            for name, part in (("training", slice(0, SIGNALS)), ("new", slice(SIGNALS, None))):
                learner.set_params(transform_algorithm="posterior")
                start = time.perf_counter()
                codes, std, probability = learner.transform(
                    made.signals[part], return_std=True, return_probability=True
                )
                speed = SIGNALS / (time.perf_counter() - start)
                true = made.codes[part][:, found]
                cells = [str(snr), str(sparsity), name]
                cells += coverage_row(
                    (codes[:, partner] * sign)[:, found],
                    std[:, partner][:, found],
                    probability[:, partner][:, found],
                    true,
                )
                learner.set_params(transform_algorithm="omp", transform_n_nonzero_coefs=sparsity)
                omp = (learner.transform(made.signals[part])[:, partner] * sign)[:, found]
                cells += [f"{np.sqrt(((omp - true) ** 2).mean()):.4f}", f"{speed:.0f}"]
                print("| " + " | ".join(cells) + " |", flush=True)


def main():
    """Print the table."""
    if "--coverage" in sys.argv[1:]:
        coverage()
        return
    print("| SNR (dB) | K | atoms found | " + " | ".join(coders(1)) + " |")
    print("|--:|--:|--:|" + "--:|" * len(coders(1)))
    for snr in (10, 20, 30):
        for sparsity in (3, 4, 5):
            print(row(snr, sparsity), flush=True)


if __name__ == "__main__":
    main()
