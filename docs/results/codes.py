"""Codes by the posterior of a learned model, beside OMP that is given the number of atoms in a signal.

Run as python docs/results/codes.py. For each signal-to-noise ratio and sparsity, a dictionary is learned with the
default method from 2000 signals, and the signals are coded with it: by the posterior mean, by its sparse form, and by
OMP. Errors are those of the true codes, for the atoms that were found. A code is far off if one of its entries errs by
more than 0.3. Speed is for one thread.
"""

import time

import numpy as np

import sbdl

SIGNALS = 2000
SEED = 11
FAR_OFF = 0.3


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
    cosines = made.dictionary @ learner.components_.T
    partner = np.abs(cosines).argmax(axis=1)
    sign = np.sign(cosines[np.arange(len(partner)), partner])
    found = np.abs(cosines).max(axis=1) > 0.99
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


def main():
    """Print the table."""
    print("| SNR (dB) | K | atoms found | " + " | ".join(coders(1)) + " |")
    print("|--:|--:|--:|" + "--:|" * len(coders(1)))
    for snr in (10, 20, 30):
        for sparsity in (3, 4, 5):
            print(row(snr, sparsity), flush=True)


if __name__ == "__main__":
    main()
