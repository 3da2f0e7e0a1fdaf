#!/usr/bin/env python3
"""Kills workers of a dask cluster at random moments of a fit, which has to come to the same end.

    kill_workers.py [--kills 20] [--seed 1]

Three worker processes learn. One of them is killed, another takes its place, and the model has the bits of a fit
without a cluster.
"""

import argparse
import os
import random
import signal
import sys
import threading
import time
import warnings

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import sbdl
import sbdl.dask

WORKERS = 3
SIGNALS = {"n_samples": 3000, "n_features": 8, "n_components": 10, "n_nonzero_coefs": 2, "random_state": 7}
LEARNER = {"n_components": 10, "max_iter": 150, "random_state": 3}


def same_bits(got, want):
    """Whether two estimators have learned the same."""
    pairs = [(getattr(got, name), getattr(want, name)) for name in ("components_", "components_std_", "noise_sd_")]
    pairs += [(got.trace_[name], want.trace_[name]) for name in ("objective", "noise_sd")]
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs)


def fit(X):
    """Learns on the cluster. Returns the estimator, the seconds it took and how often it lost a worker."""
    began = time.monotonic()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        learner = sbdl.dask.DictionaryLearning(**LEARNER, checkpoint_every=0).fit(X)
    losses = sum("the fit goes on" in str(warning.message) for warning in said)
    return learner, time.monotonic() - began, losses


def main():
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(description="Kills workers of a dask cluster at random moments of a fit.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, wrong, noticed = random.Random(options.seed), 0, 0
    signals = sbdl.synthetic(**SIGNALS).signals
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = sbdl.DictionaryLearning(**LEARNER).fit(signals)
    X = da.from_array(signals, chunks=(500, SIGNALS["n_features"]))
    cluster = LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        fit(X)  # the first one also waits for imports
        _, length, _ = fit(X)
        for kill in range(1, options.kills + 1):
            pids = client.run(os.getpid)
            victim = pids[chance.choice(sorted(pids))]
            timer = threading.Timer(chance.uniform(0.0, 1.1 * length), os.kill, [victim, signal.SIGKILL])
            timer.start()
            try:
                learner, _, losses = fit(X)
                noticed += losses > 0
                complaint = "" if same_bits(learner, want) else "has learned something else"
            except Exception as error:
                complaint = f"{type(error).__name__}: {error}"
            timer.join()
            if complaint:
                wrong += 1
                print(f"dask: after kill {kill}: {complaint}", flush=True)
            deadline = time.monotonic() + 60
            while victim in (there := client.run(os.getpid, on_error="ignore").values()) or len(there) < WORKERS:
                if time.monotonic() > deadline:
                    sys.exit(f"dask: after kill {kill}: no worker has taken the place of the other within 60 s")
                time.sleep(0.1)
    print(
        f"{'dask':12} {options.kills} kills of a fit of {length:.2f} s, {noticed} of them noticed, {wrong} wrong",
        flush=True,
    )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
